<?php

namespace Recoup\WooCommerce;

/** Converts cart lines to the protocol's form and back. */
final class Lines
{
    public const MAX_LINES = 500;
    /** Each image URL may cost a query. */
    private const MAX_PICTURES = 40;
    /**
     * Keys by which bundle, composite and chained product plugins mark child lines. The value is the parent's cart key
     * or product id.
     */
    private const CHILDREN = [
        'bundled_by',
        'composite_parent',
        'mnm_container',
        'woosb_parent_key',
        'woosb_parent_id',
        'wooco_parent_key',
        'wooco_parent_id',
        'woofs_parent_key',
        'woofs_parent_id',
        'woosg_parent_key',
        'woosg_parent_id',
        'asnp_wepb_parent_key',
        'asnp_wepb_parent_id',
        'yith_wcp_child_component_data',
        'chained_item_of',
    ];
    /** The same marks in orders, on parents and children. */
    public const BUNDLE_META_KEYS = '/^_?(bundled_by|composite_parent|mnm_container|woo(s[bg]|co|fs)_(parent_id|ids)|chained_(item|product)_of'
        . '|asnp_wepb_(parent_id|items)|yith_wcp_(child_)?component_data'
        . '|\w+_cart_key|bundled_items|composite_children|mnm_(config|data))$/D';

    /** @param array<string, array> $items WC()->cart->get_cart() */
    public static function buildLines(array $items): array
    {
        $childPrice = [];
        $parts = [];
        foreach ($items as $key => $item) {
            $root = self::findRoot((string) $key, $items);
            if ($root !== (string) $key) {
                $parts[$key] = true;
                $childPrice[$root] = ($childPrice[$root] ?? 0.0) + self::computeUnitPrice($item) * (float) ($item['quantity'] ?? 0);
            }
        }
        $lines = [];
        foreach (array_diff_key($items, $parts) as $key => $item) {
            $line = self::buildLine($item, $childPrice[$key] ?? 0.0, count($lines) < self::MAX_PICTURES);
            if ($line !== null) {
                $lines[] = $line;
            }
        }
        return $lines;
    }

    /**
     * Returns the cart key of the outermost parent: the line itself if it has none, '' if the parent is not in the
     * cart.
     */
    private static function findRoot(string $key, array $items): string
    {
        for ($depth = 0; $depth < 10; $depth++) {
            $parentKey = self::findParent($key, $items);
            if ($parentKey === null || $parentKey === '') {
                return $parentKey ?? $key;
            }
            $key = $parentKey;
        }
        return '';
    }

    /** Returns the parent's cart key; '' if it is not in the cart; null if the line has no parent. */
    private static function findParent(string $key, array $items): ?string
    {
        $isPart = false;
        foreach (self::CHILDREN as $mark) {
            $reference = $items[$key][$mark] ?? '';
            $reference = is_array($reference) ? $reference['yith_wcp_cart_parent_key'] ?? '' : $reference;
            $reference = is_scalar($reference) ? (string) $reference : '';
            if ($reference === '' || $reference === '0' || $reference === $key) {
                continue;
            }
            // WPC Grouped Product may remove the group from the cart. Its products then count as independent lines.
            $isPart = $isPart || strncmp($mark, 'woosg_', 6) !== 0;
            if (isset($items[$reference])) {
                return $reference;
            }
            foreach ($items as $other => $item) {
                $isMatch = in_array($reference, [(string) ($item['product_id'] ?? ''), (string) ($item['variation_id'] ?? '')], true);
                if ($isMatch && (string) $other !== $key) {
                    return (string) $other;
                }
            }
        }
        return $isPart ? '' : null;
    }

    /** Returns the price of one unit as the cart displays it, with or without tax. */
    private static function computeUnitPrice(array $item): float
    {
        $product = $item['data'] ?? null;
        if (!is_object($product)) {
            return 0.0;
        }
        $withTax = WC()->cart->display_prices_including_tax();
        return (float) ($withTax ? wc_get_price_including_tax($product) : wc_get_price_excluding_tax($product));
    }

