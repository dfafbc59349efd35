<?php

use Recoup\WooCommerce\Account;
use Recoup\WooCommerce\Connection;
use Recoup\WooCommerce\Consent;
use Recoup\WooCommerce\Sender;
use Recoup\WooCommerce\Settings;

final class ConsentTest extends ShopCase
{
    private const CONSENT = ['isGiven' => true, 'id' => 'w1', 'wording' => self::WORDING];

    /** @param string|null $boxes the header of blocks.js; null: no header */
    private function setBox(bool $is, ?object $order = null, ?string $boxes = 'email=w1'): void
    {
        $this->setBoxesHeader($boxes);
        do_action('woocommerce_set_additional_field_value', 'recoup/consent-email', $is, 'other', $order);
    }

    private function setBoxesHeader(?string $boxes): void
    {
        $_SERVER['HTTP_RECOUP_BOXES'] = $boxes;
    }

    public function testRecordsNothingForAnUntouchedBox(): void
    {
        WC()->cart->add_to_cart(self::TEA, 1);
        $order = new WC_Order(71);
        $this->setBox(false, $order);
        $this->endRequest();
        self::assertArrayNotHasKey('consent', $this->lastEntry());
        self::assertSame([], $order->meta);
    }

    public function testSendsATickAtOnceAndStoresItWithTheOrder(): void
    {
        WC()->cart->add_to_cart(self::TEA, 1);
        $this->endRequest();
        $order = new WC_Order(71);
        $this->setBox(true, $order);
        $this->endRequest();
        self::assertSame(['email' => self::CONSENT], $this->lastEntry()['consent']);
        self::assertSame(['yes', self::WORDING], [$order->meta['_recoup_consent_email'], $order->meta['_recoup_consent_email_wording']]);
    }

    public function testRecordsANoWhenABoxIsTickedAndUnticked(): void
    {
        WC()->cart->add_to_cart(self::TEA, 1);
        $order = new WC_Order(71);
        $this->setBox(true, $order);
        $this->setBox(false, $order);
        $this->endRequest();
        self::assertFalse($this->lastEntry()['consent']['email']['isGiven']);
        self::assertSame('no', $order->meta['_recoup_consent_email']);
    }

    public function testIgnoresForeignFieldsAndHiddenChannels(): void
    {
        WC()->cart->add_to_cart(self::TEA, 1);
        do_action('woocommerce_set_additional_field_value', 'other/consent-email', true, 'other', null);
        do_action('woocommerce_set_additional_field_value', 'recoup/consent-sms', true, 'other', null);
        $this->endRequest();
        self::assertArrayNotHasKey('consent', $this->lastEntry());
    }

    public function testShowsTheOwnersTextUntickedAndEscapedInTheClassicForm(): void
    {
        $settings = ['version' => 's2', 'boxes' => [['channel' => 'email', 'words' => 'A <b>"word"</b>', 'id' => 'w2']], 'push' => null];
        Settings::saveInput($settings);
        ob_start();
        Consent::show();
        $html = (string) ob_get_clean();
        self::assertStringContainsString('A &lt;b&gt;&quot;word&quot;&lt;/b&gt;', $html);
        self::assertStringContainsString('id="recoup_consent_email"', $html);
        self::assertStringNotContainsString('checked', $html);
    }

    public function testShowsTheClassicBoxesOnceBelowTheEmailField(): void
    {
        $html = apply_filters('woocommerce_form_field_email', '<p id="billing_email_field"></p>', 'billing_email', [], '');
        self::assertStringStartsWith('<p id="billing_email_field"></p><p class="form-row', $html);
        self::assertStringContainsString('data-priority="111"', $html);
        ob_start();
        Consent::show();
        self::assertSame('', ob_get_clean());
        self::assertSame('<p></p>', apply_filters('woocommerce_form_field_email', '<p></p>', 'account_email', [], ''));
    }

