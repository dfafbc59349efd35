<?php

// Stand-ins for WooCommerce: what plugins declare.

namespace Automattic\WooCommerce\Utilities;

final class FeaturesUtil
{
    public static function declare_compatibility(string $feature, string $file, bool $is): bool
    {
        $GLOBALS['wp']['declared'][$feature] = $is;
        return true;
    }
}