    /** @param float $childPrice total price of the line's child lines */
    private static function buildLine(array $item, float $childPrice, bool $withPicture): ?array
    {
        $product = $item['data'] ?? null;
        $quantity = (float) ($item['quantity'] ?? 0);
        if (!is_object($product) || $quantity <= 0) {
            return null;
        }
        $isWhole = floor($quantity) === $quantity;
        $variation = (int) ($item['variation_id'] ?? 0);
        $price = (self::computeUnitPrice($item) + $childPrice / $quantity) * ($isWhole ? 1 : $quantity);
        return [
            'product' => (string) (int) ($item['product_id'] ?? 0),
            'variation' => $variation > 0 ? (string) $variation : null,
            'quantity' => $isWhole ? (int) min($quantity, 9999) : 1,
            'name' => Text::toPlain($product->get_name()),
            'sku' => Text::toPlain($product->get_sku(), 100),
            'price' => wc_format_decimal($price, wc_get_price_decimals()),
            'image' => $withPicture ? self::findImageUrl($product) : '',
            'url' => Text::cut((string) $product->get_permalink($item), 1000),
            'choices' => self::readChoices($item, $product),
        ];
    }

    private static function findImageUrl(object $product): string
    {
        $id = (int) $product->get_image_id();
        $address = $id > 0 ? wp_get_attachment_image_url($id, 'woocommerce_thumbnail') : false;
        return $address ? Text::cut((string) $address, 1000) : '';
    }

    /** Uses the labels that the shopper saw, as the Store API does. */
    private static function readChoices(array $item, object $product): array
    {
        $choices = [];
        foreach ((array) ($item['variation'] ?? []) as $key => $value) {
            $attribute = self::parseAttributeName((string) $key);
            $name = wc_attribute_label($attribute, $product);
            if ((string) $value !== '') {
                $choices[] = ['name' => Text::toPlain($name, 100), 'value' => Text::toPlain(self::findValueLabel($attribute, (string) $value), 200)];
            }
        }
        return array_slice($choices, 0, 50);
    }

    private static function parseAttributeName(string $key): string
    {
        $prefix = 'attribute_';
        return urldecode(strncmp($key, $prefix, strlen($prefix)) === 0 ? substr($key, strlen($prefix)) : $key);
    }

    private static function findValueLabel(string $attribute, string $value): string
    {
        if (!taxonomy_exists($attribute)) {
            return $value;
        }
        $term = get_term_by('slug', $value, $attribute);
        return is_object($term) ? (string) $term->name : $value;
    }

    /**
     * Converts a saved line's choices to cart attributes: `attribute_pa_size` => `large`. Choices match by label or
     * key, values by label or slug. Attributes that the variation fixes need no choice. null: a choice is missing.
     */
    public static function matchAttributes(object $variation, object $parent, array $choices): ?array
    {
        $choicesByName = [];
        foreach ($choices as $choice) {
            $name = self::normalizeKey((string) ($choice['name'] ?? ''));
            $choicesByName[$name] = (string) ($choice['value'] ?? '');
        }
        $found = [];
        foreach ((array) $variation->get_variation_attributes() as $key => $fixed) {
            $attribute = self::parseAttributeName((string) $key);
            $label = self::normalizeKey((string) wc_attribute_label($attribute, $parent));
            $chosen = $choicesByName[$label] ?? $choicesByName[self::normalizeKey($attribute)] ?? null;
            $value = (string) $fixed !== '' ? (string) $fixed : self::findOption($parent, $attribute, $chosen);
            if ($value === null) {
                return null;
            }
            $found[(string) $key] = $value;
        }
        return $found;
    }

    private static function normalizeKey(string $text): string
    {
        $lower = function_exists('mb_strtolower') ? mb_strtolower($text) : strtolower($text);
        return (string) preg_replace('/^pa_|[\s_-]+/u', '', trim($lower));
    }

    /** Finds the parent's option with this label or slug. */
    private static function findOption(object $parent, string $attribute, ?string $chosen): ?string
    {
        if ($chosen === null) {
            return null;
        }
        if (taxonomy_exists($attribute)) {
            $term = get_term_by('name', $chosen, $attribute) ?: get_term_by('slug', $chosen, $attribute);
            return is_object($term) ? (string) $term->slug : null;
        }
        foreach ((array) $parent->get_attributes() as $key => $each) {
            $isThis = self::normalizeKey((string) $key) === self::normalizeKey($attribute);
            foreach ($isThis && is_object($each) ? (array) $each->get_options() : [] as $option) {
                if (self::normalizeKey((string) $option) === self::normalizeKey($chosen)) {
                    return (string) $option;
                }
            }
        }
        return null;
    }
}
