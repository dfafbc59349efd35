<?php

namespace Recoup\WooCommerce;

/** Reports stock and prices of requested products when Recoup cannot reach the shop's REST API. */
final class Goods
{
    private const MAX_ITEMS = 100;

    /**
     * Validates the products that Recoup requests. State stores the result until the next report.
     *
     * @param mixed $requested
     */
    public static function parseRequest($requested): array
    {
        $list = [];
        foreach (array_slice(is_array($requested) ? $requested : [], 0, self::MAX_ITEMS) as $item) {
            $product = self::parseId($item['product'] ?? null);
            if ($product !== null) {
                $list[] = ['product' => $product, 'variation' => self::parseId($item['variation'] ?? null)];
            }
        }
        return $list;
    }

    /** @param mixed $id */
    private static function parseId($id): ?string
    {
        return is_string($id) && preg_match('/^[1-9]\d{0,17}$/D', $id) ? $id : null;
    }

    /** Leaves out a product when another plugin throws while it is read. */
    public static function report(array $requested): array
    {
        $list = [];
        foreach ($requested as $item) {
            try {
                $list[] = $item + ['terms' => self::readTerms((int) $item['product'], (int) $item['variation'])];
            } catch (\Throwable $error) {
                Log::warn('The stock of product ' . $item['product'] . ' cannot be read: ' . Text::cut($error->getMessage(), 200));
            }
        }
        return $list;
    }

    /** Reads stock and price in the form of wc/v3; null: the shop no longer sells the product. */
    private static function readTerms(int $id, int $variation): ?array
    {
        $product = wc_get_product($id);
        // An unpublished parent hides its variations, too.
        if (!is_object($product) || $product->get_status() !== 'publish') {
            return null;
        }
        $sold = $variation > 0 ? wc_get_product($variation) : $product;
        if (!is_object($sold)) {
            return null;
        }
        $stock = $sold->get_stock_quantity();
        return [
            'id' => (int) $sold->get_id(),
            'status' => (string) $sold->get_status(),
            'purchasable' => (bool) $sold->is_purchasable(),
            'stock_status' => (string) $sold->get_stock_status(),
            'stock_quantity' => is_numeric($stock) ? (int) $stock : null,
            'price' => (string) $sold->get_price(),
            'on_sale' => (bool) $sold->is_on_sale(),
        ];
    }
}
