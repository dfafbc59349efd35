<?php

namespace Recoup\WooCommerce;

/**
 * Queues orders when they are placed or changed. Reports modified orders when Recoup cannot reach the shop's REST API.
 */
final class Orders
{
    private const MAX_LINES = 500;
    private const REPORT_ORDERS = 100;
    private const REPORT_BYTES = 400000;
    /** A script that saves thousands of orders in one request is left to Recoup's next sync. */
    private const MAX_CHANGED = 200;
    /** Meta keys by which subscription plugins mark a renewal. */
    private const RENEWALS = [
        '_subscription_renewal',
        '_subscription_renewal_early',
        'is_a_renew',
        'wps_sfw_renewal_order',
        'sumo_renewal_order_date',
        '_subscriptio_renewal',
    ];

    /** @var array<int, string> */
    private static $changed = [];
    /** @var array<int, array> order id => consent boxes that its checkout showed */
    private static $boxes = [];

    public static function start(): void
    {
        $onOrderPlaced = Guard::wrapAction('order_processed', [self::class, 'onOrderPlaced']);
        add_action('woocommerce_checkout_order_processed', $onOrderPlaced, 99, 1);
        add_action('woocommerce_store_api_checkout_order_processed', $onOrderPlaced, 99, 1);
        $addOrderMeta = Guard::wrapAction('order_meta', [self::class, 'addOrderMeta']);
        add_action('woocommerce_checkout_create_order', $addOrderMeta, 11, 1);
        add_action('woocommerce_store_api_checkout_update_order_meta', $addOrderMeta, 11, 1);
        $onOrderChanged = Guard::wrapAction('order_changed', [self::class, 'onOrderChanged']);
        // `update_order` fires on every save, including edits of the items by staff.
        $hooks = [
            'woocommerce_new_order',
            'woocommerce_update_order',
            'woocommerce_order_status_changed',
            'woocommerce_order_refunded',
            'woocommerce_trash_order',
            'woocommerce_before_delete_order',
        ];
        foreach ($hooks as $hook) {
            add_action($hook, $onOrderChanged, 99, 1);
        }
        add_action('trashed_post', Guard::wrapAction('trashed_post', [self::class, 'onPostTrashed']), 99, 1);
    }

    /** @param mixed $order WooCommerce saves the order right after */
    public static function addOrderMeta($order): void
    {
        if (!is_object($order) || !Connection::isConnected()) {
            return;
        }
        if (Session::getCartToken() !== '') {
            $order->update_meta_data('_recoup_cart', Session::getCartToken());
        }
        Consent::writeToOrder($order);
    }

    /** @param mixed $order order or its id */
    public static function onOrderPlaced($order): void
    {
        $id = is_object($order) ? (int) $order->get_id() : (int) $order;
        if ($id <= 0 || !Connection::isConnected()) {
            return;
        }
        self::$changed[$id] = 'placed';
        self::$boxes[$id] = Consent::reportBoxes();
        Consent::copyToAccount(get_current_user_id());
        if (Session::getCartToken() !== '') {
            Session::put('ordered', $id);
        }
        Capture::scheduleFinish();
    }

    /** @param mixed $id */
    public static function onOrderChanged($id): void
    {
        $id = (int) $id;
        if ($id > 0 && count(self::$changed) < self::MAX_CHANGED && Connection::isConnected()) {
            self::$changed += [$id => 'changed'];
            Capture::scheduleFinish();
        }
    }

    /** Shops that store orders as posts (without HPOS). @param mixed $id */
    public static function onPostTrashed($id): void
    {
        if (get_post_type((int) $id) === 'shop_order') {
            self::onOrderChanged($id);
        }
    }

    /** Excludes subscriptions, vendors' sub-orders and refunds, which WooCommerce also stores as orders. @param mixed $order */
    private static function isOrder($order): bool
    {
        return is_object($order) && is_a($order, 'WC_Order') && $order->get_type() === 'shop_order'
            && !in_array($order->get_status(), ['checkout-draft', 'auto-draft'], true);
    }

    /** Queues the changed orders; returns whether there were any. */
    public static function queueChanged(): bool
    {
        $all = self::$changed;
        self::$changed = [];
        $hasQueued = false;
        foreach ($all as $id => $event) {
            $hasQueued = self::queueOrder($id, $event) || $hasQueued;
        }
        self::$boxes = [];
        return $hasQueued;
    }

