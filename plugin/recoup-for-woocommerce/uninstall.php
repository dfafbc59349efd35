<?php

// Removes the plugin's options, table, REST key and tasks (decision 111). Orders keep their consent meta data.

defined('WP_UNINSTALL_PLUGIN') || exit;

require_once __DIR__ . '/recoup-for-woocommerce.php';

$recoup_sites = is_multisite() ? get_sites(['fields' => 'ids', 'number' => 0]) : [0];
foreach ($recoup_sites as $recoup_site) {
    if ($recoup_site > 0) {
        switch_to_blog($recoup_site);
    }
    Recoup\WooCommerce\Guard::wrapAction('uninstall', [Recoup\WooCommerce\Uninstall::class, 'run'])();
    if ($recoup_site > 0) {
        restore_current_blog();
    }
}
