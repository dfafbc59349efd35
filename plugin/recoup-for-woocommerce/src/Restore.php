<?php

namespace Recoup\WooCommerce;

/** Restores a cart from a message's link, `?recoup-restore=<token>` (decision 107). Never signs a user in. */
final class Restore
{
    public const ARGUMENT = 'recoup-restore';
    private const CHOICE = 'recoup-use';
    private const TIMEOUT_S = 6;
    /** Unknown links from one network in ten minutes before further ones are refused without a call to Recoup. */
    private const MAX_UNKNOWN = 10;
    private const WINDOW_S = 600;

    public static function start(): void
    {
        add_action('template_redirect', Guard::wrapAction('template_redirect', [self::class, 'handleRequest']), 1);
    }

    public static function handleRequest(): void
    {
        if (!Input::hasQuery(self::ARGUMENT) || !Connection::isConnected() || !Session::isAvailable()) {
            return;
        }
        if (!defined('DONOTCACHEPAGE')) {
            define('DONOTCACHEPAGE', true);
        }
        nocache_headers();
        $token = Input::readQuery(self::ARGUMENT);
        $target = self::getShopUrl();
        try {
            $target = preg_match('/^[\w-]{43}$/D', $token) ? self::restoreCart($token) : null;
        } catch (\Throwable $error) {
            Log::recordError('restore', $error);
            self::addNotice(__('Your cart could not be restored. Please choose your items again.', 'recoup-for-woocommerce'), 'notice');
        }
        if ($target === null) {
            self::showNotFound();
        }
        wp_safe_redirect($target);
        exit;
    }

    /** Shows 404 without starting a session: unknown links must not store anything. */
    private static function showNotFound(): void
    {
        wp_die(
            '<p>' . esc_html__('This link is incomplete, has expired, or belongs to another shop.', 'recoup-for-woocommerce') . '</p>',
            esc_html__('This link does not work', 'recoup-for-woocommerce'),
            ['response' => 404, 'link_url' => esc_url(self::getShopUrl()), 'link_text' => esc_html__('Go to the shop', 'recoup-for-woocommerce')]
        );
    }

    /** Returns the redirect target; null: the link is unknown. */
    private static function restoreCart(string $token): ?string
    {
        if (self::isCurrentCartChosen($token)) {
            return wc_get_cart_url();
        }
        $network = 'recoup_unknown_' . Snapshot::hashNetwork();
        $unknown = (int) get_transient($network);
        if ($unknown >= self::MAX_UNKNOWN) {
            return null;
        }
        $answer = Api::call('restore', ['token' => $token], self::TIMEOUT_S);
        Sender::onAnswer($answer);
        if ($answer->hasStatus(404)) {
            set_transient($network, $unknown + 1, self::WINDOW_S);
            return null;
        }
        if (!$answer->isOk() || !is_array($answer->body['lines'] ?? null)) {
            self::addNotice(__('Your cart could not be restored just now. Please try the link again in a few minutes.', 'recoup-for-woocommerce'), 'notice');
            return wc_get_cart_url();
        }
        if (!empty($answer->body['isOrdered'])) {
            self::addNotice(__('You have already ordered this cart.', 'recoup-for-woocommerce'), 'notice');
            return self::getShopUrl();
        }
        return self::fillCart($token, $answer->body);
    }

    private static function fillCart(string $token, array $saved): string
    {
        $refill = new Refill($saved['lines']);
        $mayReplace = self::isSavedCartChosen($token);
        if (!$mayReplace && $refill->wouldLoseItems()) {
            self::rememberEmail($saved);
            self::askWhichCart($token);
            return wc_get_cart_url();
        }
        if (!WC()->session->has_session()) {
            WC()->session->set_customer_session_cookie(true);
        }
        self::linkSession($token);
        $refill->fill($mayReplace);
        self::prefillEmail($saved);
        self::applyCoupon($saved['coupon'] ?? null);
        self::showResult($refill);
        return WC()->cart->is_empty() ? wc_get_cart_url() : wc_get_checkout_url();
    }

    /** Links this session to the restored cart until an order is placed. */
    private static function linkSession(string $token): void
    {
        if (Session::get('back') !== $token) {
            Session::put('back', $token);
        }
    }

