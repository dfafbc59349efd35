<?php

// Stand-ins for classes and functions of WooCommerce, as small as the plugin's use of them.

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

    public function __call(string $name, array $given)
    {
        $what = substr($name, 4);
        if (strncmp($name, 'set_', 4) === 0) {
            $this->data[$what] = $given[0];
        }
        return $this->data[$what] ?? '';
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

class Product
{
    public $id;
    public $parent;
    public $price;
    public $name;
    public $stock;
    public $type;
    public $attributes;
    public $status = 'publish';

    public function __construct(array $of)
    {
        $defaults = ['parent' => 0, 'price' => '10', 'name' => 'Tea', 'stock' => null, 'type' => 'simple', 'attributes' => []];
        foreach ($of + $defaults as $name => $value) {
            $this->$name = $value;
        }
    }

    public function get_id(): int
    {
        return $this->id;
    }

    public function get_price(): string
    {
        return $this->price;
    }

    public function get_name(): string
    {
        return $this->name;
    }

    public function get_sku(): string
    {
        return 'sku-' . $this->id;
    }

    public function get_status(): string
    {
        return $this->status;
    }

    public function get_image_id(): int
    {
        return $this->id;
    }

    public function get_permalink($item = null): string
    {
        return 'https://shop.example.com/?p=' . $this->id;
    }

    public function is_type(string $type): bool
    {
        return $this->type === $type;
    }

    public function is_purchasable(): bool
    {
        return $this->price !== '';
    }

    public function is_in_stock(): bool
    {
        return $this->stock !== 0;
    }

    public function get_max_purchase_quantity(): int
    {
        return $this->stock ?? -1;
    }

    public function get_variation_attributes(): array
    {
        return $this->attributes;
    }

    public function get_attributes(): array
    {
        return $this->attributes;
    }
}

class Options
{
    private $options;

    public function __construct(array $options)
    {
        $this->options = $options;
    }

    public function get_options(): array
    {
        return $this->options;
    }
}

class Cart
{
    public $lines = [];
    public $coupons = [];

    public function is_empty(): bool
    {
        return $this->lines === [];
    }

    public function get_cart(): array
    {
        return $this->lines;
    }

    public function generate_cart_id(int $product, int $variation, array $attributes, array $data): string
    {
        return $product . '-' . $variation . '-' . json_encode($attributes);
    }

    public function find_product_in_cart(string $key): string
    {
        return isset($this->lines[$key]) ? $key : '';
    }

    public function get_cart_item(string $key): array
    {
        return $this->lines[$key] ?? [];
    }

    public function set_quantity(string $key, int $quantity): void
    {
        $this->lines[$key]['quantity'] = $quantity;
        do_action('woocommerce_after_cart_item_quantity_update', $key);
    }

    public function add_to_cart(int $product, $quantity = 1, int $variation = 0, array $attributes = [], array $data = [])
    {
        $of = wc_get_product($variation ?: $product);
        if (!$of || ($of->stock !== null && $quantity > $of->stock)) {
            wc_add_notice('You cannot add that amount.', 'error');
            return false;
        }
        $key = $this->generate_cart_id($product, $variation, $attributes, []);
        $before = $this->lines[$key]['quantity'] ?? 0;
        $this->lines[$key] = $data + [
            'product_id' => $product,
            'variation_id' => $variation,
            'variation' => $attributes,
            'quantity' => $before + $quantity,
            'data' => $of,
        ];
        do_action('woocommerce_add_to_cart', $key);
        return $key;
    }

    public function empty_cart(): void
    {
        $this->lines = [];
        do_action('woocommerce_cart_emptied');
    }

    public function get_applied_coupons(): array
    {
        return $this->coupons;
    }

    public function has_discount(string $code): bool
    {
        return in_array($code, $this->coupons, true);
    }

    public function apply_coupon(string $code): bool
    {
        if (!in_array($code, $GLOBALS['wp']['coupons'] ?? [], true)) {
            wc_add_notice('Coupon does not exist!', 'error');
            return false;
        }
        $this->coupons[] = $code;
        do_action('woocommerce_applied_coupon', $code);
        return true;
    }

    public function get_total(string $context = 'view'): string
    {
        $sum = 0.0;
        foreach ($this->lines as $line) {
            $sum += (float) $line['data']->get_price() * $line['quantity'];
        }
        return (string) $sum;
    }

    public function get_discount_total(): float
    {
        return 0.0;
    }

    public function get_discount_tax(): float
    {
        return 0.0;
    }
}

class WC_Order
{
    public $id;
    public $status = 'processing';
    public $meta = [];

    public function __construct(int $id)
    {
        $this->id = $id;
    }

    public function get_id(): int
    {
        return $this->id;
    }

    public function get_status(): string
    {
        return $this->status;
    }

    public function get_meta(string $name)
    {
        return $this->meta[$name] ?? '';
    }

    public function update_meta_data(string $name, $value): void
    {
        $this->meta[$name] = $value;
    }

    public function get_meta_data(): array
    {
        $list = [];
        foreach ($this->meta as $key => $value) {
            $list[] = new Meta($key, $value);
        }
        return $list;
    }

    public function get_date_modified()
    {
        return new DateTime('2026-11-24 10:00:00', new DateTimeZone('America/Los_Angeles'));
    }

    public function get_items(string $kind): array
    {
        return [];
    }

    public function get_refunds(): array
    {
        return [];
    }

    public function get_date_created()
    {
        return null;
    }

    public function get_date_paid()
    {
        return null;
    }

    public function get_currency(): string
    {
        return 'EUR';
    }

    public function get_total(): string
    {
        return '12.5';
    }

    public function get_prices_include_tax(): bool
    {
        return true;
    }

    public function get_customer_id(): int
    {
        return 0;
    }

    public function get_created_via(): string
    {
        return 'checkout';
    }

    public function get_checkout_payment_url(): string
    {
        return 'https://shop.example.com/pay';
    }

    public function get_billing_email(): string
    {
        return 'vera@example.com';
    }

    public function get_billing_address_1(): string
    {
        return '1 Main St';
    }
}

class Meta
{
    private $pair;

    public function __construct(string $key, $value)
    {
        $this->pair = ['key' => $key, 'value' => $value];
    }

    public function get_data(): array
    {
        return $this->pair;
    }
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

function WC(): Shop
{
    return $GLOBALS['shop'];
}

function wc_get_logger(): Logger
{
    return $GLOBALS['logger'];
}

function wc_get_product(int $id)
{
    return $GLOBALS['wp']['products'][$id] ?? false;
}

function wc_get_order(int $id)
{
    return $GLOBALS['wp']['orders'][$id] ?? false;
}

function wc_get_orders(array $query): array
{
    $GLOBALS['wp']['orderQuery'] = $query;
    return array_values($GLOBALS['wp']['orders'] ?? []);
}

function wc_get_order_statuses(): array
{
    return ['wc-pending' => 'Pending', 'wc-checkout-draft' => 'Draft'];
}

function wc_attribute_label(string $name, $product = null): string
{
    return ['pa_size' => 'Size', 'color' => 'Color'][$name] ?? $name;
}

function wc_format_decimal($number, $places = false): string
{
    return $places === false ? rtrim(rtrim(sprintf('%.6F', $number), '0'), '.') : sprintf('%.' . $places . 'F', $number);
}

function wc_get_price_decimals(): int
{
    return 2;
}

function get_woocommerce_currency(): string
{
    return 'EUR';
}

function wc_prices_include_tax(): bool
{
    return true;
}

function wc_api_hash(string $text): string
{
    return hash_hmac('sha256', $text, 'wc-api');
}

function wc_add_notice(string $words, string $kind = 'success'): void
{
    $GLOBALS['wp']['notices'][$kind][] = ['notice' => $words];
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

function wc_format_coupon_code(string $code): string
{
    return strtolower($code);
}

class WC_Data_Store
{
    public static function load(string $name): self
    {
        return new self();
    }

    public function search_webhooks(array $query): array
    {
        return array_keys($GLOBALS['wp']['webhooks'] ?? []);
    }
}

class Webhook
{
    private $id;

    public function __construct(int $id)
    {
        $this->id = $id;
    }

    public function get_delivery_url(): string
    {
        return $GLOBALS['wp']['webhooks'][$this->id];
    }

    public function delete(bool $force): void
    {
        unset($GLOBALS['wp']['webhooks'][$this->id]);
    }
}

function wc_get_webhook(int $id): Webhook
{
    return new Webhook($id);
}
