<?php

namespace Recoup\WooCommerce;

/** Reads request input as sanitized text; '' if it is missing or no text. Callers check the format. */
final class Input
{
    public static function readQuery(string $name): string
    {
        // phpcs:ignore WordPress.Security.NonceVerification.Recommended -- Links in messages have no nonce; the screen's requests check their nonce or state.
        return isset($_GET[$name]) && is_string($_GET[$name]) ? sanitize_text_field(wp_unslash($_GET[$name])) : '';
    }

    public static function hasQuery(string $name): bool
    {
        // phpcs:ignore WordPress.Security.NonceVerification.Recommended -- As readQuery().
        return isset($_GET[$name]);
    }

    public static function readForm(string $name): string
    {
        // phpcs:ignore WordPress.Security.NonceVerification.Missing -- Checked before: by check_admin_referer() in Screen, in Contact itself, and by WooCommerce for its forms.
        return isset($_POST[$name]) && is_string($_POST[$name]) ? sanitize_text_field(wp_unslash($_POST[$name])) : '';
    }

    public static function hasForm(string $name): bool
    {
        // phpcs:ignore WordPress.Security.NonceVerification.Missing -- As readForm().
        return isset($_POST[$name]);
    }

    /** Returns the id of the consent text that the form showed; '' if the form has none. */
    public static function readWordingId(string $box): string
    {
        return self::readForm($box . '_wording');
    }

    /**
     * The header that assets/blocks.js sends: visible boxes, 'hidden', 'unknown' if it finds none, 'none' during an
     * express payment, which skips them. '': no header.
     */
    public static function readBoxesHeader(): string
    {
        return isset($_SERVER['HTTP_RECOUP_BOXES']) && is_string($_SERVER['HTTP_RECOUP_BOXES'])
            ? sanitize_text_field(wp_unslash($_SERVER['HTTP_RECOUP_BOXES']))
            : '';
    }

    /** Channel => id of the text of each box that the block checkout shows. null: unknown. */
    public static function readBoxes(): ?array
    {
        return in_array(self::readBoxesHeader(), ['', 'unknown'], true) ? null : self::parsePairs(self::readBoxesHeader());
    }

    /** "email=w1abc23,sms=w4de56f" */
    public static function parsePairs(string $text): array
    {
        $pairs = [];
        foreach (array_slice(explode(',', $text), 0, 10) as $each) {
            if (preg_match('/^(' . implode('|', Settings::CHANNELS) . ')=([\w-]{1,40})$/D', $each, $found)) {
                $pairs[$found[1]] = $found[2];
            }
        }
        return $pairs;
    }

    /** @return string[] */
    public static function readFormList(string $name): array
    {
        // phpcs:disable WordPress.Security.NonceVerification.Missing, WordPress.Security.ValidatedSanitizedInput.InputNotSanitized -- As readForm(); each is cleaned below.
        $values = isset($_POST[$name]) && is_array($_POST[$name]) ? array_filter(wp_unslash($_POST[$name]), 'is_string') : [];
        // phpcs:enable WordPress.Security.NonceVerification.Missing, WordPress.Security.ValidatedSanitizedInput.InputNotSanitized
        return array_values(array_map('sanitize_text_field', $values));
    }

    public static function readCookie(string $name): string
    {
        return isset($_COOKIE[$name]) && is_string($_COOKIE[$name]) ? sanitize_text_field(wp_unslash($_COOKIE[$name])) : '';
    }

    /** Path and query of the requested page. */
    public static function readPage(): string
    {
        return isset($_SERVER['REQUEST_URI']) && is_string($_SERVER['REQUEST_URI']) ? esc_url_raw(wp_unslash($_SERVER['REQUEST_URI'])) : '';
    }

    /** Path and query of the referring page; '' without a Referer. */
    public static function readReferer(): string
    {
        $address = isset($_SERVER['HTTP_REFERER']) && is_string($_SERVER['HTTP_REFERER']) ? esc_url_raw(wp_unslash($_SERVER['HTTP_REFERER'])) : '';
        return (string) preg_replace('~^https?://[^/?#]+|#.*$~i', '', $address);
    }

    public static function readUserAgent(): string
    {
        return isset($_SERVER['HTTP_USER_AGENT']) && is_string($_SERVER['HTTP_USER_AGENT']) ? sanitize_text_field(wp_unslash($_SERVER['HTTP_USER_AGENT'])) : '';
    }
}
