<?php

// Stand-ins for functions of WordPress. State lies in $GLOBALS['wp'], emptied before each test (ShopCase).

define('ABSPATH', __DIR__ . '/');
define('MINUTE_IN_SECONDS', 60);
define('HOUR_IN_SECONDS', 3600);
define('DAY_IN_SECONDS', 86400);
define('COOKIEPATH', '/');

class WP_Error
{
    private $message;

    public function __construct(string $code, string $message = '')
    {
        $this->message = $message;
    }

    public function get_error_message(): string
    {
        return $this->message;
    }
}

class WP_REST_Response
{
    public $data;
    public $status;
    public $headers = [];

    public function __construct($data, int $status)
    {
        $this->data = $data;
        $this->status = $status;
    }

    public function header(string $name, string $value): void
    {
        $this->headers[$name] = $value;
    }
}

/** What the real ones do by ending the request. */
class Redirected extends Error
{
}

function add_filter(string $hook, callable $work, int $priority = 10, int $arguments = 1): bool
{
    $GLOBALS['wp']['hooks'][$hook][$priority][] = [$work, $arguments];
    return true;
}

function add_action(string $hook, callable $work, int $priority = 10, int $arguments = 1): bool
{
    return add_filter($hook, $work, $priority, $arguments);
}

function apply_filters(string $hook, ...$given)
{
    $hooks = $GLOBALS['wp']['hooks'][$hook] ?? [];
    ksort($hooks);
    foreach ($hooks as $works) {
        foreach ($works as [$work, $arguments]) {
            $given[0] = $work(...array_slice($given, 0, $arguments));
        }
    }
    return $given[0] ?? null;
}

/** Without an argument WordPress hands on an empty text. */
function do_action(string $hook, ...$given): void
{
    $given = $given === [] ? [''] : $given;
    $hooks = $GLOBALS['wp']['hooks'][$hook] ?? [];
    ksort($hooks);
    // As in WordPress, this is not taken back when a callback throws.
    $GLOBALS['wp_current_filter'][] = $hook;
    foreach ($hooks as $works) {
        foreach ($works as [$work, $arguments]) {
            $work(...array_slice($given, 0, $arguments));
        }
    }
    array_pop($GLOBALS['wp_current_filter']);
}

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

function get_userdata(int $user)
{
    return $GLOBALS['wp']['users'][$user] ?? false;
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

function trailingslashit(string $text): string
{
    return rtrim($text, '/') . '/';
}

function get_bloginfo(string $what): string
{
    return ['name' => 'Heron &amp; Tea', 'version' => '6.9'][$what] ?? '';
}

function determine_locale(): string
{
    return 'en_US';
}

function wp_timezone_string(): string
{
    return 'Europe/Berlin';
}

function wp_salt(string $scheme = 'auth'): string
{
    return 'salt of the shop';
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

function wp_safe_redirect(string $to): void
{
    throw new Redirected($to);
}

function nocache_headers(): void
{
    $GLOBALS['wp']['nocache'] = true;
}

function wp_send_json($answer, int $status): void
{
    $GLOBALS['wp']['json'] = [$status, $answer];
    throw new Redirected('json');
}

function wp_remote_post(string $url, array $arguments)
{
    return ($GLOBALS['wp']['http'])('POST', $url, $arguments);
}

function wp_remote_get(string $url, array $arguments)
{
    return ($GLOBALS['wp']['http'])('GET', $url, $arguments);
}

function is_wp_error($thing): bool
{
    return $thing instanceof WP_Error;
}

function wp_remote_retrieve_response_code($reply)
{
    return $reply['status'];
}

function wp_remote_retrieve_body($reply): string
{
    return $reply['body'];
}

function wp_remote_retrieve_header($reply, string $name): string
{
    return $reply['headers'][$name] ?? '';
}

function wp_tempnam(string $name): string
{
    return (string) tempnam(sys_get_temp_dir(), 'recoup');
}

function wp_delete_file(string $file): void
{
    unlink($file);
}

function as_schedule_single_action(int $at, string $task, array $arguments, string $group): int
{
    $GLOBALS['wp']['tasks'][$task] = $at;
    return 1;
}

/** The ids of those that still have to run. */
function as_get_scheduled_actions(array $query, string $as): array
{
    return isset($GLOBALS['wp']['tasks'][$query['hook']]) ? [1] : [];
}

/** Runs a task as Action Scheduler does: while it runs it is not waiting any more. */
function run_task(string $task): void
{
    unset($GLOBALS['wp']['tasks'][$task]);
    do_action($task);
}

function as_unschedule_all_actions(string $task, array $arguments, string $group): void
{
    $GLOBALS['wp']['tasks'] = [];
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

function wp_enqueue_script(string $name, string $url, array $needs = [], $version = null, $footer = false): void
{
    $GLOBALS['wp']['scripts'][$name] = $url;
}

function wp_localize_script(string $name, string $object, array $values): void
{
    $GLOBALS['wp']['localized'][$name] = $values;
}

function get_post_type(int $id): string
{
    return 'shop_order';
}

function get_post(int $id)
{
    return (object) ['post_content' => '<!-- wp:woocommerce/checkout -->'];
}

function human_time_diff(int $from): string
{
    return (time() - $from) . ' seconds';
}

function register_rest_route(string $space, string $route, array $of): void
{
    $GLOBALS['wp']['routes'][$space . $route] = $of;
}
