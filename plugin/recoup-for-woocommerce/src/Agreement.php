<?php

namespace Recoup\WooCommerce;

/**
 * Decides what may be stored and sent before a shopper consents. Inputs: the owner's setting, the shop's consent tool
 * (WP Consent API, used by Complianz, CookieYes and others), and the boxes at the checkout. Recoup enforces the same
 * rules on what it receives.
 */
final class Agreement
{
    public const ENDPOINT = 'recoup_agreement';
    private const ANSWERS = ['allow' => true, 'deny' => false];

    public static function start(): void
    {
        add_action('wp_loaded', Guard::wrapAction('wp_loaded', [self::class, 'applyToolAnswer']), 20, 0);
        add_action('wp_enqueue_scripts', Guard::wrapAction('agreement', [self::class, 'enqueue']), 10, 0);
        add_action('wc_ajax_' . self::ENDPOINT, Guard::wrapAction('agreement', [self::class, 'confirm']));
    }

    /** Loads consent.js, which sends an answer in the consent tool at once, not with the next page view. */
    public static function enqueue(): void
    {
        if (!Connection::isConnected() || !function_exists('wp_has_consent')) {
            return;
        }
        wp_enqueue_script('recoup-consent', plugins_url('assets/consent.js', Plugin::getFile()), [], Plugin::VERSION, true);
        wp_localize_script('recoup-consent', 'recoupConsentTool', ['url' => \WC_AJAX::get_endpoint(self::ENDPOINT)]);
    }

    /** applyToolAnswer() has already read the answer from the request's cookies. */
    public static function confirm(): void
    {
        nocache_headers();
        wp_send_json(['ok' => true], 200);
    }

    /** Runs on every request and applies the consent tool's current answer to the cart. */
    public static function applyToolAnswer(): void
    {
        $answer = self::getToolConsent();
        if (!Connection::isConnected() || !Session::isAvailable()) {
            return;
        }
        if ($answer === null) {
            self::applyAccountConsent();
        } elseif ($answer && Session::get('agreed') !== true && !WC()->cart->is_empty()) {
            Session::put('agreed', true);
            Capture::onCartChanged();
        } elseif (!$answer && Session::getCartToken() !== '' && Session::get('agreed') !== false) {
            self::applyRefusal();
        }
    }

    /** Applies an account's consent to a cart that was filled before the shopper signed in or consented. */
    private static function applyAccountConsent(): void
    {
        $isNewConsent = Settings::getConsentMode() !== 'cart_and_contact' && Session::get('account') !== true && !WC()->cart->is_empty();
        if ($isNewConsent && self::hasAccountConsent(Settings::CHANNELS)) {
            Session::put('account', true);
            Capture::onCartChanged();
        }
    }

    /**
     * Drops the cart's queued entry. Box answers stay, so that the shopper can withdraw them; a queued withdrawal is
     * still sent.
     */
    private static function applyRefusal(): void
    {
        Outbox::forget('cart:' . Session::getCartToken());
        if (self::readBoxAnswers() === []) {
            Session::startNewCart();
            return;
        }
        Session::put('agreed', false);
        Session::showCart('');
        Capture::onCartChanged();
    }

    /** null: no answer yet, or no tool. A tool's default does not count as an answer. */
    public static function getToolConsent(): ?bool
    {
        $marketing = self::readToolAnswer('marketing');
        return self::readToolAnswer('functional') === false ? false : $marketing;
    }

    private static function readToolAnswer(string $category): ?bool
    {
        return self::ANSWERS[Input::readCookie(self::getCookiePrefix() . '_' . $category)] ?? null;
    }

    /** Returns the prefix of the consent tool's cookies. */
    public static function getCookiePrefix(): string
    {
        $prefix = apply_filters('wp_consent_cookie_prefix', 'wp_consent');
        return is_string($prefix) ? $prefix : 'wp_consent';
    }

    /** Whether any data of this cart may be stored. A withdrawal at a box is sent even after a refusal. */
    public static function mayKeepCart(): bool
    {
        $answer = self::getToolConsent();
        if ($answer === false) {
            return in_array(false, array_column(self::readBoxAnswers(), 'isGiven'), true);
        }
        return $answer === true || Settings::getConsentMode() !== 'nothing' || Consent::listAnswersToSend() !== [] || self::hasAccountConsent(Settings::CHANNELS);
    }

    /** Whether all contact fields and the device id may be sent. */
    public static function mayName(): bool
    {
        return self::getToolConsent() ?? Settings::getConsentMode() === 'cart_and_contact';
    }

    /** Whether the cart's products may be sent. */
    public static function canReportLines(): bool
    {
        return self::mayName()
            || (self::getToolConsent() === null && (Settings::getConsentMode() === 'cart_only' || self::hasConsented(Settings::CHANNELS)));
    }

    /** Filters the contact to the addresses that ticked boxes cover, and a known customer's own email address. */
    public static function filterContact(array $contact): array
    {
        if (self::mayName()) {
            return $contact;
        }
        if (self::getToolConsent() === false) {
            return [];
        }
        $email = (string) ($contact['email'] ?? '');
        $mayKeepEmail = self::coversAddress(['email'], 'email', $contact) || (self::isKnownCustomer() && Account::isOwnEmail(get_current_user_id(), $email));
        $covered = array_filter([
            'email' => $mayKeepEmail ? $email : '',
            'phone' => self::coversAddress(['sms', 'whatsapp'], 'phone', $contact) ? $contact['phone'] ?? '' : '',
        ], 'strlen');
        return $covered === [] ? [] : $covered + array_diff_key($contact, ['email' => 1, 'phone' => 1]);
    }

    /** Signed in and a past buyer. Recoup stores their own email address where the law allows emails to customers. */
    public static function isKnownCustomer(): bool
    {
        $isBuyer = isset(WC()->customer) && is_object(WC()->customer) && method_exists(WC()->customer, 'get_is_paying_customer')
            && WC()->customer->get_is_paying_customer();
        return Settings::getConsentMode() === 'cart_only' && self::getToolConsent() === null && get_current_user_id() > 0 && $isBuyer;
    }

    /** Whether the signed-in customer's id may be sent. */
    public static function mayNameCustomer(): bool
    {
        return self::mayName() || self::isKnownCustomer() || (self::getToolConsent() === null && self::hasAccountConsent(Settings::CHANNELS));
    }

    private static function hasConsented(array $channels): bool
    {
        return self::hasTickedBox($channels) || self::hasAccountConsent($channels);
    }

    /** A tick at the checkout covers the address typed there; a tick in My account covers the account's own address. */
    private static function coversAddress(array $channels, string $kind, array $contact): bool
    {
        $address = (string) ($contact[$kind] ?? '');
        return self::hasTickedBox($channels)
            || (self::hasAccountConsent($channels) && strcasecmp($address, Account::readAddress(get_current_user_id(), $kind)) === 0);
    }

    /** Consented in My account or with an earlier order, and not unticked since. */
    private static function hasAccountConsent(array $channels): bool
    {
        return array_diff(array_intersect($channels, Account::listConsentedChannels()), array_keys(self::readBoxAnswers())) !== [];
    }

    private static function hasTickedBox(array $channels): bool
    {
        foreach ($channels as $channel) {
            if (Consent::listAnswersToSend()[$channel]['isGiven'] ?? false) {
                return true;
            }
        }
        return false;
    }

    private static function readBoxAnswers(): array
    {
        $answer = Session::get('consent', []);
        return is_array($answer) ? $answer : [];
    }
}
