<?php

// Fakes of WooCommerce: feature declarations of plugins.

namespace Automattic\WooCommerce\Utilities;

final class FeaturesUtil
{
    public static function declare_compatibility(string $feature, string $file, bool $is): bool
    {
        $GLOBALS['wp']['declared'][$feature] = $is;
        return true;
    }
}
