<?php

namespace Recoup\WooCommerce;

/**
 * A signed build contains its publisher's public key and accepts only updates signed with the private key. The
 * publisher keeps the private key offline.
 */
final class Publisher
{
    private const MAX_SIGNATURES = 8;

    /** @var string path of the public key file: 32 bytes in base64 */
    private static $file = __DIR__ . '/../signing-key.txt';

    public static function hasKey(): bool
    {
        return is_file(self::$file);
    }

    /**
     * A signature covers the version too, so that an older zip cannot be offered. After a key change both keys sign each
     * update.
     */
    public static function hasSigned(string $version, string $digest, array $signatures): bool
    {
        // phpcs:ignore WordPress.WP.AlternativeFunctions.file_get_contents_file_get_contents -- A file of the plugin itself.
        $key = base64_decode(trim((string) file_get_contents(self::$file)), true);
        if (!is_string($key) || strlen($key) !== 32 || !function_exists('sodium_crypto_sign_verify_detached')) {
            return false;
        }
        foreach (array_slice($signatures, 0, self::MAX_SIGNATURES) as $text) {
            $signature = is_string($text) ? base64_decode($text, true) : false;
            if (is_string($signature) && strlen($signature) === 64 && self::isValid($signature, "recoup-plugin\n" . $version . "\n" . $digest, $key)) {
                return true;
            }
        }
        return false;
    }

    /** WordPress' sodium polyfill throws where PHP's extension returns false. */
    private static function isValid(string $signature, string $text, string $key): bool
    {
        try {
            return sodium_crypto_sign_verify_detached($signature, $text, $key);
        } catch (\Throwable $error) {
            return false;
        }
    }
}
