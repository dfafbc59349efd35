<?php

namespace Recoup\WooCommerce;

// phpcs:disable WordPress.DB.DirectDatabaseQuery -- WooCommerce has no function that creates a REST key; its own screen also writes the table directly.

/** The WooCommerce REST key that Recoup uses, stored in the same form as WooCommerce's own screen stores it. */
final class Keys
{
    /** Returns the key's id; 0 if it could not be written. */
    public static function create(string $key, string $secret): int
    {
        global $wpdb;
        $isWritten = $wpdb->insert(
            $wpdb->prefix . 'woocommerce_api_keys',
            [
                'user_id' => get_current_user_id(),
                'description' => 'Recoup',
                'permissions' => 'read_write',
                'consumer_key' => wc_api_hash($key),
                'consumer_secret' => $secret,
                'truncated_key' => substr($key, -7),
            ],
            ['%d', '%s', '%s', '%s', '%s', '%s']
        );
        return $isWritten ? (int) $wpdb->insert_id : 0;
    }

    public static function remove(int $id): void
    {
        global $wpdb;
        if ($id > 0) {
            $wpdb->delete($wpdb->prefix . 'woocommerce_api_keys', ['key_id' => $id, 'description' => 'Recoup'], ['%d', '%s']);
        }
    }

    public static function exists(int $id): bool
    {
        global $wpdb;
        $table = $wpdb->prefix . 'woocommerce_api_keys';
        return $id > 0 && (bool) $wpdb->get_var($wpdb->prepare('SELECT 1 FROM %i WHERE key_id = %d', $table, $id));
    }

    /** Removes the webhooks that Recoup created. Without its REST key Recoup cannot delete them itself. */
    public static function removeWebhooks(string $begin): void
    {
        $store = \WC_Data_Store::load('webhook');
        foreach ((array) $store->search_webhooks(['limit' => 100]) as $id) {
            $webhook = wc_get_webhook($id);
            if (is_object($webhook) && strncmp((string) $webhook->get_delivery_url(), $begin, strlen($begin)) === 0) {
                $webhook->delete(true);
            }
        }
    }
}