    /**
     * Recoup returns the email only once per token. The session keeps it until the shopper presses "Use the saved
     * cart".
     */
    private static function rememberEmail(array $saved): void
    {
        if (is_string($saved['email'] ?? null)) {
            Session::put('email', $saved['email']);
        }
    }

    private static function prefillEmail(array $saved): void
    {
        $email = is_string($saved['email'] ?? null) ? $saved['email'] : Session::get('email', '');
        Session::put('email', null);
        $isKnown = is_user_logged_in() || !is_object(WC()->customer) || WC()->customer->get_billing_email() !== '';
        if (!$isKnown && is_email($email)) {
            WC()->customer->set_billing_email($email);
            /* translators: %s: an email address */
            self::addNotice(sprintf(__('The checkout has %s as your email address. Please change it there if this is not yours.', 'recoup-for-woocommerce'), $email), 'notice');
            WC()->customer->save();
            Capture::onCartChanged();
        }
    }

    /** @param mixed $code */
    private static function applyCoupon($code): void
    {
        if (!is_string($code) || $code === '' || WC()->cart->is_empty() || WC()->cart->has_discount($code)) {
            return;
        }
        $before = wc_get_notices();
        $isApplied = WC()->cart->apply_coupon(wc_format_coupon_code($code));
        wc_set_notices($before);
        if (!$isApplied) {
            /* translators: %s: the code of a coupon */
            self::addNotice(sprintf(__('The coupon %s cannot be used with this cart.', 'recoup-for-woocommerce'), $code), 'notice');
        }
    }

    private static function showResult(Refill $refill): void
    {
        $unavailable = $refill->listUnavailable();
        if ($unavailable !== []) {
            /* translators: %s: names of products */
            self::addNotice(sprintf(__('No longer available: %s.', 'recoup-for-woocommerce'), implode(', ', $unavailable)), 'notice');
        }
        $reduced = $refill->listReduced();
        if ($reduced !== []) {
            /* translators: %s: names of products */
            self::addNotice(sprintf(__('Fewer are left than before: %s.', 'recoup-for-woocommerce'), implode(', ', $reduced)), 'notice');
        }
        $again = $refill->listToChoose();
        if ($again !== []) {
            /* translators: %s: names of products */
            self::addNotice(sprintf(__('Please choose these again: %s.', 'recoup-for-woocommerce'), implode(', ', $again)), 'notice');
        }
        if (!WC()->cart->is_empty() && $unavailable === [] && $reduced === [] && $again === []) {
            self::addNotice(__('Your cart is back.', 'recoup-for-woocommerce'), 'success');
        }
    }

    /** Asks before replacing a cart that holds other items. */
    private static function askWhichCart(string $token): void
    {
        $link = static function (string $choice, string $message) use ($token): string {
            $arguments = [
                self::ARGUMENT => $token,
                self::CHOICE => $choice,
                '_wpnonce' => wp_create_nonce(self::CHOICE . $token),
            ];
            return '<a class="button wc-forward" href="' . esc_url(add_query_arg($arguments, home_url('/'))) . '">' . esc_html($message) . '</a>';
        };
        self::addNotice(
            esc_html__('There are other items in your cart.', 'recoup-for-woocommerce') . ' '
                . $link('1', __('Use the saved cart', 'recoup-for-woocommerce')) . ' '
                . $link('0', __('Keep this one', 'recoup-for-woocommerce')),
            'notice',
            true
        );
    }

    private static function isCurrentCartChosen(string $token): bool
    {
        return self::readChoice($token) === '0';
    }

    private static function isSavedCartChosen(string $token): bool
    {
        return self::readChoice($token) === '1';
    }

    private static function readChoice(string $token): string
    {
        return wp_verify_nonce(Input::readQuery('_wpnonce'), self::CHOICE . $token) ? Input::readQuery(self::CHOICE) : '';
    }

    private static function getShopUrl(): string
    {
        $shop = wc_get_page_permalink('shop');
        return $shop ?: home_url('/');
    }

    private static function addNotice(string $message, string $kind, bool $isHtml = false): void
    {
        if (!WC()->session->has_session()) {
            WC()->session->set_customer_session_cookie(true);
        }
        wc_add_notice($isHtml ? $message : esc_html($message), $kind);
    }
}
