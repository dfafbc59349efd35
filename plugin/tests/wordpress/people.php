<?php

// Fakes of WordPress: users and capabilities.

function get_userdata(int $user)
{
    return $GLOBALS['wp']['users'][$user] ?? false;
}

function get_user_by(string $by, string $value)
{
    foreach ($GLOBALS['wp']['users'] ?? [] as $user) {
        if ($by === 'email' && strcasecmp($user->user_email, $value) === 0) {
            return $user;
        }
    }
    return false;
}

function wp_add_privacy_policy_content(string $name, string $text): void
{
    $GLOBALS['wp']['policy'][$name] = $text;
}

function get_current_user_id(): int
{
    return $GLOBALS['wp']['user'] ?? 0;
}

function is_user_logged_in(): bool
{
    return get_current_user_id() > 0;
}

function current_user_can(string $right): bool
{
    return in_array($right, $GLOBALS['wp']['rights'] ?? [], true);
}

function wp_create_nonce(string $action): string
{
    return substr(hash('sha256', $action . get_current_user_id()), 0, 10);
}

function wp_verify_nonce(string $nonce, string $action)
{
    return $nonce === wp_create_nonce($action) ? 1 : false;
}
