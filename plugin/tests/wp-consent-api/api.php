<?php

// Fake of the WP Consent API, loaded by the tests that need it.

function wp_has_consent(string $category): bool
{
    return ($_COOKIE['wp_consent_' . $category] ?? '') === 'allow';
}
