<?php

use Recoup\WooCommerce\Language;
use Recoup\WooCommerce\Settings;

/** The boxes in the shopper's language. */
final class LanguageTest extends ShopCase
{
    private const GERMAN = 'Erinnert mich per E-Mail.';

    private function giveGerman(): void
    {
        $box = ['channel' => 'email', 'words' => self::WORDS, 'id' => 'w1', 'languages' => ['de' => ['words' => self::GERMAN, 'id' => 'w2']]];
        Settings::take(['version' => 's2', 'boxes' => [$box], 'push' => null]);
    }

    private function shown(): string
    {
        return Settings::boxes()['email']['words'];
    }

    public function testABoxIsShownInTheLanguageOfThePageAndOtherwiseAsTheStoreSaysIt(): void
    {
        $this->giveGerman();
        self::assertSame(self::WORDS, $this->shown());
        $GLOBALS['wp']['locale'] = 'de_AT';
        self::assertSame(self::GERMAN, $this->shown());
        $GLOBALS['wp']['locale'] = 'fr_FR';
        self::assertSame(['words' => self::WORDS, 'id' => 'w1'], Settings::boxes()['email']);
    }

    public function testTheLanguageOfATranslationPluginComesFirst(): void
    {
        $this->giveGerman();
        add_filter('wpml_current_language', static function (): string {
            return 'de';
        });
        self::assertSame(self::GERMAN, $this->shown());
    }

    public function testATickIsToldWithTheWordsThatWereShown(): void
    {
        $this->giveGerman();
        $GLOBALS['wp']['locale'] = 'de_DE';
        $GLOBALS['wp']['isCheckout'] = true;
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

    public function testAShopWithOneWordingKeepsNoLanguage(): void
    {
        $GLOBALS['wp']['isCheckout'] = true;
        do_action('wp');
        self::assertNull(WC()->session->get('recoup'));
        self::assertSame('en', Language::current());
    }

    public function testWhatIsNoLanguageIsNotTaken(): void
    {
        $odd = ['DE' => ['words' => 'x', 'id' => 'y'], 'deu' => ['words' => 'x'], 'de' => 'x', 'fr' => ['words' => ''], 5 => ['words' => 'x']];
        foreach ([$odd, 'odd', null] as $languages) {
            Settings::take(['version' => 's3', 'boxes' => [['channel' => 'email', 'words' => self::WORDS, 'id' => 'w1', 'languages' => $languages]], 'push' => null]);
            self::assertFalse(Settings::hasLanguages());
            self::assertSame(self::WORDS, $this->shown());
        }
    }
}
