<?php

namespace Recoup\WooCommerce;

/** Cleans the shop's text for the protocol: valid UTF-8, no control characters, a maximum length. */
final class Text
{
    public const MAX_LENGTH = 300;

    /** @param mixed $value */
    public static function toPlain($value, int $maxLength = self::MAX_LENGTH): string
    {
        if (!is_scalar($value)) {
            return '';
        }
        $text = wp_check_invalid_utf8((string) $value, true);
        $text = html_entity_decode($text, ENT_QUOTES | ENT_HTML5, 'UTF-8');
        $text = trim((string) preg_replace('/[\x00-\x1F\x7F]+/u', ' ', $text));
        return self::cut($text, $maxLength);
    }

    /** Uses a regular expression because some hosts lack mbstring. */
    public static function cut(string $text, int $maxLength): string
    {
        $isMatch = preg_match('/^.{0,' . $maxLength . '}/us', $text, $found);
        return $isMatch ? $found[0] : '';
    }

    public static function base64url(string $bytes): string
    {
        return rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
    }

    public static function createToken(int $bytes): string
    {
        return self::base64url(random_bytes($bytes));
    }
}
