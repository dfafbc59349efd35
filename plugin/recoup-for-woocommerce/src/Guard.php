<?php

namespace Recoup\WooCommerce;

/** Wraps every callback of the plugin, so that its errors never break a page of the shop (decision 109). */
final class Guard
{
    public static function wrapAction(string $name, callable $callback): callable
    {
        return static function (...$arguments) use ($name, $callback): void {
            self::run($name, $callback, $arguments, null);
        };
    }

    /** After an error the filter returns its first argument unchanged. */
    public static function wrapFilter(string $name, callable $callback): callable
    {
        return static function (...$arguments) use ($name, $callback) {
            return self::run($name, $callback, $arguments, $arguments[0] ?? null);
        };
    }

    /**
     * After an error it returns $fallback.
     *
     * @return mixed
     */
    public static function runOrDefault(string $name, callable $callback, $fallback)
    {
        return self::run($name, $callback, [], $fallback);
    }

    /** @return mixed */
    private static function run(string $name, callable $callback, array $arguments, $fallback)
    {
        $startedAt = hrtime(true);
        $running = self::countRunningHooks();
        try {
            return $callback(...$arguments);
        } catch (\Throwable $error) {
            self::unwindHooks($running);
            self::logError($name, $error);
            return $fallback;
        } finally {
            self::reportDuration($name, hrtime(true) - $startedAt);
        }
    }

    /**
     * WordPress does not remove a hook from its stack of running hooks when a callback throws. WooCommerce then
     * believes that `before_woocommerce_init` still runs, and creates no cart.
     */
    private static function countRunningHooks(): int
    {
        return is_array($GLOBALS['wp_current_filter'] ?? null) ? count($GLOBALS['wp_current_filter']) : 0;
    }

    private static function unwindHooks(int $running): void
    {
        if (self::countRunningHooks() > $running) {
            array_splice($GLOBALS['wp_current_filter'], $running);
        }
    }

    private static function logError(string $name, \Throwable $error): void
    {
        $running = self::countRunningHooks();
        try {
            Log::recordError($name, $error);
        } catch (\Throwable $other) {
            // Logging failed. The request continues.
            self::unwindHooks($running);
        }
    }

    /** Lets other code measure the plugin's cost. */
    private static function reportDuration(string $name, int $nanoseconds): void
    {
        $running = self::countRunningHooks();
        try {
            do_action('recoup_measured', $name, $nanoseconds);
        } catch (\Throwable $error) {
            self::unwindHooks($running);
        }
    }
}
