<?php

// Removes everything of ours from the shop (decision 111): options, table, key, tasks. Orders keep what they say of consent.

defined('WP_UNINSTALL_PLUGIN') || exit;

require_once __DIR__ . '/recoup-for-woocommerce.php';

$recoup_sites = is_multisite() ? get_sites(['fields' => 'ids', 'number' => 0]) : [0];
foreach ($recoup_sites as $recoup_site) {
    if ($recoup_site > 0) {
        switch_to_blog($recoup_site);
    }
    Recoup\WooCommerce\Guard::action('uninstall', [Recoup\WooCommerce\Uninstall::class, 'run'])();
    if ($recoup_site > 0) {
        restore_current_blog();
    }
}
