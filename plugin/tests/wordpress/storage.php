<?php

// Fakes of WordPress: options, transients and user meta.

function get_option(string $name, $otherwise = false)
{
    return $GLOBALS['wp']['options'][$name] ?? $otherwise;
}

function update_option(string $name, $value, $autoload = null): bool
{
    $GLOBALS['wp']['options'][$name] = $value;
    return true;
}

function delete_option(string $name): bool
{
    unset($GLOBALS['wp']['options'][$name]);
    return true;
}

function get_transient(string $name)
{
    return $GLOBALS['wp']['transients'][$name] ?? false;
}

function set_transient(string $name, $value, int $seconds = 0): bool
{
    $GLOBALS['wp']['transients'][$name] = $value;
    return true;
}

function delete_transient(string $name): bool
{
    unset($GLOBALS['wp']['transients'][$name]);
    return true;
}

function get_site_option(string $name, $otherwise = false)
{
    return get_option($name, $otherwise);
}

function update_site_option(string $name, $value): bool
{
    return update_option($name, $value);
}

function delete_site_option(string $name): bool
{
    return delete_option($name);
}

function get_user_meta(int $user, string $name, bool $single = false)
{
    return $GLOBALS['wp']['meta'][$user][$name] ?? '';
}

function update_user_meta(int $user, string $name, $value): bool
{
    $GLOBALS['wp']['meta'][$user][$name] = $value;
    return true;
}

function delete_user_meta(int $user, string $name): bool
{
    unset($GLOBALS['wp']['meta'][$user][$name]);
    return true;
}

function delete_metadata(string $type, int $id, string $name, $value = '', bool $all = false): bool
{
    foreach (array_keys($GLOBALS['wp']['meta'] ?? []) as $user) {
        unset($GLOBALS['wp']['meta'][$user][$name]);
    }
    return true;
}
