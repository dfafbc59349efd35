<?php

use Recoup\WooCommerce\Account;
use Recoup\WooCommerce\Connection;
use Recoup\WooCommerce\Outbox;
use Recoup\WooCommerce\Settings;

/** WordPress' tools for personal data. */
final class PrivacyTest extends ShopCase
{
    private const VERA = 'vera_1@example.com';

    protected function setUp(): void
    {
        parent::setUp();
        $GLOBALS['wp']['users'] = [
            7 => (object) ['ID' => 7, 'user_email' => 'Vera_1@Example.com'],
            70 => (object) ['ID' => 70, 'user_email' => 'max@example.com'],
        ];
    }

    /** Calls exporter or eraser as WordPress does. @return mixed */
    private function runTool(string $what, string $email, int $page = 1)
    {
        $all = apply_filters('wp_privacy_personal_data_' . $what, ['other' => ['callback' => 'other']]);
        self::assertArrayHasKey('other', $all);
        self::assertIsString($all['recoup-for-woocommerce'][$what === 'exporters' ? 'exporter_friendly_name' : 'eraser_friendly_name']);
        return ($all['recoup-for-woocommerce']['callback'])($email, $page);
    }

    private function fillQueue(): void
    {
        Outbox::put('cart:a', ['type' => 'cart', 'contact' => ['email' => 'VERA_1@example.com'], 'lines' => [['name' => 'Tea']]]);
        Outbox::put('order:5', ['type' => 'order', 'order' => ['id' => 5, 'customer_id' => 7, 'billing' => ['email' => '']]]);
        Outbox::put('consent:7:x', ['type' => 'consent', 'customer' => ['id' => '7'], 'contact' => []]);
        Outbox::put('cart:b', ['type' => 'cart', 'contact' => ['email' => 'max@example.com'], 'customer' => ['id' => '70']]);
        Outbox::put('cart:c', ['type' => 'cart', 'contact' => ['email' => 'veraX1@example.com', 'note' => 'not vera_1@example.com']]);
        Outbox::put('order:6', ['type' => 'order', 'order' => ['id' => 7, 'customer_id' => 70]]);
    }

    private function queuedNames(): array
    {
        return array_column(Outbox::claim(), 'name');
    }

    public function testErasesOnePersonFromQueueAccountAndRecoup(): void
    {
        $this->fillQueue();
        update_user_meta(7, Account::META, ['email' => ['isGiven' => true]]);
        update_user_meta(70, Account::META, ['email' => ['isGiven' => true]]);
        update_user_meta(7, '_wc_other/recoup/consent-email', '1');
        $this->recoup->answers['privacy'] = [200, ['isErasing' => true]];
        $outcome = $this->runTool('erasers', self::VERA);
        self::assertSame(['items_removed' => true, 'items_retained' => false, 'messages' => [], 'done' => true], $outcome);
        self::assertSame(['cart:b', 'cart:c', 'order:6'], $this->queuedNames());
        self::assertEmpty(get_user_meta(7, Account::META, true));
        self::assertEmpty(get_user_meta(7, '_wc_other/recoup/consent-email', true));
        self::assertNotEmpty(get_user_meta(70, Account::META, true));
        $call = $this->recoup->lastCall('privacy');
        self::assertSame(['erase', self::VERA, 1], [$call['ask'], $call['email'], $call['v']]);
    }

    public function testReportsRetainedDataWhenRecoupDoesNotAnswer(): void
    {
        foreach (['down', 'silent', 'unsigned'] as $mode) {
            $this->fillQueue();
            $this->recoup->mode = $mode;
            $outcome = $this->runTool('erasers', self::VERA);
            self::assertTrue($outcome['items_retained'], $mode);
            self::assertTrue($outcome['items_removed'], $mode);
            self::assertStringContainsString('Please try again', $outcome['messages'][0]);
            self::assertInstanceOf(WP_Error::class, $this->runTool('exporters', self::VERA), $mode);
        }
    }

