<?php

// Fakes of the WordPress and WooCommerce functions that the plugin calls, with the behaviour observed on a real shop
// (WordPress 6.9, WooCommerce 10).

require __DIR__ . '/wordpress/constants.php';
foreach (array_merge(glob(__DIR__ . '/wordpress/*.php'), glob(__DIR__ . '/woocommerce/*.php')) as $file) {
    require_once $file;
}
require __DIR__ . '/Database.php';
require __DIR__ . '/Recoup.php';
require __DIR__ . '/ShopCase.php';

require dirname(__DIR__) . '/recoup-for-woocommerce/recoup-for-woocommerce.php';
