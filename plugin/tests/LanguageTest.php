<?php

use Recoup\WooCommerce\Consent;
use Recoup\WooCommerce\Language;
use Recoup\WooCommerce\Settings;

/** The boxes in the shopper's language. */
final class LanguageTest extends ShopCase
{
    private const GERMAN = 'Erinnert mich per E-Mail.';

    private function addGermanTexts(): void
    {
        $box = ['channel' => 'email', 'words' => self::WORDING, 'id' => 'w1', 'languages' => ['de' => ['words' => self::GERMAN, 'id' => 'w2']]];
        Settings::saveInput(['version' => 's2', 'boxes' => [$box], 'push' => null]);
    }

    private function renderBoxText(): string
    {
        return Settings::listBoxes()['email']['words'];
    }

    public function testShowsABoxInThePagesLanguageOrTheStoresDefault(): void
    {
        $this->addGermanTexts();
        self::assertSame(self::WORDING, $this->renderBoxText());
        $GLOBALS['wp']['locale'] = 'de_AT';
        self::assertSame(self::GERMAN, $this->renderBoxText());
        $GLOBALS['wp']['locale'] = 'fr_FR';
        self::assertSame(['words' => self::WORDING, 'id' => 'w1'], Settings::listBoxes()['email']);
    }

    public function testPrefersTheLanguageOfATranslationPlugin(): void
    {
        $this->addGermanTexts();
        add_filter('wpml_current_language', static function (): string {
            return 'de';
        });
        self::assertSame(self::GERMAN, $this->renderBoxText());
    }

    public function testSendsATickWithTheTextOfTheBox(): void
    {
        $this->addGermanTexts();
        $GLOBALS['wp']['locale'] = 'de_DE';
        $GLOBALS['wp']['isCheckout'] = true;
        do_action('woocommerce_init');
        do_action('wp');
        // The request of the checkout's script is in the shop's own language.
        $GLOBALS['wp']['locale'] = 'en_US';
        $GLOBALS['wp']['isAjax'] = true;
        WC()->cart->add_to_cart(self::TEA, 1);
        do_action('woocommerce_set_additional_field_value', 'recoup/consent-email', true, 'other', null);
        $this->endRequest();
        self::assertSame(['isGiven' => true, 'id' => 'w2', 'wording' => self::GERMAN], $this->lastEntry()['consent']['email']);
        self::assertSame(['email' => 'w2'], $this->lastEntry()['boxes']);
    }

    public function testSendsTheTextOfTheBlockCheckoutsLabels(): void
    {
        $this->addGermanTexts();
        $GLOBALS['wp']['isCheckout'] = true;
        $GLOBALS['wp']['locale'] = 'de_DE';
        do_action('woocommerce_init');
        self::assertSame(self::GERMAN, $GLOBALS['wp']['fields']['recoup/consent-email']['label']);
        // The page's language is known only now.
        $GLOBALS['wp']['locale'] = 'en_US';
        do_action('wp');
        $GLOBALS['wp']['isAjax'] = true;
        WC()->cart->add_to_cart(self::TEA, 1);
        do_action('woocommerce_set_additional_field_value', 'recoup/consent-email', true, 'other', null);
        $this->endRequest();
        self::assertSame('w2', $this->lastEntry()['consent']['email']['id']);
    }

    public function testSendsEachTabsOwnTextForTwoTabsInTwoLanguages(): void
    {
        $this->addGermanTexts();
        WC()->cart->add_to_cart(self::TEA, 1);
        $GLOBALS['wp']['isCheckout'] = true;
        foreach (['de_DE' => '/de/kasse/', 'en_US' => '/checkout/?step=1'] as $locale => $page) {
            $GLOBALS['wp']['locale'] = $locale;
            $_SERVER['REQUEST_URI'] = $page;
            do_action('woocommerce_init');
            do_action('wp');
        }
        $_SERVER['REQUEST_URI'] = '/wp-json/wc/store/v1/checkout';
        $GLOBALS['wp']['isAjax'] = true;
        $tick = function (string $from, bool $is): string {
            $_SERVER['HTTP_REFERER'] = $from;
            do_action('woocommerce_set_additional_field_value', 'recoup/consent-email', $is, 'other', null);
            $this->endRequest();
            return $this->lastEntry()['consent']['email']['id'];
        };
        $ids = [$tick('https://shop.example.com/de/kasse/#contact', true), $tick('https://shop.example.com/checkout/?step=1', false)];
        // A request without a Referer uses the last page's language.
        $ids[] = $tick('', true);
        unset($_SERVER['REQUEST_URI'], $_SERVER['HTTP_REFERER']);
        self::assertSame(['w2', 'w1', 'w1'], $ids);
    }

