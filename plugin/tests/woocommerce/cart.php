<?php

// Fakes of WooCommerce: the cart.

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

    public function display_prices_including_tax(): bool
    {
        return $GLOBALS['wp']['shows_tax'] ?? wc_prices_include_tax();
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

function wc_format_coupon_code(string $code): string
{
    return strtolower($code);
}
