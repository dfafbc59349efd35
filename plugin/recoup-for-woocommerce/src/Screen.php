<?php

namespace Recoup\WooCommerce;

/** The screen WooCommerce → Recoup: connect button, or the status of the connection (decision 103). */
final class Screen
{
    public const PAGE = 'recoup';
    private const CAPABILITY = 'manage_woocommerce';
    private const ACTION = 'recoup_screen';

    public static function start(): void
    {
        add_action('admin_menu', Guard::wrapAction('admin_menu', [self::class, 'addMenu']), 70);
        add_action('admin_post_' . self::ACTION, Guard::wrapAction('admin_post', [self::class, 'handleForm']));
        add_action('admin_init', Guard::wrapAction('admin_init', [self::class, 'handleReturn']));
        $links = Guard::wrapFilter('plugin_action_links', [self::class, 'addSettingsLink']);
        add_filter('plugin_action_links_' . plugin_basename(Plugin::getFile()), $links);
    }

    public static function getUrl(): string
    {
        return admin_url('admin.php?page=' . self::PAGE);
    }

    public static function addMenu(): void
    {
        add_submenu_page('woocommerce', 'Recoup', 'Recoup', self::CAPABILITY, self::PAGE, Guard::wrapAction('screen', [self::class, 'show']));
    }

    /**
     * @param mixed $links
     * @return mixed
     */
    public static function addSettingsLink($links)
    {
        $ours = '<a href="' . esc_url(self::getUrl()) . '">' . esc_html__('Settings', 'recoup-for-woocommerce') . '</a>';
        return is_array($links) ? array_merge([$ours], $links) : $links;
    }

    /** Handles the redirect from Recoup, which carries a code or an error. */
    public static function handleReturn(): void
    {
        Beat::sendIfLate();
        $isReturn = Input::readQuery('page') === self::PAGE && Input::hasQuery('recoup_state');
        if (!$isReturn || !current_user_can(self::CAPABILITY)) {
            return;
        }
        $parameters = [];
        foreach (['recoup_state', 'recoup_code', 'recoup_error'] as $name) {
            $parameters += Input::hasQuery($name) ? [$name => Input::readQuery($name)] : [];
        }
        $why = Connect::finish($parameters);
        self::storeNotice($why === '' ? 'success' : 'error', $why !== '' ? $why : __('The shop is connected.', 'recoup-for-woocommerce'));
        wp_safe_redirect(self::getUrl());
        exit;
    }

    public static function handleForm(): void
    {
        if (!current_user_can(self::CAPABILITY)) {
            wp_die(esc_html__('You are not allowed to do this.', 'recoup-for-woocommerce'), '', ['response' => 403]);
        }
        check_admin_referer(self::ACTION);
        $action = Input::readForm('recoup_do');
        $to = self::getUrl();
        if ($action === 'connect') {
            $to = self::connect();
        } elseif ($action === 'disconnect') {
            self::storeNotice('success', Connect::disconnect('owner')
                ? __('The shop is disconnected. The REST key was deleted.', 'recoup-for-woocommerce')
                : __('The shop is disconnected, and the REST key was deleted. Recoup did not answer: please disconnect the shop there too.', 'recoup-for-woocommerce'));
        } elseif ($action === 'boxes') {
            Connection::save(['shown' => array_values(array_intersect(Settings::CHANNELS, Input::readFormList('recoup_boxes')))] + Connection::readAll());
            self::storeNotice('success', __('Saved.', 'recoup-for-woocommerce'));
        } elseif ($action === 'test') {
            self::sendTestCart();
        }
        self::redirect($to);
    }

    private static function connect(): string
    {
        $typed = Input::readForm('recoup_url');
        $result = Connect::begin($typed);
        if ($result['why'] === '') {
            return $result['to'];
        }
        self::storeNotice('error', $result['why'] . ' ' . __('You can also enter a WooCommerce key in Recoup: Settings → Store.', 'recoup-for-woocommerce'));
        return self::getUrl();
    }

    private static function sendTestCart(): void
    {
        if (!Connection::isConnected()) {
            return;
        }
        Outbox::put('test', ['type' => 'test', 'test' => bin2hex(random_bytes(16))]);
        State::put(['nextTry' => 0]);
        $isSent = Sender::flush(5);
        $problem = $isSent ? Beat::send() : (string) State::get('problem', '');
        self::storeNotice(
            $problem === '' ? 'success' : 'error',
            $problem === '' ? __('Recoup received the test cart.', 'recoup-for-woocommerce') : $problem
        );
    }

    /** Not wp_safe_redirect(): a shop manager typed Recoup's address, which may be on another host. */
    private static function redirect(string $to): void
    {
        wp_redirect($to);
        exit;
    }

