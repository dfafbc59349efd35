<?php

namespace Recoup\WooCommerce;

/** Lines of a cart, to the wire and back. */
final class Lines
{
    public const MOST = 500;
    /** Finding a picture may take a query. */
    private const MOST_PICTURES = 40;
    /** Marks of lines that their parent brings along: bundles, composites, boxes, add-ons. */
    private const CHILDREN = ['bundled_by', 'composite_parent', 'mnm_container', 'woosb_parent_id', 'wooco_parent_id', 'chained_item_of'];

    /** @param array<string, array> $items WC()->cart->get_cart() */
    public static function of(array $items): array
    {
        $lines = [];
        foreach ($items as $item) {
            $line = self::isChild($item) ? null : self::line($item, count($lines) < self::MOST_PICTURES);
            if ($line !== null) {
                $lines[] = $line;
            }
        }
        return $lines;
    }

    private static function isChild(array $item): bool
    {
        foreach (self::CHILDREN as $mark) {
            if (!empty($item[$mark])) {
                return true;
            }
        }
        return false;
    }

    private static function line(array $item, bool $withPicture): ?array
    {
        $product = $item['data'] ?? null;
        $quantity = (float) ($item['quantity'] ?? 0);
        if (!is_object($product) || $quantity <= 0) {
            return null;
        }
        $isWhole = floor($quantity) === $quantity;
        $variation = (int) ($item['variation_id'] ?? 0);
        $price = (float) $product->get_price() * ($isWhole ? 1 : $quantity);
        return [
            'product' => (string) (int) ($item['product_id'] ?? 0),
            'variation' => $variation > 0 ? (string) $variation : null,
            'quantity' => $isWhole ? (int) min($quantity, 9999) : 1,
            'name' => Text::plain($product->get_name()),
            'sku' => Text::plain($product->get_sku(), 100),
            'price' => wc_format_decimal($price, wc_get_price_decimals()),
            'image' => $withPicture ? self::picture($product) : '',
            'url' => Text::cut((string) $product->get_permalink($item), 1000),
            'choices' => self::choices($item, $product),
        ];
    }

    private static function picture(object $product): string
    {
        $id = (int) $product->get_image_id();
        $address = $id > 0 ? wp_get_attachment_image_url($id, 'woocommerce_thumbnail') : false;
        return $address ? Text::cut((string) $address, 1000) : '';
    }

    /** In the words the shopper saw, as the Store API tells them. */
    private static function choices(array $item, object $product): array
    {
        $choices = [];
        foreach ((array) ($item['variation'] ?? []) as $key => $value) {
            $attribute = self::attributeOf((string) $key);
            $name = wc_attribute_label($attribute, $product);
            if ((string) $value !== '') {
                $choices[] = ['name' => Text::plain($name, 100), 'value' => Text::plain(self::shown($attribute, (string) $value), 200)];
            }
        }
        return array_slice($choices, 0, 50);
    }

    private static function attributeOf(string $key): string
    {
        $prefix = 'attribute_';
        return urldecode(strncmp($key, $prefix, strlen($prefix)) === 0 ? substr($key, strlen($prefix)) : $key);
    }

    private static function shown(string $attribute, string $value): string
    {
        if (!taxonomy_exists($attribute)) {
            return $value;
        }
        $term = get_term_by('slug', $value, $attribute);
        return is_object($term) ? (string) $term->name : $value;
    }

    /**
     * The choices of a saved line as the cart wants them: `attribute_pa_size` => `large`. A choice is found by its name or by its key, a
     * value by its words or by its slug; what the variation itself fixes needs no choice. null: one is missing.
     */
    public static function attributes(object $variation, object $parent, array $choices): ?array
    {
        $wanted = [];
        foreach ($choices as $choice) {
            $name = self::plainKey((string) ($choice['name'] ?? ''));
            $wanted[$name] = (string) ($choice['value'] ?? '');
        }
        $found = [];
        foreach ((array) $variation->get_variation_attributes() as $key => $fixed) {
            $attribute = self::attributeOf((string) $key);
            $label = self::plainKey((string) wc_attribute_label($attribute, $parent));
            $said = $wanted[$label] ?? $wanted[self::plainKey($attribute)] ?? null;
            $value = (string) $fixed !== '' ? (string) $fixed : self::offered($parent, $attribute, $said);
            if ($value === null) {
                return null;
            }
            $found[(string) $key] = $value;
        }
        return $found;
    }

    private static function plainKey(string $text): string
    {
        $lower = function_exists('mb_strtolower') ? mb_strtolower($text) : strtolower($text);
        return (string) preg_replace('/^pa_|[\s_-]+/u', '', trim($lower));
    }

    /** What the parent offers under these words. */
    private static function offered(object $parent, string $attribute, ?string $said): ?string
    {
        if ($said === null) {
            return null;
        }
        if (taxonomy_exists($attribute)) {
            $term = get_term_by('name', $said, $attribute) ?: get_term_by('slug', $said, $attribute);
            return is_object($term) ? (string) $term->slug : null;
        }
        foreach ((array) $parent->get_attributes() as $key => $each) {
            $isThis = self::plainKey((string) $key) === self::plainKey($attribute);
            foreach ($isThis && is_object($each) ? (array) $each->get_options() : [] as $option) {
                if (self::plainKey((string) $option) === self::plainKey($said)) {
                    return (string) $option;
                }
            }
        }
        return null;
    }
}
