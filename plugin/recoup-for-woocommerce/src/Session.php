<?php

namespace Recoup\WooCommerce;

/** What we keep with the shopper's session in WooCommerce: the cart's token, the way back, what was typed and said. */
final class Session
{
    private const KEY = 'recoup';
    private const COOKIE = 'recoup_cart';

    public static function isThere(): bool
    {
        return function_exists('WC') && isset(WC()->session, WC()->cart) && is_object(WC()->session) && is_object(WC()->cart);
    }

    public static function all(): array
    {
        $all = self::isThere() ? WC()->session->get(self::KEY) : null;
        return is_array($all) ? $all : [];
    }

    /** @return mixed */
    public static function get(string $name, $otherwise = null)
    {
        $all = self::all();
        return $all[$name] ?? $otherwise;
    }

    /** @param mixed $value null: forgotten */
    public static function put(string $name, $value): void
    {
        if (!self::isThere()) {
            return;
        }
        $all = self::all();
        if ($value === null) {
            unset($all[$name]);
        } else {
            $all[$name] = $value;
        }
        WC()->session->set(self::KEY, $all === [] ? null : $all);
    }

    /** The cart's token, made with its first line. */
    public static function cart(): string
    {
        $known = self::get('cart', '');
        return is_string($known) && preg_match('/^[\w-]{32}$/D', $known) ? $known : '';
    }

    public static function cartOrNew(): string
    {
        $known = self::cart();
        if ($known !== '') {
            return $known;
        }
        $fresh = Text::token(24);
        self::put('cart', $fresh);
        return $fresh;
    }

    /** An order was placed: what comes now is another cart. Consents said and the address stay with the order, and the page is in the same language. */
    public static function startAnew(): void
    {
        if (self::isThere()) {
            $kept = array_intersect_key(self::all(), ['language' => 1, 'languages' => 1]);
            WC()->session->set(self::KEY, $kept === [] ? null : $kept);
        }
        self::showCart('');
    }

    /** The push widget, where there is one, ties a subscription to the cart by this cookie. */
    public static function showCart(string $token): void
    {
        if (headers_sent() || !Settings::hasPush() || ($token !== '' && Agreement::toolSays() === false) || Input::cookie(self::COOKIE) === $token) {
            return;
        }
        // Until the browser is closed where nothing lasting may be kept.
        $until = $token === '' ? time() - HOUR_IN_SECONDS : (Agreement::mayName() ? time() + 2 * DAY_IN_SECONDS : 0);
        setcookie(self::COOKIE, $token, ['expires' => $until, 'path' => COOKIEPATH ?: '/', 'secure' => is_ssl(), 'samesite' => 'Lax']);
        $_COOKIE[self::COOKIE] = $token;
    }
}
