<?php

namespace Recoup\WooCommerce;

/** Connects the shop without copied keys (decision 103), and disconnects it. */
final class Connect
{
    private const STATE_META = 'recoup_connect';
    private const STATE_TTL_S = 15 * MINUTE_IN_SECONDS;

    /** Returns the address in Recoup for the owner's browser ('to'), or the error ('why'). */
    public static function begin(string $typed): array
    {
        $url = self::normalizeUrl($typed);
        if ($url === '') {
            return ['why' => __('Enter the address of Recoup, for example https://recoup.example.com.', 'recoup-for-woocommerce')];
        }
        if (!self::mayConnectTo($url)) {
            return ['why' => __('Updates of this plugin come from the Recoup it is connected to, so only an administrator who may update plugins can connect to this address.', 'recoup-for-woocommerce')];
        }
        $hello = Api::checkAddress($url);
        if ($hello['why'] !== '') {
            return $hello;
        }
        $state = Text::createToken(32);
        update_user_meta(get_current_user_id(), self::STATE_META, ['state' => $state, 'url' => $url, 'until' => time() + self::STATE_TTL_S]);
        $request = Api::encodeJson([
            'v' => 1,
            'home' => Connection::getHomeUrl(),
            'name' => Text::toPlain(get_bloginfo('name'), 120),
            'return' => Screen::getUrl(),
            'state' => $state,
            'plugin' => Plugin::VERSION,
        ]);
        return ['why' => '', 'to' => $url . '/store-setup?connect=' . Text::base64url($request)];
    }

    /**
     * The connected Recoup supplies updates, so another Recoup than the zip's origin requires the right to update
     * plugins.
     */
    private static function mayConnectTo(string $url): bool
    {
        return $url === self::normalizeUrl(Connection::readConfiguredUrl()) || current_user_can('update_plugins');
    }

    /** Normalizes to scheme, host, port and path without a trailing slash; '' if invalid. */
    public static function normalizeUrl(string $typed): string
    {
        $typed = trim($typed);
        if ($typed !== '' && !preg_match('#^[a-z][a-z0-9+.-]*://#i', $typed)) {
            $typed = (preg_match('/^(localhost|127\.0\.0\.1)(:|\/|$)/', $typed) ? 'http://' : 'https://') . $typed;
        }
        $parts = wp_parse_url($typed);
        $isValidUrl = is_array($parts) && in_array($parts['scheme'] ?? '', ['http', 'https'], true) && !empty($parts['host'])
            && !isset($parts['user']) && strlen($typed) <= 300;
        if (!$isValidUrl) {
            return '';
        }
        $port = isset($parts['port']) ? ':' . $parts['port'] : '';
        return rtrim($parts['scheme'] . '://' . strtolower($parts['host']) . $port . ($parts['path'] ?? ''), '/');
    }

    /** Handles the browser's return from Recoup. Returns the error; '' when the shop is connected. */
    public static function finish(array $query): string
    {
        $user = get_current_user_id();
        $pending = get_user_meta($user, self::STATE_META, true);
        delete_user_meta($user, self::STATE_META);
        $isValid = is_array($pending) && is_string($query['recoup_state'] ?? null)
            && hash_equals((string) $pending['state'], $query['recoup_state']) && time() <= (int) $pending['until'];
        if (!$isValid) {
            return __('This connection was not started here, or it took longer than 15 minutes. Please press Connect again.', 'recoup-for-woocommerce');
        }
        if (is_string($query['recoup_error'] ?? null)) {
            return self::explainError($query['recoup_error'], '');
        }
        $code = explode('.', is_string($query['recoup_code'] ?? null) ? $query['recoup_code'] : '', 2);
        if (count($code) !== 2 || !preg_match('/^[\w-]{16,64}$/D', $code[0]) || !preg_match('/^[\w-]{43}$/D', $code[1])) {
            return self::explainError('invalid', '');
        }
        if (!self::mayConnectTo((string) $pending['url'])) {
            return self::explainError('no_right', '');
        }
        return self::exchangeCode((string) $pending['url'], $code[0], $code[1]);
    }

    /** Both sides derive the three secrets, so that none is ever sent. */
    public static function deriveSecrets(string $codeKey, string $salt): array
    {
        $derive = static function (string $label) use ($codeKey, $salt): string {
            return hash_hmac('sha256', $label . "\n" . $salt, $codeKey);
        };
        return [
            'secret' => $derive('recoup-secret'),
            'key' => 'ck_' . substr($derive('recoup-consumer-key'), 0, 40),
            'keySecret' => 'cs_' . substr($derive('recoup-consumer-secret'), 0, 40),
        ];
    }

