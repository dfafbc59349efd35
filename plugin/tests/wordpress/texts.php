<?php

// Fakes of WordPress: sanitizing, escaping and translation.

function trailingslashit(string $text): string
{
    return rtrim($text, '/') . '/';
}

function wp_json_encode($value, int $options = 0)
{
    return json_encode($value, $options | JSON_INVALID_UTF8_SUBSTITUTE);
}

function wp_check_invalid_utf8(string $text, bool $strip = false): string
{
    return preg_match('/^./us', $text) ? $text : (string) iconv('UTF-8', 'UTF-8//IGNORE', $text);
}

function wp_parse_url(string $url, int $part = -1)
{
    return parse_url($url, $part);
}

function wp_unslash($value)
{
    return is_array($value) ? array_map('wp_unslash', $value) : (is_string($value) ? stripslashes($value) : $value);
}

function sanitize_text_field(string $text): string
{
    return trim((string) preg_replace('/[\r\n\t ]+/', ' ', strip_tags(wp_check_invalid_utf8($text))));
}

function wp_strip_all_tags(string $text): string
{
    return strip_tags($text);
}

function is_email(string $text)
{
    return filter_var($text, FILTER_VALIDATE_EMAIL) ?: false;
}

function esc_html($text): string
{
    return htmlspecialchars((string) $text, ENT_QUOTES);
}

function esc_attr($text): string
{
    return esc_html($text);
}

function esc_url($text): string
{
    return esc_html($text);
}

function esc_url_raw(string $text): string
{
    return $text;
}

function __(string $text, string $domain = ''): string
{
    return $text;
}

function esc_html__(string $text, string $domain = ''): string
{
    return esc_html($text);
}

function checked($one, $other = true, bool $echo = true): string
{
    return $one === $other ? " checked='checked'" : '';
}

function add_query_arg(array $arguments, string $url): string
{
    return $url . '?' . http_build_query($arguments);
}

function human_time_diff(int $from): string
{
    return (time() - $from) . ' seconds';
}
