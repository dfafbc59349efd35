<?php

namespace Recoup\WooCommerce;

/** The plugin's part of the WooCommerce session: cart token, restore token, consent answers and the page language. */
final class Session
{
    private const KEY = 'recoup';
    private const COOKIE = 'recoup_cart';

    public static function isAvailable(): bool
    {
        return function_exists('WC') && isset(WC()->session, WC()->cart) && is_object(WC()->session) && is_object(WC()->cart);
    }

    public static function readAll(): array
    {
        $all = self::isAvailable() ? WC()->session->get(self::KEY) : null;
        return is_array($all) ? $all : [];
    }

    /** @return mixed */
    public static function get(string $name, $otherwise = null)
    {
        $all = self::readAll();
        return $all[$name] ?? $otherwise;
    }

    /** @param mixed $value null removes it */
    public static function put(string $name, $value): void
    {
        if (!self::isAvailable()) {
            return;
        }
        $all = self::readAll();
        if ($value === null) {
            unset($all[$name]);
        } else {
            $all[$name] = $value;
        }
        WC()->session->set(self::KEY, $all === [] ? null : $all);
    }

    /** Returns the cart's token; '' before the cart has its first line. */
    public static function getCartToken(): string
    {
        $stored = self::get('cart', '');
        return is_string($stored) && preg_match('/^[\w-]{32}$/D', $stored) ? $stored : '';
    }

    public static function getOrCreateCartToken(): string
    {
        $stored = self::getCartToken();
        if ($stored !== '') {
            return $stored;
        }
        $fresh = Text::createToken(24);
        self::put('cart', $fresh);
        return $fresh;
    }

    /**
     * Starts a new cart after an order. Consents and contact stay with the order; the page language stays in the
     * session.
     */
    public static function startNewCart(): void
    {
        if (self::isAvailable()) {
            $remaining = array_intersect_key(self::readAll(), ['language' => 1, 'languages' => 1, 'locale' => 1]);
            WC()->session->set(self::KEY, $remaining === [] ? null : $remaining);
        }
        self::showCart('');
    }

    /** Sets the cookie by which the push widget links a subscription to the cart. */
    public static function showCart(string $token): void
    {
        if (headers_sent() || !Settings::hasPush() || ($token !== '' && Agreement::getToolConsent() === false) || Input::readCookie(self::COOKIE) === $token) {
            return;
        }
        // A session cookie unless the shopper may be identified.
        $until = $token === '' ? time() - HOUR_IN_SECONDS : (Agreement::mayName() ? time() + 2 * DAY_IN_SECONDS : 0);
        setcookie(self::COOKIE, $token, ['expires' => $until, 'path' => COOKIEPATH ?: '/', 'secure' => is_ssl(), 'samesite' => 'Lax']);
        $_COOKIE[self::COOKIE] = $token;
    }
}
