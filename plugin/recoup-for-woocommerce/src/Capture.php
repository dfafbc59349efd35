<?php

namespace Recoup\WooCommerce;

/**
 * Detects cart changes (decision 104). The hooks only set a flag; one snapshot per request is built after the response
 * has been sent. `woocommerce_cart_updated` does not help: it fires on every page.
 */
final class Capture
{
    private const CHANGE_HOOKS = [
        'woocommerce_add_to_cart',
        'woocommerce_cart_item_removed',
        'woocommerce_cart_item_restored',
        'woocommerce_after_cart_item_quantity_update',
        'woocommerce_applied_coupon',
        'woocommerce_removed_coupon',
    ];

    /** @var bool */
    private static $isDirty = false;
    /** @var bool */
    private static $isScheduled = false;
    /** @var bool another class has added an entry to the queue */
    private static $hasQueuedOther = false;

    public static function start(): void
    {
        foreach (self::CHANGE_HOOKS as $hook) {
            add_action($hook, Guard::wrapAction($hook, [self::class, 'onCartChanged']), 99, 0);
        }
        $emptied = Guard::wrapAction('woocommerce_cart_emptied', [self::class, 'onCartEmptied']);
        add_action('woocommerce_cart_emptied', $emptied, 99, 0);
        add_action('wp_login', Guard::wrapAction('wp_login', [self::class, 'onLogin']), 99, 2);
        $typed = Guard::wrapAction('woocommerce_store_api_cart_update_customer_from_request', [self::class, 'onCustomerUpdate']);
        add_action('woocommerce_store_api_cart_update_customer_from_request', $typed, 99, 2);
    }

    public static function onCartChanged(): void
    {
        if (!Session::isAvailable() || !Connection::isConnected() || !Agreement::mayKeepCart()) {
            return;
        }
        if (Session::getCartToken() === '' && WC()->cart->is_empty()) {
            return;
        }
        // Creates the token before WooCommerce saves the session.
        Session::showCart(Session::getOrCreateCartToken());
        self::$isDirty = true;
        self::scheduleFinish();
    }

    /**
     * The block checkout calls this after each field. The cart page's shipping calculator sends a shipping address
     * only. The checkout sends its email address, which is next to the boxes, in the billing address.
     *
     * @param mixed $customer
     * @param mixed $request
     */
    public static function onCustomerUpdate($customer = null, $request = null): void
    {
        if (isset($request['billing_address'])) {
            Consent::recordBlockCheckout();
        }
        self::onCartChanged();
    }

    /** A checkout also empties the cart. Only without an order does an empty cart count as a change. */
    public static function onCartEmptied(): void
    {
        if (Session::get('ordered')) {
            self::$isDirty = false;
            Session::startNewCart();
            return;
        }
        if (Session::getCartToken() !== '') {
            self::onCartChanged();
        }
    }

    /**
     * Adds the customer to the cart in this request, which still has the guest's session. A session write in a later
     * request could overwrite a concurrent change of the shopper.
     *
     * @param mixed $name
     * @param mixed $user
     */
    public static function onLogin($name, $user = null): void
    {
        if (is_object($user) && Session::getCartToken() !== '' && Connection::isConnected() && Agreement::mayKeepCart()) {
            Snapshot::setUser((int) $user->ID);
            self::$isDirty = true;
            self::scheduleFinish();
        }
    }

    /** Runs after WordPress' own shutdown, which saves the session, and even after a fatal error in other code. */
    public static function scheduleFinish(): void
    {
        if (self::$isScheduled) {
            return;
        }
        self::$isScheduled = true;
        register_shutdown_function(static function (): void {
            register_shutdown_function(Guard::wrapAction('shutdown', [self::class, 'finish']));
        });
    }

    public static function finish(): void
    {
        self::$isScheduled = false;
        $canWait = self::finishResponse();
        $hasQueued = Orders::queueChanged() || self::$hasQueuedOther;
        if (self::$isDirty) {
            self::$isDirty = false;
            $hasQueued = self::queueCart() || $hasQueued;
        }
        Consent::setCheckout('');
        if ($hasQueued) {
            Guard::wrapAction('send', [Sender::class, 'sendSoon'])($canWait);
        }
    }

    /** Another class has added an entry to the queue: send it after the response. */
    public static function wake(): void
    {
        self::$hasQueuedOther = true;
        self::scheduleFinish();
    }

    private static function queueCart(): bool
    {
        $entry = Snapshot::buildFromSession();
        if ($entry === null) {
            return false;
        }
        Outbox::put('cart:' . $entry['cart'], $entry);
        return true;
    }

    /** Finishes the response to the shopper now; false if the server cannot do that. */
    public static function finishResponse(): bool
    {
        ignore_user_abort(true);
        foreach (['fastcgi_finish_request', 'litespeed_finish_request'] as $function) {
            if (function_exists($function)) {
                $function();
                return true;
            }
        }
        return PHP_SAPI === 'cli';
    }
}
