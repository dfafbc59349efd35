<?php

// Fakes of WooCommerce: webhooks.

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
