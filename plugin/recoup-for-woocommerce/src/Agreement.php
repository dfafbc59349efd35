<?php

namespace Recoup\WooCommerce;

/**
 * What may be kept of a shopper before they agree: the owner's setting, what the shop's consent tool has been told (WP Consent API, which
 * Complianz, CookieYes and others speak), and the boxes at the checkout. Recoup holds to the same, whatever is sent.
 */
final class Agreement
{
    private const TOLD = ['allow' => true, 'deny' => false];

    public static function start(): void
    {
        add_action('wp_loaded', Guard::action('wp_loaded', [self::class, 'follow']), 20, 0);
    }

    /** On every page: an answer that was given on this page or on another one is followed. */
    public static function follow(): void
    {
        $said = self::toolSays();
        if ($said === null || !Connection::isUp() || !Session::isThere()) {
            return;
        }
        if ($said && Session::get('agreed') !== true && !WC()->cart->is_empty()) {
            Session::put('agreed', true);
            Capture::changed();
        } elseif (!$said && Session::cart() !== '' && Session::get('agreed') !== false) {
            self::refused();
        }
    }

    /** What waits here of the cart is dropped. What was said at a box stays, so that it can be taken back; a no that waits is told. */
    private static function refused(): void
    {
        Outbox::forget('cart:' . Session::cart());
        if (self::said() === []) {
            Session::startAnew();
            return;
        }
        Session::put('agreed', false);
        Session::showCart('');
        Capture::changed();
    }

    /** null: no answer yet, or no tool. A default is no answer. */
    public static function toolSays(): ?bool
    {
        $marketing = self::told('marketing');
        return self::told('functional') === false ? false : $marketing;
    }

    private static function told(string $category): ?bool
    {
        $prefix = apply_filters('wp_consent_cookie_prefix', 'wp_consent');
        $name = (is_string($prefix) ? $prefix : 'wp_consent') . '_' . $category;
        $value = $_COOKIE[$name] ?? null;
        return is_string($value) ? self::TOLD[$value] ?? null : null;
    }

    /** Whether anything of this cart may be kept: a no at a box is told, too, also after a refusal. */
    public static function mayKeepCart(): bool
    {
        $said = self::toolSays();
        if ($said === false) {
            return in_array(false, array_column(self::said(), 'isGiven'), true);
        }
        return $said === true || Settings::before() !== 'nothing' || self::said() !== [];
    }

    /** Whether all that was typed may be told, and a lasting name of the browser. */
    public static function mayName(): bool
    {
        return self::toolSays() ?? Settings::before() === 'cart_and_contact';
    }

    /** The products, unless all that was said is no. */
    public static function mayTellLines(): bool
    {
        return self::mayName()
            || (self::toolSays() === null && (Settings::before() === 'cart_only' || self::isTicked(Settings::CHANNELS)));
    }

    /** Of the contact, what the ticked boxes are about. */
    public static function contact(array $contact): array
    {
        if (self::mayName() || self::isKnownCustomer()) {
            return $contact;
        }
        if (self::toolSays() === false) {
            return [];
        }
        $kept = array_filter([
            'email' => self::isTicked(['email']) ? $contact['email'] ?? '' : '',
            'phone' => self::isTicked(['sms', 'whatsapp']) ? $contact['phone'] ?? '' : '',
        ], 'strlen');
        return $kept === [] ? [] : $kept + array_diff_key($contact, ['email' => 1, 'phone' => 1]);
    }

    /** Signed in, and has bought here: Recoup keeps their contact where the law allows emails to customers. */
    public static function isKnownCustomer(): bool
    {
        $isBuyer = isset(WC()->customer) && is_object(WC()->customer) && method_exists(WC()->customer, 'get_is_paying_customer')
            && WC()->customer->get_is_paying_customer();
        return Settings::before() === 'cart_only' && self::toolSays() === null && get_current_user_id() > 0 && $isBuyer;
    }

    private static function isTicked(array $channels): bool
    {
        foreach ($channels as $channel) {
            if (self::said()[$channel]['isGiven'] ?? false) {
                return true;
            }
        }
        return false;
    }

    private static function said(): array
    {
        $said = Session::get('consent', []);
        return is_array($said) ? $said : [];
    }
}
