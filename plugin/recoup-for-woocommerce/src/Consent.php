<?php

namespace Recoup\WooCommerce;

/**
 * The consent boxes of both checkouts (decision 106). They are never ticked by default. An untouched box records
 * nothing: only ticking and unticking a box records a no.
 */
final class Consent
{
    private const FIELD = 'recoup/consent-';

    /** @var string checkout that sent this request: 'block', 'classic', or '' */
    private static $checkout = '';
    /** @var array<string, bool> channels whose box is in the form of this request */
    private static $answered = [];
    /** @var array<string, string> channel => text id of each box that the form of this request shows */
    private static $visibleBoxes = [];
    /** @var array<string, string> channel => text id of the block checkout's labels */
    private static $labels = [];
    /** @var bool the form already contains the boxes */
    private static $isRendered = false;

    public static function start(): void
    {
        add_action('woocommerce_init', Guard::wrapAction('woocommerce_init', [self::class, 'registerFields']));
        $set = Guard::wrapAction('woocommerce_set_additional_field_value', [self::class, 'onFieldSet']);
        add_action('woocommerce_set_additional_field_value', $set, 10, 4);
        $scripts = Guard::wrapAction('checkout_block_scripts', [self::class, 'enqueue']);
        add_action('woocommerce_blocks_enqueue_checkout_block_scripts_after', $scripts, 10, 0);
        add_filter('woocommerce_form_field_email', Guard::wrapFilter('woocommerce_form_field_email', [self::class, 'addBelowEmail']), 10, 2);
        $form = Guard::wrapAction('woocommerce_checkout_after_customer_details', [self::class, 'show']);
        add_action('woocommerce_checkout_after_customer_details', $form, 20, 0);
        // My account has its own boxes (Account).
        add_filter('woocommerce_form_field_checkbox', Guard::wrapFilter('woocommerce_form_field_checkbox', [self::class, 'hideInAccount']), 10, 2);
        add_filter('woocommerce_data_store_wp_user_read_meta', Guard::wrapFilter('user_read_meta', [self::class, 'hideStoredFields']), 10, 1);
        add_filter('add_user_metadata', Guard::wrapFilter('add_user_metadata', [self::class, 'blockUserMeta']), 10, 3);
        $create = Guard::wrapAction('woocommerce_checkout_create_order', [self::class, 'onClassicOrder']);
        add_action('woocommerce_checkout_create_order', $create, 10, 1);
    }

    /** Requires WooCommerce 8.9. In older versions the block checkout has no boxes. */
    public static function registerFields(): void
    {
        if (!self::supportsBlockFields()) {
            return;
        }
        Language::fixLabels();
        self::$labels = [];
        foreach (Settings::listBoxes() as $channel => $box) {
            self::$labels[$channel] = $box['id'];
            woocommerce_register_additional_checkout_field([
                'id' => self::FIELD . $channel,
                'label' => $box['words'],
                'optionalLabel' => $box['words'],
                // Next to the email address, so that shoppers who leave before the payment have seen it.
                'location' => 'contact',
                'type' => 'checkbox',
                'required' => false,
                'show_in_order_confirmation' => false,
            ]);
        }
    }

    /**
     * Loads blocks.js, which reports the texts of the boxes and express payments. WooCommerce's requests contain
     * neither.
     */
    public static function enqueue(): void
    {
        if (self::$labels === []) {
            return;
        }
        wp_enqueue_script('recoup-blocks', plugins_url('assets/blocks.js', Plugin::getFile()), ['wp-api-fetch'], Plugin::VERSION, true);
        wp_localize_script('recoup-blocks', 'recoupBlocks', ['boxes' => self::$labels]);
    }

    /**
     * Hides the boxes in My account, where WooCommerce also shows contact fields.
     *
     * @param mixed $html
     * @param mixed $name
     * @return mixed
     */
    public static function hideInAccount($html, $name = '')
    {
        return is_string($name) && strpos($name, self::FIELD) !== false ? '' : $html;
    }

    /**
     * Hides the values that WooCommerce stores with the customer. Otherwise the box would be ticked at their next
     * checkout.
     *
     * @param mixed $meta stored meta data of a user
     * @return mixed
     */
    public static function hideStoredFields($meta)
    {
        return !is_array($meta) ? $meta : array_filter($meta, static function ($each): bool {
            return !is_object($each) || !preg_match('~^_wc_\w+/' . self::FIELD . '~', (string) ($each->meta_key ?? ''));
        });
    }

    /**
     * Blocks new rows. hideStoredFields() hides the existing ones, so WooCommerce would add another row on each save.
     *
     * @param mixed $added null: no other filter has decided
     * @param mixed $user
     * @param mixed $key
     * @return mixed
     */
    public static function blockUserMeta($added, $user = 0, $key = '')
    {
        return is_string($key) && preg_match('~^_wc_\w+/' . self::FIELD . '~', $key) ? false : $added;
    }

