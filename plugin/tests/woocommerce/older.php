<?php

// Fakes of WooCommerce: an older version, without the functions that a test names.

namespace Recoup\WooCommerce;

function function_exists(string $name): bool
{
    return \function_exists($name) && !in_array($name, $GLOBALS['wp']['missing'] ?? [], true);
}
