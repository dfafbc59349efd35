<?php

// Fakes of WooCommerce: the shop and its session.

class Shop
{
    public $version = '10.5.2';
    public $session;
    public $cart;
    public $customer;
    public $countries;
}

class Session
{
    public $data = [];
    public $hasCookie = false;

    public function get(string $name, $otherwise = null)
    {
        return $this->data[$name] ?? $otherwise;
    }

    public function set(string $name, $value): void
    {
        $this->data[$name] = $value;
    }

    public function has_session(): bool
    {
        return $this->hasCookie;
    }

    public function set_customer_session_cookie(bool $is): void
    {
        $this->hasCookie = $is;
    }
}

class Customer
{
    private $data = ['billing_country' => 'US', 'shipping_country' => 'US', 'billing_state' => 'CA', 'shipping_state' => 'CA'];

    public function __call(string $name, array $arguments)
    {
        $what = substr($name, 4);
        if (strncmp($name, 'set_', 4) === 0) {
            $this->data[$what] = $arguments[0];
        }
        return $this->data[$what] ?? '';
    }

    public function get_is_paying_customer(): bool
    {
        return (bool) ($this->data['is_paying_customer'] ?? false);
    }
}

class Countries
{
    public function get_base_country(): string
    {
        return 'DE';
    }

    public function get_allowed_countries(): array
    {
        return ['DE' => 'Germany', 'AT' => 'Austria'];
    }
}

function WC(): Shop
{
    return $GLOBALS['shop'];
}

function wc_get_logger(): Logger
{
    return $GLOBALS['logger'];
}

class Logger
{
    public $lines = [];

    public function log(string $level, string $line, array $context): void
    {
        $this->lines[] = $level . ' ' . $line;
    }
}

class WC_Geolocation
{
    public static function get_ip_address(): string
    {
        return $GLOBALS['wp']['ip'] ?? '203.0.113.7';
    }

    public static function geolocate_ip(string $ip, bool $fallback, bool $api): array
    {
        return ['country' => 'DE', 'city' => ''];
    }
}

function wc_add_notice(string $message, string $kind = 'success'): void
{
    $GLOBALS['wp']['notices'][$kind][] = ['notice' => $message];
}

function wc_get_notices(): array
{
    return $GLOBALS['wp']['notices'] ?? [];
}

function wc_set_notices(array $notices): void
{
    $GLOBALS['wp']['notices'] = $notices;
}

function wc_get_cart_url(): string
{
    return 'https://shop.example.com/cart/';
}

function wc_get_checkout_url(): string
{
    return 'https://shop.example.com/checkout/';
}

function wc_get_page_permalink(string $page): string
{
    return 'https://shop.example.com/' . $page . '/';
}

function wc_get_page_id(string $page): int
{
    return 8;
}

function wc_api_hash(string $text): string
{
    return hash_hmac('sha256', $text, 'wc-api');
}


function wp_doing_ajax(): bool
{
    return $GLOBALS['wp']['isAjax'] ?? false;
}

final class WC_AJAX
{
    public static function get_endpoint(string $request): string
    {
        return '/?wc-ajax=' . $request;
    }
}

function is_checkout(): bool
{
    return $GLOBALS['wp']['isCheckout'] ?? true;
}

function woocommerce_register_additional_checkout_field(array $field): void
{
    $GLOBALS['wp']['fields'][$field['id']] = $field;
}
