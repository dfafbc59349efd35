<?php

namespace Recoup\WooCommerce;

/**
 * Adds saved lines to the shopper's cart. It skips lines already in the cart and collects the names of unavailable
 * products.
 */
final class Refill
{
    /** @var array<int, array> */
    private $lines;
    /** @var string[] */
    private $unavailable = [];
    /** @var string[] */
    private $reduced = [];
    /** @var string[] */
    private $toChoose = [];

    public function __construct(array $lines)
    {
        $this->lines = array_slice(array_values(array_filter($lines, 'is_array')), 0, Lines::MAX_LINES);
    }

    /** @return string[] */
    public function listUnavailable(): array
    {
        return $this->unavailable;
    }

    /** @return string[] */
    public function listReduced(): array
    {
        return $this->reduced;
    }

    /** @return string[] */
    public function listToChoose(): array
    {
        return $this->toChoose;
    }

    /** Whether the cart holds items or quantities that the saved cart does not. */
    public function wouldLoseItems(): bool
    {
        $saved = [];
        foreach ($this->lines as $line) {
            $key = self::buildProductKey((int) ($line['product'] ?? 0), (int) ($line['variation'] ?? 0));
            $saved[$key] = ($saved[$key] ?? 0) + (int) ($line['quantity'] ?? 1);
        }
        foreach (Lines::buildLines(WC()->cart->get_cart()) as $line) {
            $key = self::buildProductKey((int) $line['product'], (int) $line['variation']);
            $saved[$key] = ($saved[$key] ?? 0) - $line['quantity'];
            if ($saved[$key] < 0) {
                return true;
            }
        }
        return false;
    }

    private static function buildProductKey(int $product, int $variation): string
    {
        return $product . '/' . $variation;
    }

    public function fill(bool $fromEmpty): void
    {
        $before = wc_get_notices();
        if ($fromEmpty) {
            WC()->cart->empty_cart();
        }
        foreach ($this->lines as $line) {
            $this->addLine($line);
        }
        // Drops WooCommerce's notices on single lines: Restore shows one notice with all names.
        wc_set_notices($before);
    }

    private function addLine(array $line): void
    {
        $parent = wc_get_product((int) ($line['product'] ?? 0));
        $variation = (int) ($line['variation'] ?? 0) > 0 ? wc_get_product((int) $line['variation']) : null;
        $product = $variation ?: $parent;
        $name = Text::toPlain($line['name'] ?? '') ?: ($product ? Text::toPlain($product->get_name()) : '');
        $isMissing = !$parent || ((int) ($line['variation'] ?? 0) > 0 && !$variation);
        if ($isMissing || !$product->is_purchasable() || !$product->is_in_stock() || $parent->get_status() !== 'publish') {
            $this->unavailable[] = $name;
            return;
        }
        $choices = is_array($line['choices'] ?? null) ? $line['choices'] : [];
        $attributes = $variation ? Lines::matchAttributes($variation, $parent, $choices) : [];
        if ($attributes === null || (!$variation && $parent->is_type('variable'))) {
            $this->toChoose[] = $name;
            return;
        }
        $this->addToCart($product, $parent, $attributes, max(1, min(9999, (int) ($line['quantity'] ?? 1))), $name);
    }

    private function addToCart(object $product, object $parent, array $attributes, int $requested, string $name): void
    {
        $variation = $product->is_type('variation') ? (int) $product->get_id() : 0;
        $key = WC()->cart->find_product_in_cart(
            WC()->cart->generate_cart_id((int) $parent->get_id(), $variation, $attributes, [])
        );
        $inCart = $key === '' ? 0 : (int) WC()->cart->get_cart_item($key)['quantity'];
        $quantity = self::limitQuantity($product, $requested);
        if ($inCart >= $quantity && $inCart > 0) {
            return;
        }
        if ($key !== '') {
            WC()->cart->set_quantity($key, $quantity);
        } elseif (!WC()->cart->add_to_cart((int) $parent->get_id(), $quantity, $variation, $attributes)) {
            // Another plugin requires more input (an engraving, a date), or the last item was just sold.
            $this->toChoose[] = $name;
            return;
        }
        if ($quantity < $requested) {
            $this->reduced[] = $name;
        }
    }

    private static function limitQuantity(object $product, int $requested): int
    {
        $limit = (int) $product->get_max_purchase_quantity();
        return $limit > 0 ? min($requested, $limit) : $requested;
    }
}
