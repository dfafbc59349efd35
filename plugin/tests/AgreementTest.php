<?php

use Recoup\WooCommerce\Connection;
use Recoup\WooCommerce\Outbox;
use Recoup\WooCommerce\Settings;

/** What the plugin stores and sends before a shopper consents. */
final class AgreementTest extends ShopCase
{
    private const EMAIL = 'ada@shoppers.example';

    private function setMode(string $mode): void
    {
        $box = ['channel' => 'email', 'words' => self::WORDING, 'id' => 'w1'];
        Settings::saveInput(['version' => 's-' . $mode, 'boxes' => [$box], 'before' => $mode, 'push' => null]);
    }

    private function fillCartAndContact(): void
    {
        WC()->cart->add_to_cart(self::TEA, 1);
        WC()->customer->set_billing_email(self::EMAIL);
        WC()->customer->set_billing_phone('+12125550177');
        do_action('woocommerce_store_api_cart_update_customer_from_request');
        $this->endRequest();
    }

    private function tick(bool $is = true): void
    {
        do_action('woocommerce_set_additional_field_value', 'recoup/consent-email', $is, 'other', null);
        $this->endRequest();
    }

    public function testSendsAndStoresNothingUntilABoxIsTicked(): void
    {
        $this->setMode('nothing');
        $this->fillCartAndContact();
        self::assertSame([[], null], [$this->recoup->entries(), WC()->session->get('recoup')]);
        $this->tick();
        self::assertSame(1, count($this->lastEntry()['lines']));
        self::assertSame(self::EMAIL, $this->lastEntry()['contact']['email']);
        self::assertArrayNotHasKey('phone', $this->lastEntry()['contact']);
    }

    public function testSendsAWithdrawnConsentWithoutCartOrContact(): void
    {
        $this->setMode('nothing');
        $this->fillCartAndContact();
        $this->tick();
        $this->tick(false);
        self::assertFalse($this->lastEntry()['consent']['email']['isGiven']);
        self::assertSame([], $this->lastEntry()['lines']);
        self::assertArrayNotHasKey('contact', $this->lastEntry());
    }

    public function testSendsOnlyTheCartInCartOnlyMode(): void
    {
        $this->setMode('cart_only');
        $_COOKIE['recoup_device'] = 'a-device-of-twenty-one';
        $this->fillCartAndContact();
        self::assertSame(1, count($this->lastEntry()['lines']));
        foreach (['contact', 'customer', 'device', 'agreed', 'geo', 'client'] as $name) {
            self::assertArrayNotHasKey($name, $this->lastEntry());
        }
    }

    public function testFollowsTheConsentToolsAnswerInBothDirections(): void
    {
        $this->setMode('nothing');
        $_COOKIE['wp_consent_marketing'] = 'allow';
        $this->fillCartAndContact();
        self::assertSame([true, self::EMAIL], [$this->lastEntry()['agreed'], $this->lastEntry()['contact']['email']]);
        Outbox::put('cart:' . WC()->session->get('recoup')['cart'], ['type' => 'cart']);
        $_COOKIE['wp_consent_marketing'] = 'deny';
        do_action('wp_loaded');
        self::assertSame([0, null], [Outbox::count(), WC()->session->get('recoup')]);
        $before = count($this->recoup->entries());
        $this->fillCartAndContact();
        self::assertCount($before, $this->recoup->entries());
    }

    public function testSendsAConsentFromAnotherPageWithTheNextRequest(): void
    {
        $this->setMode('nothing');
        $this->fillCartAndContact();
        $_COOKIE['wp_consent_marketing'] = 'allow';
        do_action('wp_loaded');
        $this->endRequest();
        self::assertSame([true, self::EMAIL], [$this->lastEntry()['agreed'], $this->lastEntry()['contact']['email']]);
        $before = count($this->recoup->entries());
        do_action('wp_loaded');
        $this->endRequest();
        self::assertCount($before, $this->recoup->entries());
    }

