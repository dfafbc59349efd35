<?php

namespace Recoup\WooCommerce;

/** Signs calls and answers (docs/plugin-protocol.md, "Signed calls"). Pure functions. */
final class Signature
{
    public const WINDOW_S = 300;

    /** @return array<string, string> headers of a call to Recoup */
    public static function buildHeaders(string $name, string $store, string $key, string $body): array
    {
        $time = (string) time();
        $nonce = bin2hex(random_bytes(16));
        return [
            'Content-Type' => 'application/json',
            'X-Recoup-Store' => $store,
            'X-Recoup-Time' => $time,
            'X-Recoup-Nonce' => $nonce,
            'X-Recoup-Signature' => self::signCall('shop', $name, $store, $time, $nonce, $body, $key),
        ];
    }

    public static function signCall(
        string $direction,
        string $name,
        string $store,
        string $time,
        string $nonce,
        string $body,
        string $key
    ): string {
        $lines = ['v1', $direction, $name, $store, $time, $nonce, $body];
        return hash_hmac('sha256', implode("\n", $lines), $key);
    }

    public static function signAnswer(string $nonce, int $status, string $body, string $key): string
    {
        return hash_hmac('sha256', implode("\n", ['v1', 'answer', $nonce, (string) $status, $body]), $key);
    }
}
