<?php

namespace Recoup\WooCommerce;

/**
 * WordPress' Export and Erase Personal Data tools, and a suggested text for the privacy policy. Covers the shop's
 * queue, the account's consents, and Recoup itself by a signed call.
 */
final class Privacy
{
    /** An administrator waits for the response. */
    private const TIMEOUT_S = 20;

    public static function start(): void
    {
        add_filter('wp_privacy_personal_data_exporters', Guard::wrapFilter('privacy_exporters', [self::class, 'addExporter']));
        add_filter('wp_privacy_personal_data_erasers', Guard::wrapFilter('privacy_erasers', [self::class, 'addEraser']));
        add_action('admin_init', Guard::wrapAction('privacy_policy', [self::class, 'suggestPolicy']), 20, 0);
    }

    /** @param mixed $all */
    public static function addExporter($all): array
    {
        return ['recoup-for-woocommerce' => [
            'exporter_friendly_name' => 'Recoup for WooCommerce',
            'callback' => [self::class, 'export'],
        ]] + (is_array($all) ? $all : []);
    }

    /** @param mixed $all */
    public static function addEraser($all): array
    {
        return ['recoup-for-woocommerce' => [
            'eraser_friendly_name' => 'Recoup for WooCommerce',
            'callback' => [self::class, 'erase'],
        ]] + (is_array($all) ? $all : []);
    }

    /**
     * @param mixed $email
     * @param mixed $page
     * @return array|\WP_Error
     */
    public static function export($email, $page = 1)
    {
        $email = self::validateEmail($email);
        $page = max(1, (int) $page);
        if ($email === '') {
            return ['data' => [], 'done' => true];
        }
        $data = $page === 1 ? self::exportShopData($email) : [];
        if (!Connection::isConnected()) {
            return ['data' => $data, 'done' => true];
        }
        $answer = self::callRecoup(['ask' => 'export', 'email' => $email, 'page' => $page]);
        if (!$answer->isOk() || !is_array($answer->body['rows'] ?? null)) {
            return new \WP_Error('recoup', self::explainFailure($answer));
        }
        foreach (array_values($answer->body['rows']) as $number => $row) {
            $item = is_array($row) ? self::buildItem($row, $page . '-' . $number) : null;
            if ($item !== null) {
                $data[] = $item;
            }
        }
        return ['data' => $data, 'done' => ($answer->body['isDone'] ?? true) !== false];
    }

    /**
     * Erases the shop's own rows first, so that queued entries are not sent.
     *
     * @param mixed $email
     */
    public static function erase($email): array
    {
        $email = self::validateEmail($email);
        $outcome = ['items_removed' => false, 'items_retained' => false, 'messages' => [], 'done' => true];
        if ($email === '') {
            return $outcome;
        }
        $user = self::findUserId($email);
        $waiting = Outbox::findByPerson($email, $user);
        Outbox::remove(array_keys($waiting));
        $hasConsents = self::readConsents($user) !== [];
        if ($hasConsents) {
            delete_user_meta($user, Account::META);
        }
        foreach ($user > 0 ? Consent::legacyMetaKeys() : [] as $name) {
            delete_user_meta($user, $name);
        }
        $outcome['items_removed'] = $waiting !== [] || $hasConsents;
        if (!Connection::isConnected()) {
            return $outcome;
        }
        $answer = self::callRecoup(['ask' => 'erase', 'email' => $email]);
        if (!$answer->isOk()) {
            $outcome['items_retained'] = true;
            $outcome['messages'][] = self::explainFailure($answer);
            return $outcome;
        }
        $outcome['items_removed'] = $outcome['items_removed'] || !empty($answer->body['isErasing']);
        return $outcome;
    }

    private static function callRecoup(array $request): Answer
    {
        $answer = Api::call('privacy', ['v' => 1, 'plugin' => Plugin::VERSION] + $request, self::TIMEOUT_S);
        Sender::onAnswer($answer);
        return $answer;
    }

    private static function explainFailure(Answer $answer): string
    {
        return __('Recoup could not be reached, so data about this person may still be stored there. Please try again.', 'recoup-for-woocommerce')
            . ' ' . Sender::describeProblem($answer);
    }

    /** @param mixed $email */
    private static function validateEmail($email): string
    {
        $text = is_string($email) ? trim($email) : '';
        return is_email($text) ? $text : '';
    }

