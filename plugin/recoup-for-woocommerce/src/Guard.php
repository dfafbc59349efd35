<?php

namespace Recoup\WooCommerce;

/** Everything of ours that the shop calls goes through here: an error of ours never reaches a page of the shop (decision 109). */
final class Guard
{
    public static function action(string $name, callable $callback): callable
    {
        return static function (...$arguments) use ($name, $callback): void {
            self::run($name, $callback, $arguments, null);
        };
    }

    /** After an error the filtered value is what it was. */
    public static function filter(string $name, callable $callback): callable
    {
        return static function (...$arguments) use ($name, $callback) {
            return self::run($name, $callback, $arguments, $arguments[0] ?? null);
        };
    }

    /**
     * After an error the answer is $otherwise.
     *
     * @return mixed
     */
    public static function value(string $name, callable $callback, $fallback)
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
     * WordPress notes which hooks are running, and forgets to take a hook off when a callback throws: afterwards WooCommerce believed
     * itself inside `before_woocommerce_init` and had no cart.
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
            Log::caught($name, $error);
        } catch (\Throwable $other) {
            // The log itself is broken. The shop goes on.
            self::unwindHooks($running);
        }
    }

    /** For whoever wants to know what the plugin costs. */
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
