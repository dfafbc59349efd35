<?php

namespace Recoup\WooCommerce;

/** Starts the plugin's parts. An error in one does not stop the others. */
final class Plugin
{
    public const VERSION = '0.2.0';
    private const MIN_WOOCOMMERCE = '5.0';

    /** @var string */
    private static $file = '';

    public static function start(string $file): void
    {
        self::$file = $file;
        register_activation_hook($file, Guard::wrapAction('activate', [self::class, 'onActivate']));
        register_deactivation_hook($file, Guard::wrapAction('deactivate', [Sender::class, 'unschedule']));
        add_action('before_woocommerce_init', Guard::wrapAction('before_woocommerce_init', [self::class, 'declare']));
        add_action('plugins_loaded', Guard::wrapAction('plugins_loaded', [self::class, 'load']), 20);
    }

    public static function getFile(): string
    {
        return self::$file;
    }

    /**
     * Declares HPOS and the block checkout. It costs 3 ms and a query, so visitors' requests skip it: WooCommerce shows
     * it to administrators only.
     */
    public static function declare(): void
    {
        $class = 'Automattic\\WooCommerce\\Utilities\\FeaturesUtil';
        if (!self::isVisitorRequest() && class_exists($class)) {
            $class::declare_compatibility('custom_order_tables', self::$file, true);
            $class::declare_compatibility('cart_checkout_blocks', self::$file, true);
        }
    }

    private static function isVisitorRequest(): bool
    {
        $isKnown = isset($_COOKIE[LOGGED_IN_COOKIE]) || isset($_SERVER['HTTP_AUTHORIZATION']) || isset($_SERVER['PHP_AUTH_USER']);
        return !$isKnown && !is_admin() && !wp_doing_cron() && !(defined('WP_CLI') && constant('WP_CLI'));
    }

    public static function load(): void
    {
        add_action('init', Guard::wrapAction('textdomain', static function (): void {
            load_plugin_textdomain('recoup-for-woocommerce', false, dirname(plugin_basename(self::$file)) . '/languages');
        }), 1);
        // Also without WooCommerce: WordPress caches an update offer for half a day.
        Guard::wrapAction(Update::class, [Update::class, 'start'])();
        if (!function_exists('WC') || version_compare((string) WC()->version, self::MIN_WOOCOMMERCE, '<')) {
            add_action('admin_notices', Guard::wrapAction('admin_notices', [self::class, 'showRequirement']));
            return;
        }
        $parts = [
            Agreement::class, Language::class, Capture::class, Contact::class, Consent::class, Account::class, Orders::class, Restore::class,
            Worker::class, Wake::class, Health::class, Privacy::class,
        ];
        foreach (is_admin() ? array_merge($parts, [Screen::class]) : $parts as $part) {
            Guard::wrapAction($part, [$part, 'start'])();
        }
        add_action(Sender::TASK, Guard::wrapAction(Sender::TASK, [Sender::class, 'run']));
        add_action(Beat::TASK, Guard::wrapAction(Beat::TASK, [Beat::class, 'run']));
    }

    public static function showRequirement(): void
    {
        if (current_user_can('activate_plugins')) {
            echo '<div class="notice notice-warning"><p>' . esc_html__('Recoup needs WooCommerce 5.0 or newer.', 'recoup-for-woocommerce') . '</p></div>';
        }
    }

    /** Resumes the queue after a deactivation. */
    public static function onActivate(): void
    {
        if (Connection::isConnected()) {
            Outbox::create();
            State::put(['nextBeat' => 0]);
        }
    }
}