    public function testSendsEachTabsOwnTextForTwoTabsAtOneAddress(): void
    {
        $this->addGermanTexts();
        WC()->cart->add_to_cart(self::TEA, 1);
        $this->endRequest();
        $GLOBALS['wp']['isCheckout'] = true;
        $_SERVER['REQUEST_URI'] = '/checkout/';
        foreach (['de_DE', 'en_US'] as $locale) {
            $GLOBALS['wp']['locale'] = $locale;
            do_action('woocommerce_init');
            do_action('wp');
        }
        $_SERVER['REQUEST_URI'] = '/wp-json/wc/store/v1/checkout';
        $_SERVER['HTTP_REFERER'] = 'https://shop.example.com/checkout/';
        $GLOBALS['wp']['isAjax'] = true;
        $tick = function (?string $boxes, bool $is): ?array {
            $_SERVER['HTTP_RECOUP_BOXES'] = $boxes;
            do_action('woocommerce_set_additional_field_value', 'recoup/consent-email', $is, 'other', null);
            $this->endRequest();
            return $this->lastEntry()['consent']['email'] ?? null;
        };
        $consents = [$tick(null, true), $tick('email=w9', true), $tick('email=w2', true), $tick('email=w1', false), $tick('email=w1', true)];
        unset($_SERVER['REQUEST_URI'], $_SERVER['HTTP_REFERER']);
        self::assertSame([null, null], array_slice($consents, 0, 2), 'the text that the shopper saw is unknown');
        self::assertSame([self::GERMAN, self::WORDING, self::WORDING], array_column(array_slice($consents, 2), 'wording'));
        self::assertSame(['email' => 'w1'], $this->lastEntry()['boxes']);
    }

    public function testSendsTheTextThatTheClassicFormShowed(): void
    {
        $this->addGermanTexts();
        $GLOBALS['wp']['locale'] = 'de_DE';
        ob_start();
        Consent::show();
        self::assertStringContainsString('<input type="hidden" name="recoup_consent_email_wording" value="w2">', (string) ob_get_clean());
        // Another tab has an English page.
        $GLOBALS['wp']['locale'] = 'en_US';
        do_action('wp');
        $_POST = ['recoup_consent_email' => 'yes', 'recoup_consent_email_wording' => 'w2'];
        $order = new WC_Order(71);
        do_action('woocommerce_checkout_create_order', $order, []);
        self::assertSame(self::GERMAN, $order->meta['_recoup_consent_email_wording']);
    }

    public function testIgnoresATickOfATextThatTheStoreNoLongerShows(): void
    {
        $this->addGermanTexts();
        $_POST = ['recoup_consent_email' => 'yes', 'recoup_consent_email_wording' => 'w9'];
        $order = new WC_Order(71);
        do_action('woocommerce_checkout_create_order', $order, []);
        self::assertSame([], $order->meta);
        self::assertFalse(Consent::recordAnswer('email', true, 'w9'));
        self::assertTrue(Consent::recordAnswer('email', true, 'w1'));
        self::assertTrue(Consent::recordAnswer('email', false, 'w9'));
    }

    public function testSendsTheTextThatMyAccountShowed(): void
    {
        $this->addGermanTexts();
        $GLOBALS['wp']['users'][4] = (object) ['user_email' => 'carla@example.com'];
        $_POST = ['recoup_consents' => '1', 'recoup_consent_email' => 'yes', 'recoup_consent_email_wording' => 'w9'];
        do_action('woocommerce_save_account_details', 4);
        self::assertEmpty(get_user_meta(4, '_recoup_consent', true));
        $_POST['recoup_consent_email_wording'] = 'w2';
        do_action('woocommerce_save_account_details', 4);
        self::assertSame(self::GERMAN, get_user_meta(4, '_recoup_consent', true)['email']['wording']);
    }

