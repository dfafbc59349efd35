<?php

namespace Recoup\WooCommerce;

/**
 * State of the queue and the beat. Only cron, admin screens and the shutdown after a response use it, never page
 * rendering.
 */
final class State
{
    public const OPTION = 'recoup_state';

    /** @return mixed */
    public static function get(string $name, $default = null)
    {
        $all = get_option(self::OPTION, []);
        return is_array($all) && array_key_exists($name, $all) ? $all[$name] : $default;
    }

    public static function put(array $changes): void
    {
        $all = get_option(self::OPTION, []);
        update_option(self::OPTION, $changes + (is_array($all) ? $all : []), false);
    }

    /** Keeps the counts of today and yesterday, enough for "in the last 24 hours". */
    public static function countDaily(string $counter, int $amount): void
    {
        $today = gmdate('Y-m-d');
        $days = self::get($counter, []);
        $days = is_array($days) ? $days : [];
        $recent = array_intersect_key($days, [$today => 1, gmdate('Y-m-d', time() - DAY_IN_SECONDS) => 1]);
        $recent[$today] = (int) ($recent[$today] ?? 0) + $amount;
        self::put([$counter => $recent]);
    }

    public static function readDailyCount(string $counter): int
    {
        $days = self::get($counter, []);
        $since = gmdate('Y-m-d', time() - DAY_IN_SECONDS);
        $sum = 0;
        foreach (is_array($days) ? $days : [] as $day => $count) {
            $sum += $day >= $since ? (int) $count : 0;
        }
        return $sum;
    }
}