    public function testShowsNoCheckoutFieldInMyAccountAndKeepsConsentOnSave(): void
    {
        self::assertSame('', apply_filters('woocommerce_form_field_checkbox', '<p></p>', '_wc_other/recoup/consent-email', [], ''));
        self::assertSame('<p></p>', apply_filters('woocommerce_form_field_checkbox', '<p></p>', 'terms', [], ''));
        WC()->cart->add_to_cart(self::TEA, 1);
        $this->setBox(true);
        add_action('woocommerce_save_account_details', function (): void {
            $this->setBox(false);
        });
        do_action('woocommerce_save_account_details', 7);
        $this->endRequest();
        self::assertTrue($this->lastEntry()['consent']['email']['isGiven']);
    }

    public function testDoesNotPretickABoxOfTheBlockCheckout(): void
    {
        $meta = (object) ['meta_key' => '_wc_other/recoup/consent-email', 'meta_value' => '1'];
        $other = (object) ['meta_key' => '_wc_other/shop/gift', 'meta_value' => '1'];
        self::assertSame([$other], array_values(apply_filters('woocommerce_data_store_wp_user_read_meta', [$meta, $other])));
    }

    public function testStoresNoUserMetaForABoxOfTheBlockCheckout(): void
    {
        self::assertFalse(apply_filters('add_user_metadata', null, 7, '_wc_other/recoup/consent-email', '1', false));
        self::assertNull(apply_filters('add_user_metadata', null, 7, '_wc_other/shop/gift', '1', false));
        self::assertSame(5, apply_filters('add_user_metadata', 5, 7, 'nickname', 'Ada', false));
    }

    public function testStoresATickOfTheClassicFormWithoutTheScript(): void
    {
        $_POST = ['recoup_consent_email' => 'yes'];
        $order = new WC_Order(71);
        do_action('woocommerce_checkout_create_order', $order, []);
        self::assertSame('yes', $order->meta['_recoup_consent_email']);
    }

    public function testSendsTheTextIdsThatACheckoutShows(): void
    {
        WC()->cart->add_to_cart(self::TEA, 1);
        $this->endRequest();
        self::assertArrayNotHasKey('boxes', $this->lastEntry());
        $this->enterAddresses();
        self::assertSame(['email' => 'w1'], $this->lastEntry()['boxes']);
    }

    public function testReportsTheBoxesThatAShopperSawAndTicked(): void
    {
        WC()->cart->add_to_cart(self::TEA, 1);
        $this->endRequest();
        self::assertArrayNotHasKey('forms', $this->lastEntry());
        $this->enterAddresses();
        self::assertSame(['block' => ['email' => ['id' => 'w1']]], $this->lastEntry()['forms']);
        // Recoup counts a box again after two days, so only a checkout's own request reports it.
        WC()->cart->add_to_cart(self::LAMP, 1);
        $this->endRequest();
        self::assertArrayNotHasKey('forms', $this->lastEntry());
        $this->setBox(true);
        $this->endRequest();
        self::assertSame(['block' => ['email' => ['id' => 'w1', 'isTicked' => true]]], $this->lastEntry()['forms']);
    }

    public function testShowsNoBoxesInTheBlockCheckoutOfAnOlderWooCommerce(): void
    {
        $GLOBALS['wp']['missing'] = ['woocommerce_register_additional_checkout_field'];
        WC()->cart->add_to_cart(self::TEA, 1);
        $this->enterAddresses();
        self::assertSame([], array_intersect_key($this->lastEntry(), ['forms' => 1, 'boxes' => 1]));
    }

    public function testReportsNoBoxesForTheShippingCalculator(): void
    {
        WC()->cart->add_to_cart(self::TEA, 1);
        $this->enterAddresses(['shipping_address' => ['country' => 'US', 'postcode' => '94103']]);
        self::assertSame([], array_intersect_key($this->lastEntry(), ['forms' => 1, 'boxes' => 1]));
    }

    private const TYPED = ['billing_address' => ['email' => 'vera@example.com']];

    private function enterAddresses(array $addresses = self::TYPED, ?string $boxes = 'email=w1'): void
    {
        $this->setBoxesHeader($boxes);
        do_action('woocommerce_store_api_cart_update_customer_from_request', WC()->customer, new ArrayObject($addresses));
        $this->endRequest();
    }

    public static function buttonsWithoutBoxes(): array
    {
        return ['an express payment of the block checkout' => ['none'], 'a payment button of another page' => [null]];
    }

