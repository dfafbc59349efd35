<?php

// Fakes of WordPress: the site's addresses, language and content.

function home_url(string $path = ''): string
{
    return rtrim(get_option('home'), '/') . ($GLOBALS['wp']['language'] ?? '') . $path;
}

function site_url(string $path = ''): string
{
    return rtrim(get_option('home'), '/') . $path;
}

function admin_url(string $path = ''): string
{
    return site_url('/wp-admin/' . $path);
}

function plugins_url(string $path, string $file): string
{
    return site_url('/wp-content/plugins/recoup-for-woocommerce/' . $path);
}

function plugin_basename(string $file): string
{
    return 'recoup-for-woocommerce/recoup-for-woocommerce.php';
}

function get_bloginfo(string $what): string
{
    return ['name' => 'Heron &amp; Tea', 'version' => '6.9'][$what] ?? '';
}

function get_locale(): string
{
    return $GLOBALS['wp']['locale'] ?? 'en_US';
}

function determine_locale(): string
{
    return $GLOBALS['wp']['locale'] ?? 'en_US';
}

function wp_timezone_string(): string
{
    return 'Europe/Berlin';
}

function wp_salt(string $scheme = 'auth'): string
{
    return 'salt of the shop';
}

function taxonomy_exists(string $name): bool
{
    return isset($GLOBALS['wp']['terms'][$name]);
}

function get_term_by(string $field, string $value, string $taxonomy)
{
    foreach ($GLOBALS['wp']['terms'][$taxonomy] ?? [] as $slug => $name) {
        if (($field === 'slug' && $slug === $value) || ($field === 'name' && strtolower($name) === strtolower($value))) {
            return (object) ['slug' => $slug, 'name' => $name];
        }
    }
    return false;
}

function wp_get_attachment_image_url(int $id, string $size)
{
    return 'https://shop.example.com/picture-' . $id . '.jpg';
}

function get_post_type(int $id): string
{
    return 'shop_order';
}

function get_post(int $id)
{
    return (object) ['post_content' => '<!-- wp:woocommerce/checkout -->'];
}