    /** Lists the user meta keys that earlier versions stored. */
    public static function legacyMetaKeys(): array
    {
        return array_map(static function (string $channel): string {
            return '_wc_other/' . self::FIELD . $channel;
        }, Settings::CHANNELS);
    }

    /**
     * @param mixed $key
     * @param mixed $value
     * @param mixed $group
     * @param mixed $owner order or customer
     */
    public static function onFieldSet($key, $value, $group = '', $owner = null): void
    {
        if (!is_string($key) || strncmp($key, self::FIELD, strlen(self::FIELD)) !== 0) {
            return;
        }
        // Saving the account saves every contact field, although its form does not contain these boxes.
        if (doing_action('woocommerce_save_account_details')) {
            return;
        }
        $channel = substr($key, strlen(self::FIELD));
        $boxes = Input::readBoxes();
        if ($boxes !== null && !isset($boxes[$channel])) {
            // An express payment sends the box's state on the page, and a hidden box records nothing.
            return;
        }
        if ($boxes === null && $value && Language::isAmbiguous()) {
            return;
        }
        self::recordScript();
        if ($boxes !== null || $value) {
            self::setCheckout('block', $boxes ?? [$channel => Settings::findBox($channel, '')['id'] ?? '']);
        }
        if (self::recordAnswer($channel, (bool) $value, $boxes[$channel] ?? '')) {
            Capture::onCartChanged();
        }
        if (is_object($owner) && is_a($owner, 'WC_Order')) {
            self::writeToOrder($owner);
        }
    }

    /** Records an answer; returns whether it changed. A yes to a text that the store no longer shows does not count. */
    public static function recordAnswer(string $channel, bool $isGiven, string $wording = ''): bool
    {
        self::$answered[$channel] = true;
        $box = Settings::findBox($channel, $wording) ?? ($isGiven ? null : Settings::findBox($channel, ''));
        $answers = self::readAnswers();
        $before = $answers[$channel]['isGiven'] ?? null;
        if ($box === null || $before === $isGiven || ($before === null && !$isGiven)) {
            return false;
        }
        $answers[$channel] = ['isGiven' => $isGiven, 'id' => $box['id'], 'wording' => $box['words']];
        Session::put('consent', $answers);
        return true;
    }

    private static function readAnswers(): array
    {
        $answers = Session::get('consent', []);
        return is_array($answers) ? $answers : [];
    }

    /** Returns the answers to send. A yes covers the address in the form, not the address of an express payment. */
    public static function listAnswersToSend(): array
    {
        return Session::get('express') !== true ? self::readAnswers() : array_filter(self::readAnswers(), static function ($answer): bool {
            return empty($answer['isGiven']);
        });
    }

    /** Reads the boxes that checkout.js sends while the classic checkout is filled in. It sends touched boxes only. */
    public static function recordFormAnswers(): void
    {
        $hasChanges = false;
        foreach (Settings::CHANNELS as $channel) {
            $name = 'recoup_consent_' . $channel;
            $value = Input::readForm($name);
            if ($value === 'yes' || $value === 'no') {
                $hasChanges = self::recordAnswer($channel, $value === 'yes', Input::readWordingId($name)) || $hasChanges;
            }
        }
        if ($hasChanges) {
            Capture::onCartChanged();
        }
    }

    /**
     * Adds the boxes below the classic checkout's email field. WooCommerce does not re-render that part when an address
     * changes, so a tick stays.
     *
     * @param mixed $html the field
     * @param mixed $name
     * @return mixed
     */
    public static function addBelowEmail($html, $name = '')
    {
        if ($name !== 'billing_email' || !is_string($html) || !is_checkout()) {
            return $html;
        }
        self::$isRendered = true;
        return $html . self::renderBoxes();
    }

    /** Shows the boxes in forms that render their email field without this filter. */
    public static function show(): void
    {
        $boxes = self::$isRendered ? '' : self::renderBoxes();
        self::$isRendered = false;
        // phpcs:ignore WordPress.Security.EscapeOutput.OutputNotEscaped -- renderBoxes() escapes each part.
        echo $boxes === '' ? '' : '<div class="recoup-consent woocommerce-additional-fields">' . $boxes . '</div>';
    }

    /** Renders each box as a form row. WooCommerce sorts rows by priority, and the email field has 110. */
    private static function renderBoxes(): string
    {
        $html = '';
        foreach (Settings::listBoxes() as $channel => $box) {
            $id = 'recoup_consent_' . $channel;
            $html .= '<p class="form-row form-row-wide recoup-consent-row" data-priority="111"><label class="woocommerce-form__label woocommerce-form__label-for-checkbox checkbox" for="'
                . esc_attr($id) . '"><input type="checkbox" class="woocommerce-form__input woocommerce-form__input-checkbox input-checkbox" name="'
                . esc_attr($id) . '" id="' . esc_attr($id) . '" value="yes" data-recoup-wording="' . esc_attr($box['id']) . '"'
                . checked(self::readAnswers()[$channel]['isGiven'] ?? false, true, false) . '> <span>' . esc_html($box['words']) . '</span></label>'
                . self::renderWordingField($id, $box) . '</p>';
        }
        return $html;
    }