    /** @dataProvider buttonsWithoutBoxes */
    public function testRecordsNoConsentForAPaymentThatSkipsTheBoxes(?string $boxes): void
    {
        WC()->cart->add_to_cart(self::TEA, 1);
        $draft = new WC_Order(71);
        $this->setBox(true, $draft);
        $this->endRequest();
        self::assertSame('yes', $draft->meta['_recoup_consent_email']);
        WC()->customer->set_billing_email('wallet@example.com');
        $this->enterAddresses(self::TYPED, $boxes);
        self::assertSame('wallet@example.com', $this->lastEntry()['contact']['email']);
        self::assertSame([], array_intersect_key($this->lastEntry(), ['consent' => 1, 'forms' => 1, 'boxes' => 1]));
        $this->placeBlockOrder($draft, $boxes);
        self::assertSame([], array_intersect_key($draft->meta, ['_recoup_consent_email' => 1, '_recoup_consent_email_wording' => 1]));
        self::assertArrayNotHasKey('forms', $this->filterEntries('order')[0]);
    }

    /** @dataProvider buttonsWithoutBoxes */
    public function testSendsNoWalletAddressBeforeConsent(?string $boxes): void
    {
        Settings::saveInput(['version' => 's3', 'boxes' => [['channel' => 'email', 'words' => self::WORDING, 'id' => 'w1']], 'before' => 'cart_only', 'push' => null]);
        WC()->cart->add_to_cart(self::TEA, 1);
        WC()->customer->set_billing_email('vera@example.com');
        $this->setBox(true);
        $this->endRequest();
        self::assertSame('vera@example.com', $this->lastEntry()['contact']['email']);
        WC()->customer->set_billing_email('wallet@example.com');
        $this->enterAddresses(self::TYPED, $boxes);
        self::assertArrayNotHasKey('contact', $this->lastEntry());
        $this->enterAddresses();
        self::assertSame(['wallet@example.com', self::CONSENT], [$this->lastEntry()['contact']['email'], $this->lastEntry()['consent']['email']]);
    }

    /** A page open since before the update, a blocked script, or a form in which the script finds no box. */
    public static function pagesWithoutBoxesKnown(): array
    {
        return [[null], ['unknown']];
    }

    /** @dataProvider pagesWithoutBoxesKnown */
    public function testRecordsATickWhenTheScriptReportsNoBoxes(?string $boxes): void
    {
        WC()->cart->add_to_cart(self::TEA, 1);
        $draft = new WC_Order(71);
        $this->setBox(true, $draft, $boxes);
        $this->endRequest();
        WC()->customer->set_billing_email('vera@example.com');
        $this->enterAddresses(self::TYPED, $boxes);
        self::assertSame(['vera@example.com', self::CONSENT], [$this->lastEntry()['contact']['email'], $this->lastEntry()['consent']['email'] ?? null]);
        self::assertSame([], array_intersect_key($this->lastEntry(), ['forms' => 1, 'boxes' => 1]));
        self::assertSame('yes', $draft->meta['_recoup_consent_email']);
    }

    public function testIgnoresHiddenBoxesAndKeepsAnEarlierTick(): void
    {
        WC()->cart->add_to_cart(self::TEA, 1);
        $this->enterAddresses();
        $this->setBox(true);
        $this->endRequest();
        WC()->customer->set_billing_email('vera@example.com');
        $this->enterAddresses(self::TYPED, 'hidden');
        self::assertSame(self::CONSENT, $this->lastEntry()['consent']['email'] ?? null);
        self::assertSame([], array_intersect_key($this->lastEntry(), ['forms' => 1, 'boxes' => 1]));
    }

    public function testOmitsAnEarlierTickFromTheAccountAfterAnExpressOrder(): void
    {
        WC()->cart->add_to_cart(self::TEA, 1);
        $GLOBALS['wp']['user'] = 4;
        $draft = new WC_Order(71);
        $this->enterAddresses();
        $this->setBox(true, $draft);
        $this->endRequest();
        $this->enterAddresses(self::TYPED, 'none');
        $this->placeBlockOrder($draft, 'none');
        self::assertEmpty(get_user_meta(4, '_recoup_consent', true));
    }