    public function testSendsTheLocationAfterTheConsentToolButNotAfterATick(): void
    {
        $this->setMode('cart_only');
        $this->fillCartAndContact();
        $this->tick();
        self::assertArrayHasKey('client', $this->lastEntry());
        self::assertArrayNotHasKey('geo', $this->lastEntry());
        $_COOKIE['wp_consent_marketing'] = 'allow';
        $this->fillCartAndContact();
        self::assertSame('DE', $this->lastEntry()['geo']['country']);
    }

    public function testAppliesAConsentToolAnswerWithoutAnotherPageView(): void
    {
        do_action('wp_enqueue_scripts');
        self::assertArrayNotHasKey('recoup-consent', $GLOBALS['wp']['scripts'] ?? []);
        require_once __DIR__ . '/wp-consent-api/api.php';
        do_action('wp_enqueue_scripts');
        self::assertStringEndsWith('assets/consent.js', $GLOBALS['wp']['scripts']['recoup-consent']);
        self::assertStringContainsString('recoup_agreement', $GLOBALS['wp']['localized']['recoup-consent']['url']);
        try {
            do_action('wc_ajax_recoup_agreement');
        } catch (RequestEnded $ended) {
            self::assertSame(200, $GLOBALS['wp']['json'][0]);
        }
        Connection::save(['secret' => ''] + Connection::readAll());
        $GLOBALS['wp']['scripts'] = [];
        do_action('wp_enqueue_scripts');
        self::assertArrayNotHasKey('recoup-consent', $GLOBALS['wp']['scripts']);
    }

    public function testSupportsACustomCookiePrefixOfTheConsentTool(): void
    {
        $this->setMode('nothing');
        add_filter('wp_consent_cookie_prefix', static function (): string {
            return 'shop_consent';
        });
        $_COOKIE['shop_consent_marketing'] = 'allow';
        $this->fillCartAndContact();
        self::assertTrue($this->lastEntry()['agreed']);
        do_action('woocommerce_before_checkout_form');
        self::assertSame('shop_consent', $GLOBALS['wp']['localized']['recoup-checkout']['tool']);
    }

    /** @return mixed */
    private function signIn(bool $isGiven, string $email = self::EMAIL)
    {
        $GLOBALS['wp']['user'] = 7;
        $GLOBALS['wp']['users'][7] = (object) ['ID' => 7, 'user_email' => $email];
        update_user_meta(7, '_recoup_consent', ['email' => ['isGiven' => $isGiven, 'id' => 'w1', 'wording' => self::WORDING]]);
    }

    public function testAppliesTheAccountsConsent(): void
    {
        $this->setMode('nothing');
        $this->signIn(true);
        $this->fillCartAndContact();
        $entry = $this->lastEntry();
        self::assertSame([1, self::EMAIL, '7'], [count($entry['lines']), $entry['contact']['email'], $entry['customer']['id']]);
        foreach (['consent', 'agreed', 'geo', 'device'] as $name) {
            self::assertArrayNotHasKey($name, $entry);
        }
        self::assertArrayNotHasKey('phone', $entry['contact']);
    }

    public function testAppliesTheAccountsConsentToAnExistingCart(): void
    {
        $this->setMode('nothing');
        $this->fillCartAndContact();
        $this->signIn(true);
        do_action('wp_loaded');
        $this->endRequest();
        self::assertSame(self::EMAIL, $this->lastEntry()['contact']['email']);
        $before = count($this->recoup->entries());
        do_action('wp_loaded');
        $this->endRequest();
        self::assertCount($before, $this->recoup->entries());
    }

    public function testLimitsTheAccountsConsentToItsOwnAddress(): void
    {
        $this->setMode('cart_only');
        $this->signIn(true, 'grace@shoppers.example');
        $this->fillCartAndContact();
        self::assertArrayNotHasKey('contact', $this->lastEntry());
    }

