<?php

namespace Recoup\WooCommerce;

/**
 * Serves the web push service worker from the shop's own origin and adds the push widget to its pages (decision 75).
 */
final class Worker
{
    public static function start(): void
    {
        add_action('init', Guard::wrapAction('init', [self::class, 'serve']), 0);
        add_action('wp_enqueue_scripts', Guard::wrapAction('push', [self::class, 'enqueue']));
        add_filter('script_loader_tag', Guard::wrapFilter('script_loader_tag', [self::class, 'addAttributes']), 10, 2);
    }

    public static function serve(): void
    {
        if (Input::readQuery('recoup-sw') !== '1') {
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
        echo 'importScripts(' . wp_json_encode(Settings::getPushUrl('worker'), JSON_HEX_TAG | JSON_UNESCAPED_SLASHES) . ");\n";
        exit;
    }

    public static function enqueue(): void
    {
        if (Settings::hasPush()) {
            // phpcs:ignore WordPress.WP.EnqueuedResourceParameters.MissingVersion -- Recoup serves the script and sets its cache headers.
            wp_enqueue_script('recoup-push', Settings::getPushUrl('widget'), [], null, true);
        }
    }

    /**
     * @param mixed $tag
     * @param mixed $handle
     * @return mixed
     */
    public static function addAttributes($tag, $handle = '')
    {
        return $handle === 'recoup-push' && is_string($tag)
            ? str_replace('<script ', '<script data-method="plugin" defer ', $tag)
            : $tag;
    }
}
