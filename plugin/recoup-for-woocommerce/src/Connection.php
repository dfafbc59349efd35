<?php

namespace Recoup\WooCommerce;

/** What the shop knows of its connection. One option that WordPress loads anyway, so that a page costs no query. */
final class Connection
{
    public const OPTION = 'recoup_connection';
    public const GIVEN = 'recoup_given';

    /** Whether this shop, at this address, is connected. A copy of the shop at another address is not (staging). */
    public static function isUp(): bool
    {
        return self::exists() && !self::isCopy();
    }

    public static function exists(): bool
    {
        return self::read('store') !== '' && self::read('secret') !== '';
    }

    public static function isCopy(): bool
    {
        return self::exists() && self::removeScheme(self::read('home')) !== self::removeScheme(self::home());
    }

    /** The shop's address as it is set: `home_url()` has a language in it where a plugin translates the shop. */
    public static function home(): string
    {
        return trailingslashit((string) get_option('home'));
    }

    private static function removeScheme(string $address): string
    {
        return (string) preg_replace('#^https?://#', '', $address);
    }

    public static function read(string $name): string
    {
        $all = self::all();
        return isset($all[$name]) && is_string($all[$name]) ? $all[$name] : '';
    }

    public static function all(): array
    {
        $all = get_option(self::OPTION, []);
        return is_array($all) ? $all : [];
    }

    public static function save(array $all): void
    {
        update_option(self::OPTION, $all, true);
    }

    public static function set(string $name, string $value): void
    {
        self::save([$name => $value] + self::all());
    }

    /** The address stays, to connect again. */
    public static function forget(): void
    {
        self::save(['url' => self::url()]);
    }

    /** Address of Recoup, without a slash at its end. Before a shop is connected, of the Recoup that its zip came from. */
    public static function url(): string
    {
        $given = self::exists() ? '' : self::given();
        return $given !== '' ? $given : self::read('url');
    }

    /** The zip of a running Recoup has its address in config.php. A signed update has no such file, so the address was kept. */
    public static function given(): string
    {
        $file = dirname(__DIR__) . '/config.php';
        if (!defined('RECOUP_URL') && is_file($file)) {
            require_once $file;
        }
        return rtrim((string) (defined('RECOUP_URL') ? constant('RECOUP_URL') : get_site_option(self::GIVEN, '')), '/');
    }
}