    private static function exchangeCode(string $url, string $codeId, string $codeKey): string
    {
        Outbox::create();
        $salt = Text::createToken(32);
        $install = bin2hex(random_bytes(16));
        $derived = self::deriveSecrets($codeKey, $salt);
        $keyId = Keys::create($derived['key'], $derived['keySecret']);
        if ($keyId === 0) {
            return __('The key for Recoup could not be saved in the database of this shop.', 'recoup-for-woocommerce');
        }
        $access = ['url' => $url, 'store' => $codeId, 'key' => $codeKey];
        $answer = Api::send($access, 'connect', Api::encodeJson(self::describeShop($salt, $install)), 30);
        $store = $answer->body['store'] ?? '';
        if (!$answer->isOk() || !is_string($store) || !preg_match('/^[\w-]{1,64}$/D', $store)) {
            Keys::remove($keyId);
            return $answer->isTrue ? self::explainError($answer->getCode(), Text::toPlain($answer->body['error'] ?? '', 500)) : $answer->why;
        }
        self::saveConnection([
            'url' => $url,
            'store' => $store,
            'secret' => $derived['secret'],
            'install' => $install,
            'home' => Connection::getHomeUrl(),
            'keyId' => (string) $keyId,
            'account' => Text::toPlain($answer->body['account'] ?? '', 120),
        ]);
        Settings::saveInput($answer->body['settings'] ?? null);
        Beat::sendSoon();
        return '';
    }

    private static function saveConnection(array $connection): void
    {
        $before = Connection::readAll();
        Keys::remove((int) ($before['keyId'] ?? 0));
        Connection::save($connection + ['shown' => Settings::listChosenChannels()]);
        State::put(['nextBeat' => 0, 'ended' => '', 'update' => null, 'reach' => null] + Sender::NO_WAIT);
        Log::note('Connected to Recoup.');
    }

    private static function describeShop(string $salt, string $install): array
    {
        return [
            'v' => 1,
            'plugin' => Plugin::VERSION,
            'woocommerce' => WC()->version,
            'wordpress' => get_bloginfo('version'),
            'php' => PHP_VERSION,
            'home' => Connection::getHomeUrl(),
            'site' => site_url('/'),
            'salt' => $salt,
            'install' => $install,
            'profile' => [
                'name' => Text::toPlain(get_bloginfo('name'), 120),
                'currency' => get_woocommerce_currency(),
                'decimals' => wc_get_price_decimals(),
                'timeZone' => wp_timezone_string(),
                'locale' => get_locale(),
                'baseCountry' => WC()->countries->get_base_country(),
                'sellingCountries' => self::listSellingCountries(),
                'pricesIncludeTax' => wc_prices_include_tax(),
                'showsTax' => get_option('woocommerce_tax_display_cart') === 'incl',
                'isSequential' => get_option('woocommerce_calc_discounts_sequentially') === 'yes',
            ],
        ];
    }

    private static function listSellingCountries(): ?array
    {
        return get_option('woocommerce_allowed_countries') === 'all' ? null : array_keys(WC()->countries->get_allowed_countries());
    }

    private static function explainError(string $code, string $sentence): string
    {
        switch ($code) {
            case 'cancelled':
                return __('You pressed Cancel in Recoup. Nothing was connected.', 'recoup-for-woocommerce');
            case 'other_account':
                return __('This shop is connected to another account of this Recoup. Disconnect it there first.', 'recoup-for-woocommerce');
            case 'no_room':
                return __('Your Recoup plan’s store limit is reached.', 'recoup-for-woocommerce');
            case 'no_right':
                return __('Only the owner or an admin of the account in Recoup can connect a shop.', 'recoup-for-woocommerce');
            case 'code_expired':
                return __('The code from Recoup was already used or is older than ten minutes. Please press Connect again.', 'recoup-for-woocommerce');
            case 'other_shop':
                return __('The address of this shop is not the one that was confirmed in Recoup. Please press Connect again.', 'recoup-for-woocommerce');
        }
        return $sentence !== '' ? $sentence : __('Recoup refused the connection. Please press Connect again.', 'recoup-for-woocommerce');
    }

    /** Disconnects at the owner's request. Returns whether Recoup has been notified. */
    public static function disconnect(string $reason): bool
    {
        $isNotified = !Connection::isConnected();
        if (Connection::isConnected()) {
            $answer = Api::call('disconnect', ['v' => 1, 'reason' => $reason], 5);
            $isNotified = $answer->isOk() || $answer->hasStatus(410);
        }
        self::clearConnection('');
        return $isNotified;
    }

    /** Recoup has disconnected the shop in a signed answer. */
    public static function handleDisconnect(): void
    {
        self::clearConnection(__('The shop was disconnected in Recoup.', 'recoup-for-woocommerce'));
        Log::note('Disconnected by Recoup.');
    }

    private static function clearConnection(string $why): void
    {
        // On a copy of the shop this deletes the key in the copy's database only.
        Keys::remove((int) Connection::read('keyId'));
        Guard::wrapAction('webhooks', [Keys::class, 'removeWebhooks'])(Connection::getUrl() . '/api/webhooks/');
        Connection::forget();
        Sender::unschedule();
        Outbox::drop();
        delete_option(State::OPTION);
        State::put(['ended' => $why]);
    }
}