    public function testIgnoresTheBoxThatAnExpressPaymentSends(): void
    {
        WC()->cart->add_to_cart(self::TEA, 1);
        $order = new WC_Order(71);
        $this->setBox(true, $order, 'none');
        $this->endRequest();
        self::assertSame([], array_intersect_key($this->lastEntry(), ['consent' => 1, 'forms' => 1]));
        self::assertSame([], $order->meta);
    }

    public function testLoadsBlocksJsInTheBlockCheckout(): void
    {
        do_action('woocommerce_blocks_enqueue_checkout_block_scripts_after');
        self::assertSame(['boxes' => ['email' => 'w1']], $GLOBALS['wp']['localized']['recoup-blocks']);
    }

    private function placeBlockOrder(object $order, ?string $boxes): void
    {
        $this->setBoxesHeader($boxes);
        $GLOBALS['wp']['orders'][$order->get_id()] = $order;
        do_action('woocommerce_store_api_checkout_update_order_meta', $order);
        do_action('woocommerce_store_api_checkout_order_processed', $order);
        do_action('woocommerce_cart_emptied');
        $this->endRequest();
    }

    public function testReportsTheBoxesOfAnOrdersCheckout(): void
    {
        WC()->cart->add_to_cart(self::TEA, 1);
        $this->endRequest();
        $order = $this->classicOrder();
        self::assertSame(['classic' => ['email' => ['id' => 'w1']]], $order['forms']);
    }

    public function testReportsNoBoxForAnExpressPaymentAndKeepsConsent(): void
    {
        WC()->cart->add_to_cart(self::TEA, 1);
        $this->setBox(true);
        $this->endRequest();
        $this->placeClassicOrder([]);
        self::assertArrayNotHasKey('forms', $this->filterEntries('order')[0]);
        self::assertArrayNotHasKey('_recoup_consent_email', $GLOBALS['wp']['orders'][71]->meta);
    }

    public function testRecordsANoForABoxUntickedInTheClassicForm(): void
    {
        WC()->cart->add_to_cart(self::TEA, 1);
        $this->setBox(true);
        $this->endRequest();
        $order = $this->classicOrder();
        self::assertSame(['classic' => ['email' => ['id' => 'w1', 'isTicked' => false]]], $order['forms']);
        self::assertSame('no', $GLOBALS['wp']['orders'][71]->meta['_recoup_consent_email']);
    }

    public function testReportsBoxesOnlyIfTheClassicFormHasThem(): void
    {
        WC()->cart->add_to_cart(self::TEA, 1);
        do_action('woocommerce_checkout_update_order_review', 'billing_email=vera%40example.com');
        $this->endRequest();
        self::assertSame([], array_intersect_key($this->lastEntry(), ['forms' => 1, 'boxes' => 1]));
        do_action('woocommerce_checkout_update_order_review', 'billing_email=ada%40example.com&recoup_consent_email_wording=w1');
        $this->endRequest();
        self::assertSame(['classic' => ['email' => ['id' => 'w1']]], $this->lastEntry()['forms']);
    }

    public function testKeepsTheBoxesOfAQueuedOrderWhenAPaymentChangesIt(): void
    {
        WC()->cart->add_to_cart(self::TEA, 1);
        $this->endRequest();
        $this->recoup->mode = 'silent';
        $this->placeClassicOrder();
        do_action('woocommerce_update_order', 71);
        $this->endRequest();
        $this->recoup->mode = '';
        Sender::flush(1);
        $order = $this->lastEntry();
        self::assertSame(['changed', ['classic' => ['email' => ['id' => 'w1']]]], [$order['event'], $order['forms'] ?? null]);
    }

    public function testReportsNoBoxesBeforeConsentInNothingModeOrAfterARefusal(): void
    {
        Settings::saveInput(['version' => 's3', 'boxes' => [['channel' => 'email', 'words' => self::WORDING, 'id' => 'w1']], 'before' => 'nothing', 'push' => null]);
        WC()->cart->add_to_cart(self::TEA, 1);
        self::assertArrayNotHasKey('forms', $this->classicOrder());
        $this->setUp();
        WC()->cart->add_to_cart(self::TEA, 1);
        $this->endRequest();
        $_COOKIE['wp_consent_marketing'] = 'deny';
        Settings::saveInput(['version' => 's4', 'boxes' => [['channel' => 'email', 'words' => self::WORDING, 'id' => 'w1']], 'push' => null]);
        self::assertArrayNotHasKey('forms', $this->classicOrder());
    }

