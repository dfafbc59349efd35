<?php

// Fakes of WordPress: hooks and plugin activation.

function add_filter(string $hook, callable $work, int $priority = 10, int $arguments = 1): bool
{
    $GLOBALS['wp']['hooks'][$hook][$priority][] = [$work, $arguments];
    return true;
}

function add_action(string $hook, callable $work, int $priority = 10, int $arguments = 1): bool
{
    return add_filter($hook, $work, $priority, $arguments);
}

function apply_filters(string $hook, ...$values)
{
    $hooks = $GLOBALS['wp']['hooks'][$hook] ?? [];
    ksort($hooks);
    foreach ($hooks as $works) {
        foreach ($works as [$work, $arguments]) {
            $values[0] = $work(...array_slice($values, 0, $arguments));
        }
    }
    return $values[0] ?? null;
}

/** Without arguments WordPress passes an empty string. */
function do_action(string $hook, ...$values): void
{
    $values = $values === [] ? [''] : $values;
    $hooks = $GLOBALS['wp']['hooks'][$hook] ?? [];
    ksort($hooks);
    // As in WordPress, the hook stays on the stack when a callback throws.
    $GLOBALS['wp_current_filter'][] = $hook;
    foreach ($hooks as $works) {
        foreach ($works as [$work, $arguments]) {
            $work(...array_slice($values, 0, $arguments));
        }
    }
    array_pop($GLOBALS['wp_current_filter']);
}

function doing_action(string $hook): bool
{
    return in_array($hook, $GLOBALS['wp_current_filter'] ?? [], true);
}

function register_activation_hook(string $file, callable $work): void
{
    $GLOBALS['wp_always']['activate'] = $work;
}

function register_deactivation_hook(string $file, callable $work): void
{
    $GLOBALS['wp_always']['deactivate'] = $work;
}

function load_plugin_textdomain(string $domain, bool $old, string $path): bool
{
    return true;
}

function is_admin(): bool
{
    return false;
}

function register_rest_route(string $space, string $route, array $of): void
{
    $GLOBALS['wp']['routes'][$space . $route] = $of;
}
