<?php

namespace Recoup\WooCommerce;

/** Health of the connection on the shop's side (decision 108), for Recoup, WooCommerce → Status and Site Health. */
final class Health
{
    public static function start(): void
    {
        $status = Guard::wrapAction('woocommerce_system_status_report', [self::class, 'showStatus']);
        add_action('woocommerce_system_status_report', $status, 20, 0);
        add_filter('site_status_tests', Guard::wrapFilter('site_status_tests', [self::class, 'addTest']));
    }

    public static function read(): array
    {
        $sentAt = (int) State::get('sentAt', 0);
        $cronAt = (int) State::get('cronAt', 0);
        return [
            'woocommerce' => WC()->version,
            'wordpress' => get_bloginfo('version'),
            'php' => PHP_VERSION,
            'home' => Connection::getHomeUrl(),
            'queue' => Outbox::count(),
            'oldestS' => Outbox::readOldestAgeS(),
            'lastSentS' => $sentAt > 0 ? max(0, time() - $sentAt) : null,
            'droppedDay' => State::readDailyCount('dropped'),
            'errorsDay' => State::readDailyCount('errors'),
            'cronS' => $cronAt > 0 ? max(0, time() - $cronAt) : null,
            'isCronDisabled' => defined('DISABLE_WP_CRON') && (bool) constant('DISABLE_WP_CRON'),
            'isBlocked' => Api::isBlocked(Connection::getUrl()),
            'checkout' => self::detectCheckout(),
            'isHpos' => self::isHpos(),
            'hasKey' => Keys::exists((int) Connection::read('keyId')),
            'boxes' => array_keys(Settings::listBoxes()),
        ];
    }

    /** Returns 'block', 'classic', 'both' or 'none'. */
    private static function detectCheckout(): string
    {
        $page = get_post((int) wc_get_page_id('checkout'));
        $content = is_object($page) ? (string) $page->post_content : '';
        $isBlock = strpos($content, 'wp:woocommerce/checkout') !== false;
        $isClassic = strpos($content, 'woocommerce_checkout') !== false || strpos($content, 'wp:woocommerce/classic-shortcode') !== false;
        if ($isBlock && $isClassic) {
            return 'both';
        }
        return $isBlock ? 'block' : ($isClassic ? 'classic' : 'none');
    }

    private static function isHpos(): bool
    {
        $class = 'Automattic\\WooCommerce\\Utilities\\OrderUtil';
        return class_exists($class) && $class::custom_orders_table_usage_is_enabled();
    }

    /** Lists problems as sentences for the owner. */
    public static function listProblems(): array
    {
        if (Connection::isCopy()) {
            /* translators: %s: the address of a shop */
            return [sprintf(__('This is a copy of %s. It sends nothing to Recoup until you connect it.', 'recoup-for-woocommerce'), Connection::read('home'))];
        }
        if (!Connection::exists()) {
            return [];
        }
        $problems = [];
        if (Api::isBlocked(Connection::getUrl())) {
            $problems[] = __('WordPress blocks calls to Recoup: WP_HTTP_BLOCK_EXTERNAL is set. Add Recoup’s host to WP_ACCESSIBLE_HOSTS.', 'recoup-for-woocommerce');
        }
        $problem = (string) State::get('problem', '') ?: (string) State::get('beatProblem', '');
        if ($problem !== '') {
            $problems[] = $problem;
        }
        if ((string) get_option('permalink_structure') === '') {
            $problems[] = __('Permalinks are set to “Plain”, so Recoup cannot read products, customers and coupons. Choose “Post name” under Settings → Permalinks.', 'recoup-for-woocommerce');
        }
        if (!Keys::exists((int) Connection::read('keyId'))) {
            $problems[] = __('The REST key of Recoup was deleted in WooCommerce. Please connect again.', 'recoup-for-woocommerce');
        }
        $oldest = Outbox::readOldestAgeS();
        if ($oldest > HOUR_IN_SECONDS) {
            /* translators: 1: number of carts and orders, 2: hours */
            $problems[] = sprintf(__('%1$d carts and orders are waiting to be sent, the oldest for %2$d hours.', 'recoup-for-woocommerce'), Outbox::count(), (int) ($oldest / HOUR_IN_SECONDS));
        }
        if (time() - (int) State::get('cronAt', time()) > 6 * HOUR_IN_SECONDS) {
            $problems[] = __('The scheduled tasks of WordPress (WP-Cron) have not run for six hours. Ask your host to call wp-cron.php every minute.', 'recoup-for-woocommerce');
        }
        $unsigned = Update::findUnsignedVersion();
        if ($unsigned !== '') {
            /* translators: %s: a version such as 1.2.0 */
            $problems[] = sprintf(__('Version %s of this plugin has no valid publisher signature, so it is not installed. Ask the operator of your Recoup.', 'recoup-for-woocommerce'), $unsigned);
        }
        return $problems;
    }

