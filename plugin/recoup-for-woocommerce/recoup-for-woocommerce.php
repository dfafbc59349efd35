<?php

/**
 * Plugin Name: Recoup for WooCommerce
 * Description: Wins back abandoned carts: captures carts in both checkouts, asks for consent, and brings carts back from messages.
 * Version: 0.2.0
 * Author: Recoup
 * Requires at least: 6.2
 * Requires PHP: 7.4
 * Requires Plugins: woocommerce
 * WC requires at least: 5.0
 * WC tested up to: 11.0
 * Text Domain: recoup-for-woocommerce
 * Domain Path: /languages
 * Update URI: https://recoup-for-woocommerce.invalid/
 * License: GPL-2.0-or-later
 * License URI: https://www.gnu.org/licenses/gpl-2.0.html
 */

// Update URI: signed updates come from the Recoup that the shop is connected to (Update.php), never from a plugin of
// the same name elsewhere. Plugin Check reports the header as an error: WordPress.org's directory forbids it. This
// plugin is not listed there.

defined('ABSPATH') || exit;

spl_autoload_register(static function (string $class): void {
    $prefix = 'Recoup\\WooCommerce\\';
    if (strncmp($class, $prefix, strlen($prefix)) !== 0) {
        return;
    }
    $file = __DIR__ . '/src/' . str_replace('\\', '/', substr($class, strlen($prefix))) . '.php';
    if (is_file($file)) {
        require $file;
    }
});

Recoup\WooCommerce\Plugin::start(__FILE__);
