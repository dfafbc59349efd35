<?php

// Stand-ins for what of WordPress and WooCommerce the plugin touches, with the behaviour seen on a running shop (WordPress 6.9, WooCommerce 10).

require __DIR__ . '/wordpress/constants.php';
foreach (array_merge(glob(__DIR__ . '/wordpress/*.php'), glob(__DIR__ . '/woocommerce/*.php')) as $file) {
    require_once $file;
}
require __DIR__ . '/Database.php';
require __DIR__ . '/Recoup.php';
require __DIR__ . '/ShopCase.php';

require dirname(__DIR__) . '/recoup-for-woocommerce/recoup-for-woocommerce.php';
