<?php

namespace Recoup\WooCommerce;

/** Everything of ours that the shop calls goes through here: an error of ours never reaches a page of the shop (decision 109). */
final class Guard
{
    public static function action(string $name, callable $work): callable
    {
        return static function (...$given) use ($name, $work): void {
            self::attempt($name, $work, $given, null);
        };
    }

    /** After an error the filtered value is what it was. */
    public static function filter(string $name, callable $work): callable
    {
        return static function (...$given) use ($name, $work) {
            return self::attempt($name, $work, $given, $given[0] ?? null);
        };
    }

    /**
     * After an error the answer is $otherwise.
     *
     * @return mixed
     */
    public static function value(string $name, callable $work, $otherwise)
    {
        return self::attempt($name, $work, [], $otherwise);
    }

    /** @return mixed */
    private static function attempt(string $name, callable $work, array $given, $otherwise)
    {
        $from = hrtime(true);
        $running = self::running();
        try {
            return $work(...$given);
        } catch (\Throwable $error) {
            self::backTo($running);
            self::report($name, $error);
            return $otherwise;
        } finally {
            self::measured($name, hrtime(true) - $from);
        }
    }

    /**
     * WordPress notes which hooks are running, and forgets to take a hook off when a callback throws: afterwards WooCommerce believed
     * itself inside `before_woocommerce_init` and had no cart.
     */
    private static function running(): int
    {
        return is_array($GLOBALS['wp_current_filter'] ?? null) ? count($GLOBALS['wp_current_filter']) : 0;
    }

    private static function backTo(int $running): void
    {
        if (self::running() > $running) {
            array_splice($GLOBALS['wp_current_filter'], $running);
        }
    }

    private static function report(string $name, \Throwable $error): void
    {
        $running = self::running();
        try {
            Log::caught($name, $error);
        } catch (\Throwable $other) {
            // The log itself is broken. The shop goes on.
            self::backTo($running);
        }
    }

    /** For whoever wants to know what the plugin costs. */
    private static function measured(string $name, int $nanoseconds): void
    {
        $running = self::running();
        try {
            do_action('recoup_measured', $name, $nanoseconds);
        } catch (\Throwable $error) {
            self::backTo($running);
        }
    }
}