    public function testIgnoresAThreeLetterLanguageCode(): void
    {
        $this->addGermanTexts();
        foreach (['de_DE_formal' => 'de', 'de-at' => 'de', 'deu' => '', 'den_US' => '', '' => ''] as $locale => $language) {
            $GLOBALS['wp']['locale'] = $locale;
            self::assertSame($language, Language::getCurrent(), $locale);
        }
        self::assertSame(self::WORDING, $this->renderBoxText());
    }

    public function testStoresNoLanguageInAShopWithoutTranslations(): void
    {
        $GLOBALS['wp']['isCheckout'] = true;
        do_action('wp');
        self::assertNull(WC()->session->get('recoup'));
        self::assertSame('en', Language::getCurrent());
    }

    public function testRejectsInvalidLanguages(): void
    {
        $odd = ['DE' => ['words' => 'x', 'id' => 'y'], 'deu' => ['words' => 'x'], 'de' => 'x', 'fr' => ['words' => ''], 5 => ['words' => 'x']];
        foreach ([$odd, 'odd', null] as $languages) {
            Settings::saveInput(['version' => 's3', 'boxes' => [['channel' => 'email', 'words' => self::WORDING, 'id' => 'w1', 'languages' => $languages]], 'push' => null]);
            self::assertFalse(Settings::hasLanguages());
            self::assertSame(self::WORDING, $this->renderBoxText());
        }
    }

    private function reportCart(): array
    {
        WC()->cart->add_to_cart(self::TEA, 1);
        $this->endRequest();
        return array_intersect_key($this->lastEntry(), ['locale' => 1, 'isTranslated' => 1]);
    }

    public function testReportsTheLanguageOfATranslationPlugin(): void
    {
        $GLOBALS['wp']['locale'] = 'de_AT';
        self::assertSame(['locale' => 'de_AT'], $this->reportCart());
        $GLOBALS['TRP_LANGUAGE'] = 'pl_PL';
        self::assertSame(['locale' => 'pl_PL', 'isTranslated' => true], $this->reportCart());
        unset($GLOBALS['TRP_LANGUAGE']);
        add_filter('wpml_current_language', static function (): string {
            return 'fr';
        });
        self::assertSame(['locale' => 'fr', 'isTranslated' => true], $this->reportCart());
    }

    public function testReportsTheLastPagesLanguageFromAScriptRequest(): void
    {
        $this->reportCart();
        $GLOBALS['TRP_LANGUAGE'] = 'nl_NL';
        do_action('wp');
        // The request of the shop's script is in the shop's own language.
        $GLOBALS['TRP_LANGUAGE'] = 'en_US';
        $GLOBALS['wp']['isAjax'] = true;
        self::assertSame(['locale' => 'nl_NL', 'isTranslated' => true], $this->reportCart());
        unset($GLOBALS['TRP_LANGUAGE']);
    }

    public function testIgnoresWhatIsNoLanguage(): void
    {
        foreach (['all', '<b>', '', str_repeat('de_', 20), ['de'], 5] as $odd) {
            $GLOBALS['TRP_LANGUAGE'] = $odd;
            self::assertSame(['locale' => 'en_US'], $this->reportCart());
        }
        unset($GLOBALS['TRP_LANGUAGE']);
    }

    /** Last in this file: it loads Polylang for all tests that follow. */
    public function testUsesPolylangsLocaleInsteadOfItsSlug(): void
    {
        $this->addGermanTexts();
        require_once __DIR__ . '/translation-plugin/polylang.php';
        $GLOBALS['wp']['polylang'] = ['slug' => 'franconian', 'locale' => 'de_DE'];
        self::assertSame(self::GERMAN, $this->renderBoxText());
        $GLOBALS['wp']['polylang'] = ['slug' => 'de', 'locale' => 'fr_FR'];
        self::assertSame(self::WORDING, $this->renderBoxText());
        self::assertSame(['locale' => 'fr_FR', 'isTranslated' => true], $this->reportCart());
    }
}