    private static function queueOrder(int $id, string $event): bool
    {
        $order = wc_get_order($id);
        if (!self::isOrder($order)) {
            return false;
        }
        $cart = $order->get_meta('_recoup_cart');
        $isToken = is_string($cart) && preg_match('/^[\w-]{32}$/D', $cart);
        $entry = ['type' => 'order', 'order' => self::serialize($order), 'cart' => $isToken ? $cart : null, 'event' => $event]
            + array_filter(['forms' => self::$boxes[$id] ?? []]);
        Outbox::put('order:' . $id, $entry);
        return true;
    }

    /** Serializes the fields that Recoup reads, in the form of wc/v3. */
    public static function serialize(object $order): array
    {
        $decimals = wc_get_price_decimals();
        return [
            'id' => (int) $order->get_id(),
            'parent_id' => (int) $order->get_parent_id(),
            'status' => (string) $order->get_status(),
            'currency' => (string) $order->get_currency(),
            'date_created_gmt' => self::formatUtc($order->get_date_created()),
            'date_modified_gmt' => self::formatUtc($order->get_date_modified()) ?? gmdate('Y-m-d\TH:i:s'),
            'date_paid_gmt' => self::formatUtc($order->get_date_paid()),
            'total' => wc_format_decimal($order->get_total(), $decimals),
            'prices_include_tax' => (bool) $order->get_prices_include_tax(),
            'customer_id' => (int) $order->get_customer_id(),
            'billing' => self::readAddress($order, 'billing'),
            'shipping' => self::readAddress($order, 'shipping'),
            'line_items' => array_map([self::class, 'buildLine'], self::readLineItems($order)),
            'refunds' => array_map([self::class, 'buildRefund'], array_values($order->get_refunds())),
            'coupon_lines' => array_map([self::class, 'buildCoupon'], array_values($order->get_items('coupon'))),
            'created_via' => Text::toPlain($order->get_created_via(), 60),
            'payment_url' => (string) $order->get_checkout_payment_url(),
            'meta_data' => self::readMeta($order),
        ];
    }

    /** @param mixed $date */
    private static function formatUtc($date): ?string
    {
        return is_object($date) ? gmdate('Y-m-d\TH:i:s', $date->getTimestamp()) : null;
    }

    private static function readAddress(object $order, string $kind): array
    {
        $address = [];
        foreach (['first_name', 'last_name', 'company', 'country', 'state', 'email', 'phone'] as $part) {
            $get = 'get_' . $kind . '_' . $part;
            $address[$part] = is_callable([$order, $get]) ? Text::toPlain($order->$get()) : '';
        }
        return $address;
    }

    private static function readLineItems(object $order): array
    {
        return array_slice(array_values($order->get_items('line_item')), 0, self::MAX_LINES);
    }

    private static function buildLine(object $item): array
    {
        $product = $item->get_product();
        $quantity = (float) $item->get_quantity();
        return [
            'id' => (int) $item->get_id(),
            'product_id' => (int) $item->get_product_id(),
            'variation_id' => (int) $item->get_variation_id(),
            'name' => Text::toPlain($item->get_name()),
            'sku' => is_object($product) ? Text::toPlain($product->get_sku(), 100) : '',
            'quantity' => $quantity,
            'subtotal' => wc_format_decimal($item->get_subtotal()),
            'subtotal_tax' => wc_format_decimal($item->get_subtotal_tax()),
            'price' => $quantity > 0 ? (float) $item->get_total() / $quantity : 0,
            'meta_data' => array_merge(self::readChoices($item), self::readBundleMeta($item)),
        ];
    }

    private static function readChoices(object $item): array
    {
        $choices = [];
        foreach ($item->get_variation_id() ? $item->get_formatted_meta_data('_', true) : [] as $meta) {
            if (strncmp((string) $meta->key, 'pa_', 3) === 0) {
                $choices[] = [
                    'key' => (string) $meta->key,
                    'display_key' => Text::toPlain(wp_strip_all_tags((string) $meta->display_key), 100),
                    'display_value' => Text::toPlain(wp_strip_all_tags((string) $meta->display_value), 200),
                ];
            }
        }
        return array_slice($choices, 0, 50);
    }

