<?php

// Fake of Polylang.

function pll_current_language(string $field = 'slug')
{
    return $GLOBALS['wp']['polylang'][$field] ?? false;
}
