<?php

namespace Recoup\WooCommerce;

/** Shows the customer's consents in My account → Account details, where they can change them (decision 106). */
final class Account
{
    public const META = '_recoup_consent';

    public static function start(): void
    {
        $form = Guard::wrapAction('woocommerce_edit_account_form', [self::class, 'showBoxes']);
        add_action('woocommerce_edit_account_form', $form, 20, 0);
        $saved = Guard::wrapAction('woocommerce_save_account_details', [self::class, 'save']);
        add_action('woocommerce_save_account_details', $saved, 20, 1);
    }

    private static function readConsents(int $user): array
    {
        $consents = $user > 0 ? get_user_meta($user, self::META, true) : [];
        return is_array($consents) ? $consents : [];
    }

    /** Lists the channels that the signed-in customer has consented to, in the account or with an order. */
    public static function listConsentedChannels(): array
    {
        return array_keys(array_filter(self::readConsents(get_current_user_id()), static function ($consent): bool {
            return is_array($consent) && !empty($consent['isGiven']);
        }));
    }

    /** Returns the address that an account's consent covers. */
    public static function readAddress(int $user, string $kind): string
    {
        if ($kind === 'phone') {
            return Text::toPlain(get_user_meta($user, 'billing_phone', true), 40);
        }
        $account = get_userdata($user);
        return is_object($account) ? Text::toPlain($account->user_email, 254) : '';
    }

    /** Whether the address is the customer's own: the checkout accepts any address. */
    public static function isOwnEmail(int $user, string $email): bool
    {
        $own = [self::readAddress($user, 'email'), Text::toPlain(get_user_meta($user, 'billing_email', true), 254)];
        return $email !== '' && in_array(strtolower($email), array_map('strtolower', $own), true);
    }

    public static function showBoxes(): void
    {
        $boxes = Settings::listBoxes();
        if ($boxes === []) {
            return;
        }
        $consents = self::readConsents(get_current_user_id());
        echo '<fieldset class="recoup-consent"><legend>' . esc_html__('Messages about your cart and offers', 'recoup-for-woocommerce') . '</legend>';
        echo '<input type="hidden" name="recoup_consents" value="1">';
        foreach ($boxes as $channel => $box) {
            $id = 'recoup_consent_' . $channel;
            $isGiven = $consents[$channel]['isGiven'] ?? false;
            echo '<p class="form-row form-row-wide"><label class="woocommerce-form__label checkbox" for="' . esc_attr($id)
                . '"><input type="checkbox" name="' . esc_attr($id) . '" id="' . esc_attr($id) . '" value="yes"'
                . checked($isGiven, true, false) . '> <span>' . esc_html($box['words']) . '</span></label>';
            // phpcs:ignore WordPress.Security.EscapeOutput.OutputNotEscaped -- renderWordingField() escapes each part.
            echo Consent::renderWordingField($id, $box) . '</p>';
        }
        echo '</fieldset>';
    }

    /** @param mixed $user WooCommerce has checked nonce and password */
    public static function save($user): void
    {
        $user = (int) $user;
        if ($user <= 0 || !Input::hasForm('recoup_consents')) {
            return;
        }
        $consents = self::readConsents($user);
        $changes = [];
        $boxStates = [];
        foreach (Settings::listBoxes() as $channel => $now) {
            $name = 'recoup_consent_' . $channel;
            $isGiven = Input::hasForm($name);
            $box = Settings::findBox($channel, Input::readWordingId($name)) ?? ($isGiven ? null : $now);
            $wasGiven = $consents[$channel]['isGiven'] ?? false;
            if ($box !== null && !$wasGiven) {
                $boxStates[$channel] = ['id' => $box['id'], 'isTicked' => $isGiven];
            }
            if ($box !== null && $isGiven !== $wasGiven) {
                $changes[$channel] = ['isGiven' => $isGiven, 'id' => $box['id'], 'wording' => $box['words']];
            }
        }
        self::queueBoxCounts($boxStates);
        if ($changes === []) {
            return;
        }
        update_user_meta($user, self::META, $changes + $consents);
        self::queueConsent($user, $changes);
    }

    /**
     * Reports which unticked boxes the customer saw and ticked, for the owner's statistics. The entry does not identify
     * the customer.
     */
    private static function queueBoxCounts(array $boxStates): void
    {
        $mayCount = Settings::getConsentMode() !== 'nothing' || in_array(true, array_column($boxStates, 'isTicked'), true);
        if ($boxStates === [] || !$mayCount || Agreement::getToolConsent() === false) {
            return;
        }
        Outbox::put('form:' . bin2hex(random_bytes(8)), ['type' => 'form', 'forms' => ['account' => $boxStates]]);
        Capture::wake();
    }

    private static function queueConsent(int $user, array $changes): void
    {
        $contact = array_filter([
            'email' => self::readAddress($user, 'email'),
            'phone' => self::readAddress($user, 'phone'),
            'country' => Text::toPlain(get_user_meta($user, 'billing_country', true), 2),
        ], 'strlen');
        $entry = ['type' => 'consent', 'customer' => ['id' => (string) $user], 'contact' => $contact, 'consent' => $changes];
        Outbox::put('consent:' . $user . ':' . bin2hex(random_bytes(8)), $entry);
        Capture::wake();
    }
}