    /** Reads the meta data that links bundle parents and children, and no other meta data of plugins. */
    private static function readBundleMeta(object $item): array
    {
        $meta = [];
        foreach ($item->get_meta_data() as $each) {
            $data = $each->get_data();
            $key = (string) ($data['key'] ?? '');
            if (preg_match(Lines::BUNDLE_META_KEYS, $key)) {
                $value = $data['value'] ?? '';
                $meta[] = ['key' => $key, 'value' => is_scalar($value) ? Text::toPlain($value, 100) : !empty($value)];
            }
        }
        return array_slice($meta, 0, 20);
    }

    private static function buildRefund(object $refund): array
    {
        return ['id' => (int) $refund->get_id(), 'total' => wc_format_decimal(-abs((float) $refund->get_amount()))];
    }

    private static function buildCoupon(object $item): array
    {
        return [
            'code' => Text::toPlain($item->get_code(), 100),
            'discount' => wc_format_decimal($item->get_discount()),
            'discount_tax' => wc_format_decimal($item->get_discount_tax()),
        ];
    }

    /** Reads the plugin's own meta data, renewal marks and the order's language. */
    private static function readMeta(object $order): array
    {
        $meta = [];
        foreach ($order->get_meta_data() as $each) {
            $data = $each->get_data();
            $key = (string) ($data['key'] ?? '');
            $isOurs = strncmp($key, '_recoup_', 8) === 0 || $key === 'wpml_language' || in_array($key, self::RENEWALS, true);
            if ($isOurs && is_scalar($data['value'] ?? null)) {
                $meta[] = ['key' => $key, 'value' => Text::toPlain($data['value'], 1000)];
            }
        }
        return array_slice($meta, 0, 20);
    }

    /**
     * Reports orders modified at or after an instant, oldest first, and the stock of these products; null if $since is
     * not a date.
     *
     * @param array $goods result of Goods::parseRequest()
     * @param int[] $reported excludes these unless they have changed since
     */
    public static function report(string $since, array $goods, array $reported = []): ?array
    {
        $from = strtotime($since);
        if ($from === false) {
            return null;
        }
        $startedAt = time();
        $orders = $reported === [] ? self::findModified($from) : self::mergeById(self::findModified($from, $reported), self::findModified($from + 1));
        $list = [];
        $bytes = 0;
        foreach (array_slice($orders, 0, self::REPORT_ORDERS) as $order) {
            $serialized = self::serializeOrIdentify($order);
            $bytes += strlen(Api::encodeJson($serialized));
            if ($bytes > self::REPORT_BYTES && $list !== []) {
                break;
            }
            $list[] = $serialized;
        }
        $report = ['since' => $since, 'isComplete' => count($list) === count($orders), 'list' => $list, 'goods' => Goods::report($goods)];
        return $report + ['age' => time() - $startedAt];
    }

    /** Fetches one more than a report holds, oldest first. @param int[] $without */
    private static function findModified(int $from, array $without = []): array
    {
        $statuses = array_merge(array_keys(wc_get_order_statuses()), ['trash']);
        return wc_get_orders([
            'type' => 'shop_order',
            'status' => array_values(array_diff($statuses, ['wc-checkout-draft'])),
            'date_modified' => '>=' . $from,
            'orderby' => 'modified',
            'order' => 'ASC',
            'limit' => self::REPORT_ORDERS + 1,
        ] + ($without === [] ? [] : ['exclude' => $without]));
    }

    /** Merges by id, oldest first, with the same limit as findModified(). */
    private static function mergeById(array $orders, array $others): array
    {
        $all = [];
        foreach (array_merge($orders, $others) as $order) {
            $all[(int) $order->get_id()] = $order;
        }
        uasort($all, static function ($one, $other): int {
            return strcmp((string) self::formatUtc($one->get_date_modified()), (string) self::formatUtc($other->get_date_modified()));
        });
        return array_slice(array_values($all), 0, self::REPORT_ORDERS + 1);
    }

    /** Reports only the id and date of an order when another plugin throws while it is read. */
    private static function serializeOrIdentify(object $order): array
    {
        try {
            return self::serialize($order);
        } catch (\Throwable $error) {
            Log::warn('Order ' . $order->get_id() . ' cannot be read: ' . Text::cut($error->getMessage(), 200));
            return ['id' => (int) $order->get_id(), 'date_modified_gmt' => self::formatUtc($order->get_date_modified())];
        }
    }
}