    public function testRemovesNothingForAnUnknownPerson(): void
    {
        $this->recoup->answers['privacy'] = [200, ['isErasing' => false]];
        foreach (['nobody@example.com', 'not an address', ''] as $email) {
            $outcome = $this->runTool('erasers', $email);
            self::assertSame([false, false, true], [$outcome['items_removed'], $outcome['items_retained'], $outcome['done']]);
        }
        self::assertSame(1, count($this->recoup->calls), 'an invalid address causes no call');
    }

    public function testExportsQueueConsentsAndAllPagesOfRecoup(): void
    {
        $this->fillQueue();
        update_user_meta(7, Account::META, ['sms' => ['isGiven' => true, 'wording' => 'Text me.']]);
        $this->recoup->answers['privacy'] = static function (array $body): array {
            $row = ['table' => 'carts', 'fields' => [['name' => 'value_minor', 'value' => '<b>4200</b>'], ['name' => 'x', 'value' => ['odd']]]];
            $odd = ['table' => ['odd'], 'fields' => 'odd'];
            return [200, ['rows' => [$row, $odd, 'odd'], 'isDone' => $body['page'] === 2]];
        };
        $first = $this->runTool('exporters', self::VERA);
        self::assertFalse($first['done']);
        self::assertSame(['recoup-waiting', 'recoup-waiting', 'recoup-waiting', 'recoup-consent', 'recoup-carts'], array_column($first['data'], 'group_id'));
        self::assertStringNotContainsString('max@', json_encode($first));
        $second = $this->runTool('exporters', self::VERA, 2);
        self::assertTrue($second['done']);
        self::assertSame(['recoup-carts'], array_column($second['data'], 'group_id'));
        self::assertSame([['name' => 'value minor', 'value' => '&lt;b&gt;4200&lt;/b&gt;']], $second['data'][0]['data']);
        $ids = array_column(array_merge($first['data'], $second['data']), 'item_id');
        self::assertSame($ids, array_unique($ids));
        self::assertSame(6, count($this->queuedNames()), 'an export removes nothing');
    }

    public function testEscapesLinksThatAShopperTyped(): void
    {
        $link = '<a href="https://prize.example.com">Tea <3</a>';
        Outbox::put('cart:a', ['type' => 'cart', 'contact' => ['email' => self::VERA, 'firstName' => $link]]);
        $row = ['table' => 'shoppers', 'fields' => [['name' => 'first_name', 'value' => $link]]];
        $this->recoup->answers['privacy'] = [200, ['rows' => [$row], 'isDone' => true]];
        $values = array_column(array_merge(...array_column($this->runTool('exporters', self::VERA)['data'], 'data')), 'value');
        self::assertCount(2, $values);
        foreach ($values as $value) {
            self::assertStringNotContainsString('<', $value);
            self::assertStringContainsString('Tea &lt;3', $value);
        }
    }

    public function testCallsNothingWhenTheShopIsNotConnected(): void
    {
        $this->fillQueue();
        Connection::forget();
        self::assertTrue($this->runTool('erasers', self::VERA)['items_removed']);
        self::assertTrue($this->runTool('exporters', 'max@example.com')['done']);
        self::assertSame([], $this->recoup->calls);
    }

    public function testSuggestsAPolicyText(): void
    {
        do_action('admin_init');
        $text = $GLOBALS['wp']['policy']['Recoup for WooCommerce'];
        self::assertStringContainsString('privacy-policy-tutorial', $text);
        self::assertStringContainsString('IP address is not sent', $text);
    }

    public static function modes(): array
    {
        return [
            ['cart_and_contact', false, false],
            ['cart_only', true, false],
            ['nothing', false, true],
        ];
    }

    /** @dataProvider modes */
    public function testDescribesInThePolicyTextWhatIsSentBeforeConsent(string $mode, bool $cart, bool $nothing): void
    {
        Settings::saveInput(['version' => 's-' . $mode, 'boxes' => [], 'before' => $mode, 'push' => null]);
        do_action('admin_init');
        $text = $GLOBALS['wp']['policy']['Recoup for WooCommerce'];
        $says = [strpos($text, 'Recoup receives only your cart') !== false, strpos($text, 'Recoup receives none of it') !== false];
        self::assertSame([$cart, $nothing], $says);
    }
}
