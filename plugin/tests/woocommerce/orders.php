<?php

// Fakes of WooCommerce: orders.

class WC_Order
{
    public $id;
    public $status = 'processing';
    public $meta = [];
    public $type = 'shop_order';
    public $parent = 0;
    public $modified = '2026-11-24 18:00:00';

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

    public function get_type(): string
    {
        return $this->type;
    }

    public function get_parent_id(): int
    {
        return $this->parent;
    }

    public function get_meta(string $name)
    {
        return $this->meta[$name] ?? '';
    }

    public function update_meta_data(string $name, $value): void
    {
        $this->meta[$name] = $value;
    }

    public function delete_meta_data(string $name): void
    {
        unset($this->meta[$name]);
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
        return (new DateTime($this->modified, new DateTimeZone('UTC')))->setTimezone(new DateTimeZone('America/Los_Angeles'));
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

function wc_get_order(int $id)
{
    return $GLOBALS['wp']['orders'][$id] ?? false;
}

function wc_get_orders(array $query): array
{
    $GLOBALS['wp']['orderQuery'] = $query;
    $remaining = array_diff_key($GLOBALS['wp']['orders'] ?? [], array_flip($query['exclude'] ?? []));
    $from = (int) substr($query['date_modified'] ?? '>=0', 2);
    $instant = static function (WC_Order $order): int {
        return $order->get_date_modified()->getTimestamp();
    };
    $found = array_filter($remaining, static function (WC_Order $order) use ($from, $instant): bool {
        return $instant($order) >= $from;
    });
    uasort($found, static function (WC_Order $one, WC_Order $other) use ($instant): int {
        return [$instant($one), $one->id] <=> [$instant($other), $other->id];
    });
    return array_slice(array_values($found), 0, $query['limit'] ?? null);
}

function wc_get_order_statuses(): array
{
    return ['wc-pending' => 'Pending', 'wc-checkout-draft' => 'Draft'];
}
