<?php

namespace Recoup\WooCommerce;

/**
 * The consent boxes of both checkouts (decision 106). Never ticked beforehand. A box left alone says nothing: no is said only by
 * whoever ticked it and unticked it again.
 */
final class Consent
{
    private const FIELD = 'recoup/consent-';

    /** @var bool */
    private static $isAtCheckout = false;

    public static function start(): void
    {
        add_action('woocommerce_init', Guard::action('woocommerce_init', [self::class, 'registerFields']));
        $set = Guard::action('woocommerce_set_additional_field_value', [self::class, 'fieldSet']);
        add_action('woocommerce_set_additional_field_value', $set, 10, 4);
        $form = Guard::action('woocommerce_checkout_after_customer_details', [self::class, 'show']);
        add_action('woocommerce_checkout_after_customer_details', $form, 20, 0);
        $create = Guard::action('woocommerce_checkout_create_order', [self::class, 'toClassicOrder']);
        add_action('woocommerce_checkout_create_order', $create, 10, 1);
    }

    /** WooCommerce 8.9 and newer; before that the block checkout has no boxes. */
    public static function registerFields(): void
    {
        if (!function_exists('woocommerce_register_additional_checkout_field')) {
            return;
        }
        foreach (Settings::boxes() as $channel => $box) {
            woocommerce_register_additional_checkout_field([
                'id' => self::FIELD . $channel,
                'label' => $box['words'],
                'optionalLabel' => $box['words'],
                // A contact field is kept with the customer, and would come back ticked.
                'location' => 'order',
                'type' => 'checkbox',
                'required' => false,
                'show_in_order_confirmation' => false,
            ]);
        }
    }

    /**
     * @param mixed $key
     * @param mixed $value
     * @param mixed $group
     * @param mixed $of the order, or the customer
     */
    public static function fieldSet($key, $value, $group = '', $of = null): void
    {
        if (!is_string($key) || strncmp($key, self::FIELD, strlen(self::FIELD)) !== 0) {
            return;
        }
        self::atCheckout();
        $channel = substr($key, strlen(self::FIELD));
        if (self::heard($channel, (bool) $value)) {
            Capture::changed();
        }
        if (is_object($of) && is_a($of, 'WC_Order')) {
            self::toOrder($of);
        }
    }

    /** Answers whether it is news. */
    public static function heard(string $channel, bool $isGiven): bool
    {
        $box = Settings::boxes()[$channel] ?? null;
        $said = self::said();
        $before = $said[$channel]['isGiven'] ?? null;
        if ($box === null || $before === $isGiven || ($before === null && !$isGiven)) {
            return false;
        }
        $said[$channel] = ['isGiven' => $isGiven, 'id' => $box['id'], 'wording' => $box['words']];
        Session::put('consent', $said);
        return true;
    }

    private static function said(): array
    {
        $said = Session::get('consent', []);
        return is_array($said) ? $said : [];
    }

    /** The classic checkout, by our script while it is filled in: a box is named only when the shopper has touched it. */
    public static function heardForm(array $fields): void
    {
        $isNews = false;
        foreach (Settings::CHANNELS as $channel) {
            $value = $fields['recoup_consent_' . $channel] ?? null;
            if ($value === 'yes' || $value === 'no') {
                $isNews = self::heard($channel, $value === 'yes') || $isNews;
            }
        }
        if ($isNews) {
            Capture::changed();
        }
    }

    /** The classic checkout's form section. Outside of what WooCommerce renews when an address changes, so a tick stays. */
    public static function show(): void
    {
        $boxes = Settings::boxes();
        if ($boxes === []) {
            return;
        }
        $said = self::said();
        echo '<div class="recoup-consent woocommerce-additional-fields">';
        foreach ($boxes as $channel => $box) {
            $id = 'recoup_consent_' . $channel;
            echo '<p class="form-row form-row-wide"><label class="woocommerce-form__label woocommerce-form__label-for-checkbox checkbox" for="'
                . esc_attr($id) . '"><input type="checkbox" class="woocommerce-form__input woocommerce-form__input-checkbox input-checkbox" name="'
                . esc_attr($id) . '" id="' . esc_attr($id) . '" value="yes" data-recoup-wording="' . esc_attr($box['id']) . '"'
                . checked($said[$channel]['isGiven'] ?? false, true, false) . '> <span>' . esc_html($box['words']) . '</span></label></p>';
        }
        echo '</div>';
    }

    /** This request comes from a checkout that shows the boxes. */
    public static function atCheckout(): void
    {
        self::$isAtCheckout = true;
    }

    /** Channel => id of its words, as the checkout this request comes from shows them. */
    public static function shown(): array
    {
        $boxes = self::$isAtCheckout ? Settings::boxes() : [];
        self::$isAtCheckout = false;
        return array_map(static function (array $box): string {
            return $box['id'];
        }, $boxes);
    }

    /** @param mixed $order WooCommerce has checked the form's nonce */
    public static function toClassicOrder($order): void
    {
        foreach (array_keys(Settings::boxes()) as $channel) {
            self::heard($channel, isset($_POST['recoup_consent_' . $channel]));
        }
        if (is_object($order)) {
            self::toOrder($order);
        }
    }

    /** Order meta, as docs/consent.md names it. The order is saved by WooCommerce right after. */
    public static function toOrder(object $order): void
    {
        foreach (self::said() as $channel => $word) {
            $key = '_recoup_consent_' . $channel;
            $order->update_meta_data($key, $word['isGiven'] ? 'yes' : 'no');
            $order->update_meta_data($key . '_wording', $word['wording']);
        }
    }

    /** What somebody logged in has said, for My account. */
    public static function toAccount(int $user): void
    {
        $said = self::said();
        if ($user > 0 && $said !== []) {
            $known = get_user_meta($user, Account::META, true);
            update_user_meta($user, Account::META, $said + (is_array($known) ? $known : []));
        }
    }
}