    /** Two browser tabs can show the form in two languages, so each form names its texts. */
    public static function renderWordingField(string $name, array $box): string
    {
        return '<input type="hidden" name="' . esc_attr($name . '_wording') . '" value="' . esc_attr($box['id']) . '">';
    }

    /**
     * Sets the checkout of this request and its boxes; '': the request has ended.
     *
     * @param array<string, string> $boxes channel => id of the text
     */
    public static function setCheckout(string $checkout, array $boxes = []): void
    {
        $hasBoxes = $boxes !== [] && ($checkout !== 'block' || self::supportsBlockFields());
        self::$checkout = $hasBoxes ? $checkout : '';
        self::$visibleBoxes = $hasBoxes ? array_intersect_key($boxes, Settings::listBoxes()) : [];
        if ($hasBoxes && Session::get('express') !== null) {
            Session::put('express', null);
        }
    }

    /**
     * Handles an address from the block checkout. Express payments and payment buttons on other pages skip the boxes. A
     * missing header means such a button only if this session's checkout has loaded blocks.js: pages from before an
     * update, or from a proxy, send none either.
     */
    public static function recordBlockCheckout(): void
    {
        $answers = Input::readBoxesHeader();
        if ($answers === 'none' || ($answers === '' && Session::get('hasScript') === true)) {
            self::recordSkippedBoxes();
            return;
        }
        self::recordScript();
        self::setCheckout('block', Input::readBoxes() ?? []);
    }

    private static function recordScript(): void
    {
        if (Input::readBoxesHeader() !== '' && Session::get('hasScript') !== true) {
            Session::put('hasScript', true);
        }
    }

    private static function recordSkippedBoxes(): void
    {
        if (self::readAnswers() !== []) {
            Session::put('express', true);
        }
    }

    private static function supportsBlockFields(): bool
    {
        return function_exists('woocommerce_register_additional_checkout_field');
    }

    /**
     * Returns the boxes of this request's checkout: place => channel => id of the text, and whether the box is ticked.
     * Recoup shows the owner how many shoppers tick them. Empty after a refusal in the consent tool.
     */
    public static function reportBoxes(): array
    {
        if (Agreement::getToolConsent() === false || !Agreement::mayKeepCart()) {
            return [];
        }
        $answers = self::readAnswers();
        $report = [];
        foreach (self::getVisibleBoxes() as $channel => $id) {
            $report[self::$checkout][$channel] = ['id' => $id] + (isset($answers[$channel]) ? ['isTicked' => $answers[$channel]['isGiven']] : []);
        }
        return $report;
    }

    /** Channel => id of the text of each box in this request's checkout. */
    public static function getVisibleBoxes(): array
    {
        return self::$visibleBoxes;
    }

    /**
     * Payment buttons on other pages also create orders this way. They have no boxes, so they record nothing.
     *
     * @param mixed $order WooCommerce has checked the form's nonce
     */
    public static function onClassicOrder($order): void
    {
        $boxes = [];
        foreach (array_keys(Settings::listBoxes()) as $channel) {
            $name = 'recoup_consent_' . $channel;
            if (Input::hasForm($name . '_wording')) {
                $boxes[$channel] = Input::readWordingId($name);
            }
            if (isset($boxes[$channel]) || Input::hasForm($name)) {
                self::recordAnswer($channel, Input::hasForm($name), Input::readWordingId($name));
            }
        }
        if ($boxes !== []) {
            self::setCheckout('classic', $boxes);
        } elseif (self::$answered === []) {
            self::recordSkippedBoxes();
        }
        if (is_object($order)) {
            self::writeToOrder($order);
        }
    }

    /**
     * Writes the order meta of docs/consent.md. WooCommerce saves the order right after. A payment button without boxes
     * may use another address than the ticked one, so its order records no consent, even if it continues the draft of a
     * checkout with boxes.
     */
    public static function writeToOrder(object $order): void
    {
        $recorded = array_intersect_key(self::readAnswers(), self::$answered);
        foreach (Settings::CHANNELS as $channel) {
            $key = '_recoup_consent_' . $channel;
            if (isset($recorded[$channel])) {
                $order->update_meta_data($key, $recorded[$channel]['isGiven'] ? 'yes' : 'no');
                $order->update_meta_data($key . '_wording', $recorded[$channel]['wording']);
            } else {
                $order->delete_meta_data($key);
                $order->delete_meta_data($key . '_wording');
            }
        }
    }

    /** Copies the answers of a signed-in customer to their account. */
    public static function copyToAccount(int $user): void
    {
        $answers = self::listAnswersToSend();
        if ($user > 0 && $answers !== []) {
            $stored = get_user_meta($user, Account::META, true);
            update_user_meta($user, Account::META, $answers + (is_array($stored) ? $stored : []));
        }
    }
}
