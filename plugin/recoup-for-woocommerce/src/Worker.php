<?php

namespace Recoup\WooCommerce;

/**
 * Serves the web push service worker from the shop's own origin and adds the push widget to its pages (decision 75).
 */
final class Worker
{
    public static function start(): void
    {
        add_action('init', Guard::action('init', [self::class, 'serve']), 0);
        add_action('wp_enqueue_scripts', Guard::action('push', [self::class, 'enqueue']));
        add_filter('script_loader_tag', Guard::filter('script_loader_tag', [self::class, 'tag']), 10, 2);
    }

    public static function serve(): void
    {
        if (Input::query('recoup-sw') !== '1') {
            return;
        }
        if (!defined('DONOTCACHEPAGE')) {
            define('DONOTCACHEPAGE', true);
        }
        nocache_headers();
        header('Content-Type: text/javascript; charset=utf-8');
        header('Service-Worker-Allowed: /');
        header('X-Content-Type-Options: nosniff');
        if (!Settings::hasPush()) {
            status_header(404);
            exit;
        }
        echo 'importScripts(' . wp_json_encode(Settings::pushAddress('worker'), JSON_HEX_TAG | JSON_UNESCAPED_SLASHES) . ");\n";
        exit;
    }

    public static function enqueue(): void
    {
        if (Settings::hasPush()) {
            // phpcs:ignore WordPress.WP.EnqueuedResourceParameters.MissingVersion -- Recoup serves the script and sets its cache headers.
            wp_enqueue_script('recoup-push', Settings::pushAddress('widget'), [], null, true);
        }
    }

    /**
     * @param mixed $tag
     * @param mixed $handle
     * @return mixed
     */
    public static function tag($tag, $handle = '')
    {
        return $handle === 'recoup-push' && is_string($tag)
            ? str_replace('<script ', '<script data-method="plugin" defer ', $tag)
            : $tag;
    }
}