    /** @return array<string, string> label => value */
    public static function listRows(): array
    {
        $rows = [__('Version', 'recoup-for-woocommerce') => Plugin::VERSION];
        if (!Connection::exists()) {
            return $rows + [__('Connected', 'recoup-for-woocommerce') => __('No', 'recoup-for-woocommerce')];
        }
        $sentAt = (int) State::get('sentAt', 0);
        return $rows + [
            __('Connected', 'recoup-for-woocommerce') => Connection::getUrl(),
            __('Last cart or order sent', 'recoup-for-woocommerce') => $sentAt > 0
                /* translators: %s: a time such as "5 minutes" */
                ? sprintf(__('%s ago', 'recoup-for-woocommerce'), human_time_diff($sentAt))
                : __('None yet', 'recoup-for-woocommerce'),
            __('Waiting to be sent', 'recoup-for-woocommerce') => (string) Outbox::count(),
            __('Recoup reaches this shop', 'recoup-for-woocommerce') => self::describeReach(),
            __('Errors in the last 24 hours', 'recoup-for-woocommerce') => (string) State::readDailyCount('errors'),
        ];
    }

    private static function describeReach(): string
    {
        $reach = State::get('reach');
        if (!is_array($reach)) {
            return __('Not checked yet', 'recoup-for-woocommerce');
        }
        return !empty($reach['isReached'])
            ? __('Yes', 'recoup-for-woocommerce')
            : trim(__('No', 'recoup-for-woocommerce') . '. ' . self::localizeReason((string) $reach['reason']));
    }

    /** Recoup's reasons are in English. Screens in other languages refer to Recoup's settings instead. */
    private static function localizeReason(string $sentence): string
    {
        $isEnglish = strncmp(determine_locale(), 'en', 2) === 0;
        return $sentence === '' || $isEnglish ? $sentence : __('The reason is in Recoup under Settings → Store.', 'recoup-for-woocommerce');
    }

    public static function showStatus(): void
    {
        echo '<table class="wc_status_table widefat" cellspacing="0"><thead><tr><th colspan="3" data-export-label="Recoup"><h2>Recoup</h2></th></tr></thead><tbody>';
        foreach (self::listRows() as $label => $value) {
            echo '<tr><td data-export-label="' . esc_attr($label) . '">' . esc_html($label) . ':</td><td class="help"></td><td>' . esc_html($value) . '</td></tr>';
        }
        foreach (self::listProblems() as $problem) {
            echo '<tr><td></td><td class="help"></td><td><mark class="error"><span class="dashicons dashicons-warning"></span> ' . esc_html($problem) . '</mark></td></tr>';
        }
        echo '</tbody></table>';
    }

    /**
     * @param mixed $tests
     * @return mixed
     */
    public static function addTest($tests)
    {
        if (is_array($tests)) {
            $tests['direct']['recoup'] = ['label' => 'Recoup', 'test' => [self::class, 'runTest']];
        }
        return $tests;
    }

    public static function runTest(): array
    {
        $unknown = __('Recoup could not check this shop. Find the error under WooCommerce → Status → Logs.', 'recoup-for-woocommerce');
        $problems = Guard::runOrDefault('site_status_test', [self::class, 'listProblems'], [$unknown]);
        $hasNoProblems = $problems === [];
        [$label, $sentence] = self::describeHealthy();
        return [
            'label' => $hasNoProblems ? $label : __('Recoup needs attention', 'recoup-for-woocommerce'),
            'status' => $hasNoProblems ? 'good' : 'recommended',
            'badge' => ['label' => 'WooCommerce', 'color' => $hasNoProblems ? 'blue' : 'orange'],
            'description' => '<p>' . implode('</p><p>', array_map('esc_html', $hasNoProblems ? [$sentence] : $problems)) . '</p>',
            'actions' => '<p><a href="' . esc_url(Screen::getUrl()) . '">' . esc_html__('Open Recoup', 'recoup-for-woocommerce') . '</a></p>',
            'test' => 'recoup',
        ];
    }

    /** @return string[] title and sentence of Site Health when there is no problem */
    private static function describeHealthy(): array
    {
        if (!Connection::exists()) {
            return [__('Recoup is not connected', 'recoup-for-woocommerce'), __('The shop is not connected to Recoup yet.', 'recoup-for-woocommerce')];
        }
        if ((int) State::get('sentAt', 0) === 0) {
            return [__('Recoup is connected', 'recoup-for-woocommerce'), __('No cart or order has been sent to Recoup yet.', 'recoup-for-woocommerce')];
        }
        return [__('Recoup works', 'recoup-for-woocommerce'), __('Carts and orders reach Recoup.', 'recoup-for-woocommerce')];
    }
}