    private function signInAsBuyer(string $email, string $billing = ''): void
    {
        $GLOBALS['wp']['user'] = 7;
        $GLOBALS['wp']['users'][7] = (object) ['ID' => 7, 'user_email' => $email];
        $GLOBALS['wp']['meta'][7]['billing_email'] = $billing;
        WC()->customer->set_is_paying_customer(true);
    }

    public function testSendsOnlyTheOwnEmailOfAKnownCustomer(): void
    {
        $this->setMode('cart_only');
        foreach ([['Ada@shoppers.example', ''], ['other@shoppers.example', 'ADA@shoppers.example']] as $own) {
            $this->signInAsBuyer(...$own);
            $this->fillCartAndContact();
            self::assertSame(self::EMAIL, $this->lastEntry()['contact']['email']);
            self::assertArrayNotHasKey('phone', $this->lastEntry()['contact']);
        }
    }

    public function testSendsAnotherAddressOfAKnownCustomerOnlyAfterATick(): void
    {
        $this->setMode('cart_only');
        $this->signInAsBuyer('grace@shoppers.example');
        $this->fillCartAndContact();
        self::assertArrayNotHasKey('contact', $this->lastEntry());
        $this->tick();
        self::assertSame(self::EMAIL, $this->lastEntry()['contact']['email']);
        self::assertArrayNotHasKey('phone', $this->lastEntry()['contact']);
    }

    public function testPrefersARefusalOverTheAccountsConsent(): void
    {
        $this->setMode('nothing');
        $this->signIn(false);
        $this->fillCartAndContact();
        $this->signIn(true);
        $_COOKIE['wp_consent_marketing'] = 'deny';
        $this->fillCartAndContact();
        self::assertSame([], $this->recoup->entries());
    }

    public function testPrefersAnUntickedBoxOverTheAccountsConsent(): void
    {
        $this->setMode('nothing');
        $this->signIn(true);
        $this->fillCartAndContact();
        $this->tick();
        $this->tick(false);
        self::assertArrayNotHasKey('contact', $this->lastEntry());
        self::assertSame([], $this->lastEntry()['lines']);
    }

    public function testSendsNothingWhenAShopperSignsInAfterARefusal(): void
    {
        $this->fillCartAndContact();
        $this->tick();
        $_COOKIE['wp_consent_marketing'] = 'deny';
        do_action('wp_loaded');
        $this->endRequest();
        $before = count($this->recoup->entries());
        do_action('wp_login', 'ada', (object) ['ID' => 7]);
        $this->endRequest();
        self::assertCount($before, $this->recoup->entries());
    }

    public function testSendsAWithdrawnConsentAfterARefusal(): void
    {
        $this->fillCartAndContact();
        $this->tick();
        $cart = $this->lastEntry()['cart'];
        $_COOKIE['wp_consent_marketing'] = 'deny';
        do_action('wp_loaded');
        $this->endRequest();
        $before = count($this->recoup->entries());
        $this->fillCartAndContact();
        self::assertCount($before, $this->recoup->entries());
        $this->tick(false);
        self::assertSame([$cart, [], false], [$this->lastEntry()['cart'], $this->lastEntry()['lines'], $this->lastEntry()['consent']['email']['isGiven']]);
        self::assertArrayNotHasKey('contact', $this->lastEntry());
    }

    public function testAppliesARefusalInCartAndContactMode(): void
    {
        $_COOKIE['wp_consent_functional'] = 'deny';
        $this->fillCartAndContact();
        self::assertSame([], $this->recoup->entries());
    }

    public function testUsesCartAndContactModeWithSettingsOfAnOlderRecoup(): void
    {
        Settings::saveInput(['version' => 's9', 'boxes' => [], 'push' => null]);
        self::assertSame('cart_and_contact', Settings::getConsentMode());
        Settings::saveInput(['version' => 's10', 'boxes' => [], 'before' => ['x'], 'push' => null]);
        self::assertSame('cart_and_contact', Settings::getConsentMode());
        self::assertTrue(Connection::isConnected());
    }
}
