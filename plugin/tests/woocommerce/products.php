<?php

// Fakes of WooCommerce: products and prices.

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

    public function get_stock_status(): string
    {
        return $this->is_in_stock() ? 'instock' : 'outofstock';
    }

    public function get_stock_quantity(): ?int
    {
        return $this->stock;
    }

    public function is_on_sale(): bool
    {
        return false;
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

function wc_get_product(int $id)
{
    return $GLOBALS['wp']['products'][$id] ?? false;
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
    return (int) ($GLOBALS['wp']['options']['woocommerce_price_num_decimals'] ?? 2);
}

function get_woocommerce_currency(): string
{
    return 'EUR';
}

function wc_prices_include_tax(): bool
{
    return ($GLOBALS['wp']['options']['woocommerce_prices_include_tax'] ?? 'yes') === 'yes';
}

/** Adds 19 % tax to net prices, or removes it in a shop that enters gross prices. */
function wc_get_price_including_tax($product): float
{
    return round((float) $product->get_price() * (wc_prices_include_tax() ? 1 : 1.19), wc_get_price_decimals());
}

function wc_get_price_excluding_tax($product): float
{
    return round((float) $product->get_price() / (wc_prices_include_tax() ? 1.19 : 1), wc_get_price_decimals());
}
