<?php

namespace Recoup\WooCommerce;

/** Builds the `cart` entry of docs/plugin-protocol.md from the session. */
final class Snapshot
{
    /** @var int the user who has just logged in: get_current_user_id() returns them from the next request on */
    private static $user = 0;

    public static function setUser(int $user): void
    {
        self::$user = $user;
    }

    public static function buildFromSession(): ?array
    {
        $token = Session::getCartToken();
        if ($token === '' || !Session::isAvailable()) {
            return null;
        }
        $cart = WC()->cart;
        $all = $cart->get_cart();
        $lines = Lines::buildLines($all);
        $entry = [
            'type' => 'cart',
            'cart' => $token,
            'lines' => Agreement::canReportLines() ? array_slice($lines, 0, Lines::MAX_LINES) : [],
            'coupons' => self::readCoupons($cart),
            'currency' => get_woocommerce_currency(),
            'total' => self::formatMoney($cart->get_total('edit')),
            'discount' => self::formatMoney((float) $cart->get_discount_total() + (float) $cart->get_discount_tax()),
        ] + Language::readLocale();
        $more = count($lines) - Lines::MAX_LINES;
        $shopper = self::readShopper();
        return $entry + ($more > 0 ? ['more' => $more] : []) + $shopper + self::readSessionState() + self::readLocation(isset($shopper['contact'])) + self::readDeviceType();
    }

    private static function readCoupons(object $cart): array
    {
        $codes = array_slice(array_values((array) $cart->get_applied_coupons()), 0, 20);
        return array_map(static function ($code): string {
            return Text::toPlain($code, 60);
        }, $codes);
    }

    /** @param mixed $amount */
    private static function formatMoney($amount): string
    {
        return wc_format_decimal((float) $amount, wc_get_price_decimals());
    }

    private static function readShopper(): array
    {
        $part = [];
        $contact = Agreement::filterContact(Contact::readKnownContact());
        if ($contact !== []) {
            $part['contact'] = $contact;
        }
        if (Agreement::getToolConsent() === true) {
            $part['agreed'] = true;
        }
        $id = self::$user ?: get_current_user_id();
        self::$user = 0;
        if ($id > 0 && Agreement::mayNameCustomer()) {
            $active = (int) get_user_meta($id, 'wc_last_active', true);
            $part['customer'] = ['id' => (string) $id, 'lastActive' => $active > 0 ? $active : null];
        }
        return $part;
    }

    private static function readSessionState(): array
    {
        $part = [];
        $all = ['consent' => Consent::listAnswersToSend(), 'boxes' => Consent::getVisibleBoxes(), 'forms' => Consent::reportBoxes(), 'back' => Session::get('back')];
        foreach ($all as $name => $value) {
            if (!empty($value)) {
                $part[$name] = $value;
            }
        }
        $draft = (int) WC()->session->get('store_api_draft_order', 0);
        if ($draft > 0) {
            $part['draft'] = (string) $draft;
        }
        $device = Input::readCookie('recoup_device');
        if (Agreement::mayName() && preg_match('/^[\w-]{16,64}$/D', $device)) {
            $part['device'] = $device;
        }
        return $part;
    }

    /** Returns a hash of the shopper's network that changes daily; '' if the network is unknown. */
    public static function hashNetwork(): string
    {
        $network = self::parseNetwork(class_exists('WC_Geolocation') ? (string) \WC_Geolocation::get_ip_address() : '');
        if ($network === '') {
            return '';
        }
        $salt = hash_hmac('sha256', gmdate('Y-m-d'), wp_salt('auth'), true);
        return substr(Text::base64url(hash_hmac('sha256', $network, $salt, true)), 0, 22);
    }

    /**
     * Never contains the IP address. The network hash is sent only with a contact, because the limits on contacts count
     * by it. Country and city need consent.
     */
    private static function readLocation(bool $hasContact): array
    {
        $part = [];
        $client = $hasContact ? self::hashNetwork() : '';
        if ($client !== '') {
            $part['client'] = $client;
        }
        $ip = Agreement::mayName() && class_exists('WC_Geolocation') ? (string) \WC_Geolocation::get_ip_address() : '';
        if (self::parseNetwork($ip) !== '') {
            // Uses the local database only, no remote service.
            $found = \WC_Geolocation::geolocate_ip($ip, false, false);
            $country = Text::toPlain($found['country'] ?? '', 2);
            if (preg_match('/^[A-Z]{2}$/D', $country)) {
                $part['geo'] = ['country' => $country, 'city' => Text::toPlain($found['city'] ?? '', 80)];
            }
        }
        return $part;
    }

    private static function readDeviceType(): array
    {
        $agent = substr(Input::readUserAgent(), 0, 300);
        if ($agent === '') {
            return [];
        }
        $isPhone = strpos($agent, 'iPad') === false && preg_match('/iPhone|iPod|Mobi/', $agent);
        return ['agent' => $isPhone ? 'phone' : 'desktop'];
    }

    /** Returns an IPv4 address, or the /64 prefix of an IPv6 address, in hex. */
    public static function parseNetwork(string $ip): string
    {
        $bytes = filter_var($ip, FILTER_VALIDATE_IP) ? (string) inet_pton($ip) : '';
        return strlen($bytes) === 16 ? bin2hex(substr($bytes, 0, 8)) : bin2hex($bytes);
    }
}