    private static function storeNotice(string $kind, string $text): void
    {
        set_transient('recoup_said_' . get_current_user_id(), [$kind, $text], 60);
    }

    private static function showNotice(): void
    {
        $name = 'recoup_said_' . get_current_user_id();
        $notice = get_transient($name);
        if (is_array($notice) && count($notice) === 2) {
            delete_transient($name);
            echo '<div class="notice notice-' . esc_attr($notice[0]) . '"><p>' . esc_html($notice[1]) . '</p></div>';
        }
    }

    public static function show(): void
    {
        echo '<div class="wrap"><h1>Recoup</h1>';
        self::showNotice();
        if (Connection::isConnected()) {
            self::showConnected();
        } else {
            self::showConnect();
        }
        echo '</div>';
    }

    private static function showConnect(): void
    {
        $ended = (string) State::get('ended', '');
        foreach (array_merge(Health::listProblems(), $ended !== '' ? [$ended] : []) as $problem) {
            echo '<div class="notice notice-warning"><p>' . esc_html($problem) . '</p></div>';
        }
        echo '<p>' . esc_html__('Recoup detects abandoned carts, reminds the shoppers and restores the carts. Press Connect, then confirm in Recoup. There is no key to copy.', 'recoup-for-woocommerce') . '</p>';
        self::openForm('connect');
        echo '<table class="form-table" role="presentation"><tr><th scope="row"><label for="recoup_url">'
            . esc_html__('Recoup address', 'recoup-for-woocommerce') . '</label></th><td><input type="text" inputmode="url" class="regular-text" id="recoup_url" name="recoup_url" required value="'
            . esc_attr(Connection::getUrl()) . '" placeholder="https://recoup.example.com"></td></tr></table>';
        echo '<p><button type="submit" class="button button-primary button-hero">' . esc_html__('Connect', 'recoup-for-woocommerce') . '</button></p></form>';
    }

    private static function showConnected(): void
    {
        foreach (Health::listProblems() as $problem) {
            echo '<div class="notice notice-warning inline"><p>' . esc_html($problem) . '</p></div>';
        }
        echo '<table class="widefat striped" style="max-width:60em"><tbody>';
        foreach ([__('Account', 'recoup-for-woocommerce') => Connection::read('account')] + Health::listRows() as $label => $value) {
            echo '<tr><th scope="row" style="width:16em">' . esc_html($label) . '</th><td>' . esc_html($value) . '</td></tr>';
        }
        echo '</tbody></table>';
        self::showBoxes();
        echo '<h2>' . esc_html__('Connection', 'recoup-for-woocommerce') . '</h2><p><a class="button" href="' . esc_url(Connection::getUrl()) . '" target="_blank" rel="noopener">'
            . esc_html__('Open Recoup', 'recoup-for-woocommerce') . '</a></p>';
        self::openForm('test');
        echo '<p><button type="submit" class="button">' . esc_html__('Send a test cart', 'recoup-for-woocommerce') . '</button></p></form>';
        self::openForm('disconnect');
        echo '<p><button type="submit" class="button button-link-delete">' . esc_html__('Disconnect', 'recoup-for-woocommerce') . '</button></p></form>';
    }

    private static function showBoxes(): void
    {
        $names = ['email' => __('Email', 'recoup-for-woocommerce'), 'sms' => 'SMS', 'whatsapp' => 'WhatsApp'];
        $text = Connection::readAll()['settings']['boxes'] ?? [];
        echo '<h2>' . esc_html__('Consent boxes at the checkout', 'recoup-for-woocommerce') . '</h2><p>'
            . esc_html__('They are never ticked in advance. Edit their texts in Recoup: Settings → Consent → Boxes.', 'recoup-for-woocommerce') . '</p>';
        self::openForm('boxes');
        foreach ($names as $channel => $name) {
            echo '<p><label><input type="checkbox" name="recoup_boxes[]" value="' . esc_attr($channel) . '"' . checked(in_array($channel, Settings::listChosenChannels(), true), true, false)
                . '> <strong>' . esc_html($name) . '</strong></label><br><span class="description">' . esc_html($text[$channel]['words'] ?? '') . '</span></p>';
        }
        echo '<p><button type="submit" class="button">' . esc_html__('Save', 'recoup-for-woocommerce') . '</button></p></form>';
    }

    private static function openForm(string $action): void
    {
        echo '<form method="post" action="' . esc_url(admin_url('admin-post.php')) . '">';
        wp_nonce_field(self::ACTION);
        echo '<input type="hidden" name="action" value="' . esc_attr(self::ACTION) . '"><input type="hidden" name="recoup_do" value="' . esc_attr($action) . '">';
    }
}
