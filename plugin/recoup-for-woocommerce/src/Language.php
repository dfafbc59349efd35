<?php

namespace Recoup\WooCommerce;

/**
 * The language that the boxes are shown in: that of the page, by Polylang, WPML, or WordPress. Requests of the checkout's scripts need not
 * have the page's language, so it is kept with the session: what goes into the ledger are the words that were shown.
 */
final class Language
{
    public static function start(): void
    {
        add_action('wp', Guard::action('language', [self::class, 'note']), 20, 0);
    }

    /** On each page with a checkout. */
    public static function note(): void
    {
        if (!Settings::hasLanguages() || !Session::isThere() || !is_checkout()) {
            return;
        }
        $language = self::ofPage();
        if (Session::get('language') !== $language) {
            Session::put('language', $language);
        }
    }

    public static function current(): string
    {
        $kept = self::isOfScript() && Settings::hasLanguages() ? Session::get('language') : null;
        return is_string($kept) && $kept !== '' ? $kept : self::ofPage();
    }

    private static function isOfScript(): bool
    {
        return (defined('REST_REQUEST') && (bool) constant('REST_REQUEST')) || wp_doing_ajax() || Input::hasQuery('wc-ajax');
    }

    private static function ofPage(): string
    {
        $found = function_exists('pll_current_language') ? pll_current_language() : apply_filters('wpml_current_language', null);
        $locale = is_string($found) && $found !== '' && $found !== 'all' ? $found : determine_locale();
        return strtolower(substr($locale, 0, 2));
    }
}
