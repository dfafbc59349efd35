<?php

namespace Recoup\WooCommerce;

/**
 * Writes to WooCommerce → Status → Logs, source "recoup". Log lines contain no names, addresses or tokens (decision
 * 108).
 */
final class Log
{
    public static function recordError(string $where, \Throwable $error): void
    {
        $place = basename($error->getFile()) . ':' . $error->getLine();
        self::write('error', $where . ': ' . get_class($error) . ' at ' . $place);
        State::countDaily('errors', 1);
    }

    public static function warn(string $sentence): void
    {
        self::write('warning', $sentence);
    }

    public static function note(string $sentence): void
    {
        self::write('info', $sentence);
    }

    private static function write(string $level, string $sentence): void
    {
        if (function_exists('wc_get_logger')) {
            wc_get_logger()->log($level, $sentence, ['source' => 'recoup']);
        }
    }
}
