<?php

namespace Recoup\WooCommerce;

/**
 * The language of the page, from Polylang, WPML, TranslatePress or WordPress: for the consent boxes, and for what Recoup
 * writes to the shopper. Script requests of the checkout can have another language. The session therefore stores the
 * page's language, so that the consent ledger records the text that was shown.
 */
final class Language
{
    private const MAX_PAGES = 5;
    /** Marks an address that has shown the checkout in two languages. */
    private const SEVERAL_LANGUAGES = '*';

    /** @var string|null language of the block checkout's labels; null: no boxes */
    private static $labelLanguage = null;

    public static function start(): void
    {
        add_action('wp', Guard::wrapAction('language', [self::class, 'rememberPageLanguage']), 20, 0);
    }

    /**
     * Stores the labels' language. WooCommerce reads the labels before some translation plugins know the page's
     * language.
     */
    public static function fixLabels(): void
    {
        self::$labelLanguage = self::getCurrent();
    }

    /** Runs on each page; consent boxes need the language of pages with a checkout. */
    public static function rememberPageLanguage(): void
    {
        self::rememberLocale();
        if (self::isScriptRequest() || !Settings::hasLanguages() || !Session::isAvailable() || !is_checkout()) {
            return;
        }
        $language = self::$labelLanguage ?? self::readPageLanguage();
        $page = self::hashPage(Input::readPage());
        $pages = self::readPages();
        $isOther = isset($pages[$page]) && $pages[$page] !== $language;
        if (Session::get('language') !== $language || ($pages[$page] ?? null) !== $language) {
            Session::put('language', $language);
            Session::put('languages', array_slice([$page => $isOther ? self::SEVERAL_LANGUAGES : $language] + $pages, 0, self::MAX_PAGES));
        }
    }

    private static function readPages(): array
    {
        $pages = Session::get('languages', []);
        return is_array($pages) ? $pages : [];
    }

    private static function hashPage(string $page): string
    {
        return 'p' . substr(hash('sha256', $page), 0, 12);
    }

    public static function getCurrent(): string
    {
        // Two tabs can show the checkout in two languages. The Referer names the page that sent the request.
        $storedLanguage = self::isScriptRequest() && Settings::hasLanguages() ? self::readPages()[self::hashPage(Input::readReferer())] ?? Session::get('language') : null;
        return is_string($storedLanguage) ? $storedLanguage : self::readPageLanguage();
    }

    /**
     * Whether two tabs may show this page's address in two languages. Only the plugin's script knows which tab sent the
     * request.
     */
    public static function isAmbiguous(): bool
    {
        return self::isScriptRequest() && Settings::hasLanguages() && self::getCurrent() === self::SEVERAL_LANGUAGES;
    }

    private static function isScriptRequest(): bool
    {
        return (defined('REST_REQUEST') && (bool) constant('REST_REQUEST')) || wp_doing_ajax() || Input::hasQuery('wc-ajax');
    }

    /**
     * The language of the shopper's page for the report of the cart: what a translation plugin says, else the shop's.
     * Script requests may lack the page's language, so the last page's is stored with the cart.
     */
    public static function readLocale(): array
    {
        $stored = self::isScriptRequest() ? Session::get('locale') : null;
        $translated = is_string($stored) ? $stored : self::readTranslatedLocale();
        return $translated === '' ? ['locale' => determine_locale()] : ['locale' => $translated, 'isTranslated' => true];
    }

    private static function rememberLocale(): void
    {
        $locale = self::isScriptRequest() || Session::getCartToken() === '' ? '' : self::readTranslatedLocale();
        if ($locale !== '' && Session::get('locale') !== $locale) {
            Session::put('locale', $locale);
        }
    }

    /** Polylang, WPML or TranslatePress; '' without them. Uses Polylang's locale because its slugs are free text. */
    private static function readTranslatedLocale(): string
    {
        $found = function_exists('pll_current_language') ? pll_current_language('locale') : null;
        foreach ([$found, apply_filters('wpml_current_language', null), $GLOBALS['TRP_LANGUAGE'] ?? null] as $locale) {
            if (is_string($locale) && $locale !== 'all' && preg_match('/^[a-z]{2,3}([-_]\w+)*$/iD', $locale) && strlen($locale) <= 35) {
                return $locale;
            }
        }
        return '';
    }

    /** Returns two letters; '' for a three-letter code. */
    private static function readPageLanguage(): string
    {
        foreach ([self::readTranslatedLocale(), determine_locale()] as $locale) {
            if (is_string($locale) && preg_match('/^([a-z]{2})(?![a-z])/i', $locale, $code)) {
                return strtolower($code[1]);
            }
        }
        return '';
    }
}
