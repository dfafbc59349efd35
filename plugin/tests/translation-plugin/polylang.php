<?php

// A stand-in for Polylang.

function pll_current_language(string $field = 'slug')
{
    return $GLOBALS['wp']['polylang'][$field] ?? false;
}
