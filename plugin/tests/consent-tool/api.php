<?php

// Loaded by the tests that need it: a shop with the WP Consent API.

function wp_has_consent(string $category): bool
{
    return ($_COOKIE['wp_consent_' . $category] ?? '') === 'allow';
}
