<?php

namespace Recoup\WooCommerce;

/**
 * Collects the shopper's contact fields. The block checkout sends them to WooCommerce; the classic one needs
 * assets/checkout.js.
 */
final class Contact
{
    public const ENDPOINT = 'recoup_contact';
    private const FIELDS = ['email', 'phone', 'first_name', 'last_name', 'country'];

    public static function start(): void
    {
        add_action('wc_ajax_' . self::ENDPOINT, Guard::wrapAction('contact', [self::class, 'saveContact']));
        $review = Guard::wrapAction('woocommerce_checkout_update_order_review', [self::class, 'readReviewForm']);
        add_action('woocommerce_checkout_update_order_review', $review, 99, 1);
        $form = Guard::wrapAction('woocommerce_before_checkout_form', [self::class, 'enqueue']);
        add_action('woocommerce_before_checkout_form', $form, 5, 0);
    }

    /** Loads checkout.js on pages with the classic checkout form. */
    public static function enqueue(): void
    {
        if (!Connection::isConnected()) {
            return;
        }
        $address = plugins_url('assets/checkout.js', Plugin::getFile());
        wp_enqueue_script('recoup-checkout', $address, [], Plugin::VERSION, true);
        wp_localize_script('recoup-checkout', 'recoupCheckout', [
            'url' => \WC_AJAX::get_endpoint(self::ENDPOINT),
            'nonce' => wp_create_nonce(self::ENDPOINT),
            // '1': nothing is sent before a ticked box or a yes in the shop's consent tool.
            'asks' => Settings::getConsentMode() === 'cart_and_contact' ? '' : '1',
            'tool' => Agreement::getCookiePrefix(),
        ]);
    }

    public static function saveContact(): void
    {
        nocache_headers();
        if (!Connection::isConnected() || !wp_verify_nonce(Input::readForm('nonce'), self::ENDPOINT)) {
            wp_send_json(['ok' => false], 403);
        }
        Consent::setCheckout('classic', Input::parsePairs(Input::readForm('boxes')));
        $fields = [];
        foreach (self::FIELDS as $name) {
            $fields[$name] = Input::readForm($name);
        }
        self::applyFields($fields, '');
        Consent::recordFormAnswers();
        wp_send_json(['ok' => true], 200);
    }

    /** @param mixed $form the classic checkout's whole form, url-encoded */
    public static function readReviewForm($form): void
    {
        if (!Connection::isConnected() || !is_string($form) || strlen($form) > 65536) {
            return;
        }
        parse_str($form, $fields);
        $boxes = [];
        foreach (Settings::CHANNELS as $channel) {
            $id = $fields['recoup_consent_' . $channel . '_wording'] ?? null;
            $boxes += is_string($id) ? [$channel => Text::toPlain($id, 40)] : [];
        }
        Consent::setCheckout('classic', $boxes);
        self::applyFields($fields, 'billing_');
    }

    /** Stores the fields in WooCommerce's session customer, which also fills the form after a reload. */
    private static function applyFields(array $fields, string $prefix): void
    {
        if (!Session::isAvailable() || !isset(WC()->customer) || !is_object(WC()->customer)) {
            return;
        }
        $before = self::readKnownContact();
        foreach (self::FIELDS as $name) {
            $value = self::cleanField($fields[$prefix . $name] ?? null, $name);
            if ($value !== '') {
                WC()->customer->{'set_billing_' . $name}($value);
            }
        }
        if (self::readKnownContact() !== $before) {
            Capture::onCartChanged();
        }
    }

    /** @param mixed $value */
    private static function cleanField($value, string $name): string
    {
        $text = is_string($value) ? Text::toPlain($value, $name === 'email' ? 254 : 80) : '';
        if ($name === 'email') {
            return is_email($text) ? $text : '';
        }
        if ($name === 'country') {
            return preg_match('/^[A-Z]{2}$/D', $text) ? $text : '';
        }
        return $name === 'phone' && strlen((string) preg_replace('/\D/', '', $text)) < 5 ? '' : $text;
    }

    /** Returns the known contact; [] if only the default country is known. */
    public static function readKnownContact(): array
    {
        if (!isset(WC()->customer) || !is_object(WC()->customer)) {
            return [];
        }
        $customer = WC()->customer;
        $contact = array_filter([
            'email' => Text::toPlain($customer->get_billing_email() ?: $customer->get_email(), 254),
            'phone' => Text::toPlain($customer->get_billing_phone(), 40),
            'firstName' => Text::toPlain($customer->get_billing_first_name(), 80),
            'lastName' => Text::toPlain($customer->get_billing_last_name(), 80),
        ], 'strlen');
        if ($contact === []) {
            return [];
        }
        $country = Text::toPlain($customer->get_shipping_country() ?: $customer->get_billing_country(), 2);
        $state = Text::toPlain($customer->get_shipping_state() ?: $customer->get_billing_state(), 20);
        return $contact + array_filter(['country' => $country, 'state' => $country === 'US' ? $state : ''], 'strlen');
    }
}