    private static function findUserId(string $email): int
    {
        $user = get_user_by('email', $email);
        return is_object($user) ? (int) $user->ID : 0;
    }

    private static function readConsents(int $user): array
    {
        $consents = $user > 0 ? get_user_meta($user, Account::META, true) : [];
        return is_array($consents) ? $consents : [];
    }

    private static function exportShopData(string $email): array
    {
        $user = self::findUserId($email);
        $items = [];
        foreach (Outbox::findByPerson($email, $user) as $id => $entry) {
            $items[] = self::buildItem(['table' => 'waiting', 'fields' => [['name' => 'entry', 'value' => $entry]]], (string) $id);
        }
        foreach (self::readConsents($user) as $channel => $consent) {
            $value = Api::encodeJson(is_array($consent) ? $consent : ['isGiven' => $consent]);
            $items[] = self::buildItem(['table' => 'consent', 'fields' => [['name' => $channel, 'value' => $value]]], 'account-' . $channel);
        }
        return array_values(array_filter($items));
    }

    /**
     * Builds one export item. WordPress escapes names but allows links in values; shoppers typed the values, so this
     * escapes them.
     */
    private static function buildItem(array $row, string $number): ?array
    {
        $table = preg_replace('/[^a-z_]/', '', is_string($row['table'] ?? null) ? $row['table'] : '');
        $fields = [];
        foreach (is_array($row['fields'] ?? null) ? $row['fields'] : [] as $field) {
            if (is_array($field) && is_scalar($field['name'] ?? null) && is_scalar($field['value'] ?? null)) {
                $name = str_replace('_', ' ', (string) $field['name']);
                $fields[] = ['name' => $name, 'value' => esc_html((string) $field['value'])];
            }
        }
        return $table === '' || $fields === [] ? null : [
            'group_id' => 'recoup-' . $table,
            'group_label' => 'Recoup: ' . str_replace('_', ' ', $table),
            'item_id' => 'recoup-' . $table . '-' . $number,
            'data' => $fields,
        ];
    }

    /** Settings → Privacy → Policy guide. */
    public static function suggestPolicy(): void
    {
        if (!function_exists('wp_add_privacy_policy_content')) {
            return;
        }
        $paragraphs = [
            __('We use Recoup to remind people of abandoned carts. When you add something to your cart, Recoup receives the products, quantities and coupon codes.', 'recoup-for-woocommerce'),
            __('When you enter them at the checkout, it also receives your name, email address, phone number, country and the consents you give or refuse. Afterwards it receives your orders, without street and payment data.', 'recoup-for-woocommerce'),
            __('Your IP address is not sent: only a country estimated from it, and a hash that changes every day and cannot be reversed.', 'recoup-for-woocommerce'),
            __('If you agreed to it, or where the law allows it, you get messages about your cart. Every message has a link to stop them. You can see and withdraw your consents in your account.', 'recoup-for-woocommerce'),
            __('You can ask us for a copy of your data, and to erase it. We then also erase it in Recoup; a fingerprint of your address is kept so that you are not contacted again.', 'recoup-for-woocommerce'),
        ];
        $before = self::describeConsentMode();
        array_splice($paragraphs, 2, 0, $before === '' ? [] : [$before]);
        $text = '<p class="privacy-policy-tutorial">'
            . esc_html__('Add who runs your Recoup, and how long it keeps data: both are in Recoup under Settings → Privacy.', 'recoup-for-woocommerce')
            . '</p>';
        foreach ($paragraphs as $paragraph) {
            $text .= '<p>' . esc_html($paragraph) . '</p>';
        }
        wp_add_privacy_policy_content('Recoup for WooCommerce', $text);
    }

    /** Describes what is sent before the shopper consents; '' if everything is. */
    private static function describeConsentMode(): string
    {
        $before = Settings::getConsentMode();
        if ($before === 'nothing') {
            return __('Until you agree in our cookie banner, at the checkout or in your account, Recoup receives none of it, except what you buy.', 'recoup-for-woocommerce');
        }
        if ($before !== 'cart_only') {
            return '';
        }
        return __('Until you agree in our cookie banner, at the checkout or in your account, Recoup receives only your cart and what you buy. If you are signed in and have bought here before, it may also receive your email address.', 'recoup-for-woocommerce');
    }
}
