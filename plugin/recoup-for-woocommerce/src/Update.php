<?php

namespace Recoup\WooCommerce;

/**
 * Downloads new versions from the connected Recoup. The beat's signed answer contains the digest, which is checked
 * before WordPress unpacks the zip. A build with a publisher's key also requires that key's signature over the digest.
 */
final class Update
{
    /** The host of the plugin's header `Update URI`. */
    private const HOST = 'recoup-for-woocommerce.invalid';

    public static function start(): void
    {
        add_filter('update_plugins_' . self::HOST, Guard::wrapFilter('update_plugins', [self::class, 'offer']), 10, 3);
        add_filter('upgrader_pre_download', Guard::wrapFilter('upgrader_pre_download', [self::class, 'download']), 10, 4);
        add_filter('http_request_host_is_external', Guard::wrapFilter('host', [self::class, 'allowHost']), 10, 3);
        add_filter('http_allowed_safe_ports', Guard::wrapFilter('ports', [self::class, 'allowPort']), 10, 3);
    }

    private static function findUpdate(): ?array
    {
        $update = Connection::isConnected() ? State::get('update') : null;
        if (!self::isNewer($update)) {
            return null;
        }
        if (Publisher::hasKey()) {
            $signed = is_array($update['signed'] ?? null) ? $update['signed'] : [];
            $update['sha256'] = self::verifyDigest($update['version'], $signed['sha256'] ?? '', $signed['signatures'] ?? null);
        }
        return is_string($update['sha256'] ?? null) && preg_match('/^[0-9a-f]{64}$/D', $update['sha256']) ? $update : null;
    }

    /** @param mixed $update */
    private static function isNewer($update): bool
    {
        return is_array($update) && is_string($update['version'] ?? null) && version_compare($update['version'], Plugin::VERSION, '>');
    }

    /**
     * @param mixed $digest
     * @param mixed $signatures
     */
    private static function verifyDigest(string $version, $digest, $signatures): string
    {
        return is_string($digest) && is_array($signatures) && Publisher::hasSigned($version, $digest, $signatures) ? $digest : '';
    }

    /** Returns the offered version whose required signature is missing or invalid; '' = none. */
    public static function findUnsignedVersion(): string
    {
        $update = State::get('update');
        return Publisher::hasKey() && self::isNewer($update) && self::findUpdate() === null ? Text::toPlain($update['version'], 20) : '';
    }

    /** Signed builds request the zip without config.php: its bytes are the same on every Recoup. */
    private static function buildZipUrl(): string
    {
        return Connection::getUrl() . '/plugin/recoup-for-woocommerce.zip' . (Publisher::hasKey() ? '?signed=1' : '');
    }

    /**
     * @param mixed $value
     * @param mixed $plugin
     * @param mixed $file
     * @return mixed
     */
    public static function offer($value, $plugin = [], $file = '')
    {
        $update = $file === plugin_basename(Plugin::getFile()) ? self::findUpdate() : null;
        if ($update === null) {
            return $value;
        }
        return [
            'id' => 'https://' . self::HOST . '/',
            'slug' => 'recoup-for-woocommerce',
            'plugin' => $file,
            'version' => $update['version'],
            'new_version' => $update['version'],
            'url' => Connection::getUrl(),
            // WordPress caches the offer. Without this plugin the update fails at a host that does not exist, instead
            // of installing an unchecked zip.
            'package' => 'https://' . self::HOST . '/' . $update['version'] . '.zip',
            'tested' => Text::toPlain($update['tested'] ?? '', 20),
            'requires_php' => Text::toPlain($update['requiresPhp'] ?? '7.4', 20),
            'requires' => Text::toPlain($update['requiresWordpress'] ?? '6.2', 20),
        ];
    }

    /**
     * WordPress' own download refuses private hosts and unusual ports, and verifies nothing. The plugin therefore
     * always downloads its updates itself. A zip that an administrator uploads does not pass here.
     *
     * @param mixed $value
     * @param mixed $package
     * @param mixed $upgrader
     * @param mixed $extra names the plugin that WordPress updates
     * @return mixed
     */
    public static function download($value, $package = '', $upgrader = null, $extra = [])
    {
        $isOurs = is_array($extra) && ($extra['plugin'] ?? null) === plugin_basename(Plugin::getFile());
        // `false` would let WordPress download the package itself.
        return $value === false && $isOurs ? Guard::runOrDefault('upgrader_pre_download', [self::class, 'fetch'], self::buildNoUpdateError()) : $value;
    }

    private static function buildNoUpdateError(): \WP_Error
    {
        return new \WP_Error('recoup_update', __('Recoup offers no update now.', 'recoup-for-woocommerce'));
    }

    /** @return string|\WP_Error */
    public static function fetch()
    {
        $update = self::findUpdate();
        $file = $update !== null ? wp_tempnam('recoup-for-woocommerce.zip') : '';
        if (!$file) {
            return self::buildNoUpdateError();
        }
        $reply = wp_remote_get(self::buildZipUrl(), ['timeout' => 60, 'stream' => true, 'filename' => $file, 'redirection' => 0]);
        $isDownloaded = !is_wp_error($reply) && (int) wp_remote_retrieve_response_code($reply) === 200;
        if (!$isDownloaded || !hash_equals($update['sha256'], (string) hash_file('sha256', $file))) {
            wp_delete_file($file);
            return new \WP_Error('recoup_update', __('The download is not the version that Recoup announced. Please try again later.', 'recoup-for-woocommerce'));
        }
        if (Publisher::hasKey() && Connection::readConfiguredUrl() !== '') {
            // The signed zip has no config.php.
            update_site_option(Connection::URL_OPTION, Connection::readConfiguredUrl());
        }
        return $file;
    }

    /**
     * Allows WooCommerce's webhooks to the connected Recoup at a private address, and to no other host.
     *
     * @param mixed $isAllowed
     * @param mixed $host
     * @return mixed
     */
    public static function allowHost($isAllowed, $host = '', $url = '')
    {
        return $isAllowed || (Connection::isConnected() && self::isOurs($url));
    }

    /**
     * @param mixed $ports
     * @param mixed $host
     * @param mixed $url
     * @return mixed
     */
    public static function allowPort($ports, $host = '', $url = '')
    {
        $port = Connection::isConnected() && self::isOurs($url) ? wp_parse_url(Connection::getUrl(), PHP_URL_PORT) : null;
        return $port && is_array($ports) ? array_merge($ports, [(int) $port]) : $ports;
    }

    /** @param mixed $url */
    private static function isOurs($url): bool
    {
        return is_string($url) && strncmp($url, Connection::getUrl() . '/', strlen(Connection::getUrl()) + 1) === 0;
    }
}