    private function classicOrder(): array
    {
        $this->placeClassicOrder();
        return $this->filterEntries('order')[0];
    }

    private function placeClassicOrder(array $form = ['recoup_consent_email_wording' => 'w1']): void
    {
        $_POST = $form;
        $order = new WC_Order(71);
        $GLOBALS['wp']['orders'][71] = $order;
        do_action('woocommerce_checkout_create_order', $order, []);
        do_action('woocommerce_checkout_order_processed', 71, [], $order);
        do_action('woocommerce_cart_emptied');
        $this->endRequest();
    }

    public function testCountsEmptyBoxesOfMyAccountWithoutTheCustomer(): void
    {
        $GLOBALS['wp']['user'] = 4;
        $GLOBALS['wp']['users'][4] = (object) ['user_email' => 'carla@example.com'];
        $form = ['recoup_consents' => '1', 'recoup_consent_email_wording' => 'w1'];
        $save = function (array $more = []) use ($form): array {
            $_POST = $form + $more;
            do_action('woocommerce_save_account_details', 4);
            $this->endRequest();
            return $this->filterEntries('form');
        };
        $empty = ['type' => 'form', 'forms' => ['account' => ['email' => ['id' => 'w1', 'isTicked' => false]]]];
        $ticked = ['type' => 'form', 'forms' => ['account' => ['email' => ['id' => 'w1', 'isTicked' => true]]]];
        self::assertSame([$empty], $save());
        self::assertSame([$empty, $ticked], $save(['recoup_consent_email' => 'yes']));
        self::assertCount(2, $save(['recoup_consent_email' => 'yes']), 'the box was already ticked');
        self::assertCount(2, $save(), 'an unticked box is not counted');
        Settings::saveInput(['version' => 's3', 'boxes' => [['channel' => 'email', 'words' => self::WORDING, 'id' => 'w1']], 'before' => 'nothing', 'push' => null]);
        self::assertCount(2, $save(), 'no consent was given');
    }

    private function filterEntries(string $type): array
    {
        $found = [];
        foreach ($this->recoup->calls as $call) {
            foreach ($call['body']['entries'] ?? [] as $entry) {
                if ($entry['type'] === $type) {
                    $found[] = array_diff_key($entry, ['seq' => 1, 'age' => 1]);
                }
            }
        }
        return $found;
    }

    public function testShowsAndWithdrawsConsentInMyAccount(): void
    {
        $GLOBALS['wp']['user'] = 4;
        $GLOBALS['wp']['users'][4] = (object) ['user_email' => 'carla@example.com'];
        $GLOBALS['wp']['meta'][4]['_recoup_consent'] = ['email' => self::CONSENT];
        ob_start();
        Account::showBoxes();
        self::assertStringContainsString('checked', (string) ob_get_clean());
        $_POST = ['recoup_consents' => '1'];
        do_action('woocommerce_save_account_details', 4);
        $this->endRequest();
        $entry = $this->lastEntry();
        self::assertSame(['consent', '4', 'carla@example.com'], [$entry['type'], $entry['customer']['id'], $entry['contact']['email']]);
        self::assertFalse($entry['consent']['email']['isGiven']);
        do_action('woocommerce_save_account_details', 4);
        $this->endRequest();
        self::assertCount(1, $this->filterEntries('consent'), 'an unchanged answer is not sent again');
    }

    public function testTruncatesLongTextsAndDropsUnknownChannels(): void
    {
        Settings::saveInput(['version' => 's3', 'boxes' => [
            ['channel' => 'email', 'words' => str_repeat('w', 2000), 'id' => 'w3'],
            ['channel' => 'fax', 'words' => 'Fax me', 'id' => 'w4'],
        ], 'push' => ['worker' => 'https://elsewhere.example.com/sw.js', 'widget' => 'https://recoup.example.com/push/K.js']]);
        $meta = Connection::readAll()['settings'];
        self::assertSame(['email'], array_keys($meta['boxes']));
        self::assertSame(1000, strlen($meta['boxes']['email']['words']));
        self::assertNull($meta['push'], 'a script of another host would run on the shop’s pages');
    }
}
