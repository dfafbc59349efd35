<?php

namespace Recoup\WooCommerce;

/** The connection's data in one autoloaded option, so that page views cost no query. */
final class Connection
{
    public const OPTION = 'recoup_connection';
    public const URL_OPTION = 'recoup_given';

    /** Whether the shop at this address is connected. A copy at another address (staging) is not. */
    public static function isConnected(): bool
    {
        return self::exists() && !self::isCopy();
    }

    public static function exists(): bool
    {
        return self::read('store') !== '' && self::read('secret') !== '';
    }

    public static function isCopy(): bool
    {
        return self::exists() && self::removeScheme(self::read('home')) !== self::removeScheme(self::getHomeUrl());
    }

    /** Returns the configured address. Translation plugins add a language to `home_url()`. */
    public static function getHomeUrl(): string
    {
        return trailingslashit((string) get_option('home'));
    }

    private static function removeScheme(string $address): string
    {
        return (string) preg_replace('#^https?://#', '', $address);
    }

    public static function read(string $name): string
    {
        $all = self::readAll();
        return isset($all[$name]) && is_string($all[$name]) ? $all[$name] : '';
    }

    public static function readAll(): array
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
        self::save([$name => $value] + self::readAll());
    }

    /** Keeps only Recoup's address, for connecting again. */
    public static function forget(): void
    {
        self::save(['url' => self::getUrl()]);
    }

    /**
     * Returns Recoup's address without a trailing slash. Before the shop is connected: the Recoup that served the zip.
     */
    public static function getUrl(): string
    {
        $origin = self::exists() ? '' : self::readConfiguredUrl();
        return $origin !== '' ? $origin : self::read('url');
    }

    /**
     * A Recoup writes its address into the zip's config.php. Signed updates lack that file, so an option keeps the
     * address.
     */
    public static function readConfiguredUrl(): string
    {
        $file = dirname(__DIR__) . '/config.php';
        if (!defined('RECOUP_URL') && is_file($file)) {
            require_once $file;
        }
        return rtrim((string) (defined('RECOUP_URL') ? constant('RECOUP_URL') : get_site_option(self::URL_OPTION, '')), '/');
    }
}
