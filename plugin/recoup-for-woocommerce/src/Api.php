<?php

namespace Recoup\WooCommerce;

/** Calls Recoup. Its address may be private and have any port, which wp_safe_remote_post() refuses. */
final class Api
{
    /** Maximum size of a response. */
    private const MAX_BYTES = 262144;

    public static function call(string $name, array $body, float $timeout): Answer
    {
        $access = ['url' => Connection::getUrl(), 'store' => Connection::read('store'), 'key' => Connection::read('secret')];
        return self::send($access, $name, self::encodeJson($body), $timeout);
    }

    /** Retries once with a new nonce after 409 `replayed`. */
    public static function send(array $access, string $name, string $body, float $timeout): Answer
    {
        $answer = self::sendOnce($access, $name, $body, $timeout);
        return $answer->hasStatus(409) && $answer->getCode() === 'replayed'
            ? self::sendOnce($access, $name, $body, $timeout)
            : $answer;
    }

    /** Sends without waiting for the response, for servers that cannot finish the shopper's page first. */
    public static function sendBlind(string $name, string $body): void
    {
        $key = Connection::read('secret');
        wp_remote_post(Connection::getUrl() . '/api/plugin/' . $name, [
            'timeout' => 0.5,
            'blocking' => false,
            'redirection' => 0,
            'headers' => Signature::buildHeaders($name, Connection::read('store'), $key, $body),
            'body' => $body,
        ]);
    }

    private static function sendOnce(array $access, string $name, string $body, float $timeout): Answer
    {
        $headers = Signature::buildHeaders($name, $access['store'], $access['key'], $body);
        $reply = wp_remote_post($access['url'] . '/api/plugin/' . $name, [
            'timeout' => $timeout,
            'redirection' => 0,
            'limit_response_size' => self::MAX_BYTES,
            'headers' => $headers,
            'body' => $body,
        ]);
        if (is_wp_error($reply)) {
            return new Answer(0, [], false, self::explainNetworkError($reply->get_error_message()));
        }
        return self::readReply($reply, $headers['X-Recoup-Nonce'], $access['key']);
    }

    /** @param array $reply */
    private static function readReply($reply, string $nonce, string $key): Answer
    {
        $status = (int) wp_remote_retrieve_response_code($reply);
        $text = (string) wp_remote_retrieve_body($reply);
        $signature = (string) wp_remote_retrieve_header($reply, 'x-recoup-signature');
        $body = json_decode($text, true, 32);
        $isTrue = hash_equals(Signature::signAnswer($nonce, $status, $text, $key), $signature);
        $why = $isTrue ? '' : self::explainUnsigned($status);
        return new Answer($status, is_array($body) ? $body : [], $isTrue, $why);
    }

    private static function explainUnsigned(int $status): string
    {
        if ($status === 401) {
            return __('Recoup does not recognize this connection. Disconnect the shop, then connect it again.', 'recoup-for-woocommerce');
        }
        /* translators: %d: an HTTP status such as 502 */
        return sprintf(__('The address answered with status %d, but the answer is not from Recoup.', 'recoup-for-woocommerce'), $status);
    }

    /** Checks that a Recoup answers at this address: 'why' is empty or holds the error. */
    public static function checkAddress(string $url): array
    {
        if (self::isBlocked($url)) {
            return ['why' => __('WordPress blocks calls to other servers: WP_HTTP_BLOCK_EXTERNAL is set in wp-config.php. Add Recoup’s host to WP_ACCESSIBLE_HOSTS.', 'recoup-for-woocommerce')];
        }
        $reply = wp_remote_get($url . '/api/plugin', ['timeout' => 10, 'redirection' => 0, 'limit_response_size' => 4096]);
        if (is_wp_error($reply)) {
            return ['why' => self::explainNetworkError($reply->get_error_message())];
        }
        $body = json_decode((string) wp_remote_retrieve_body($reply), true);
        $isRecoup = is_array($body) && ($body['recoup'] ?? null) === 1;
        if ((int) wp_remote_retrieve_response_code($reply) !== 200 || !$isRecoup) {
            return ['why' => __('There is a server at this address, but it is not Recoup.', 'recoup-for-woocommerce')];
        }
        $off = time() - (int) ($body['now'] ?? 0);
        if (abs($off) > Signature::WINDOW_S) {
            return ['why' => self::describeClock($off)];
        }
        return ['why' => ''];
    }

    public static function describeClock(int $off): string
    {
        $minutes = (int) round(abs($off) / 60);
        return $off > 0
            /* translators: %d: minutes */
            ? sprintf(__('The clock of this shop is %d minutes ahead of Recoup’s. Ask your host to set it.', 'recoup-for-woocommerce'), $minutes)
            /* translators: %d: minutes */
            : sprintf(__('The clock of this shop is %d minutes behind Recoup’s. Ask your host to set it.', 'recoup-for-woocommerce'), $minutes);
    }

    public static function isBlocked(string $url): bool
    {
        if (!defined('WP_HTTP_BLOCK_EXTERNAL') || !constant('WP_HTTP_BLOCK_EXTERNAL')) {
            return false;
        }
        return (bool) _wp_http_get_object()->block_request($url);
    }

    private static function explainNetworkError(string $reason): string
    {
        if (preg_match('/could not resolve|getaddrinfo|name or service/i', $reason)) {
            return __('The shop’s server cannot find this address. Check the spelling.', 'recoup-for-woocommerce');
        }
        if (preg_match('/refused|failed to connect|couldn\'t connect/i', $reason)) {
            return __('The connection to this address was refused, or a firewall blocks it. Ask your host.', 'recoup-for-woocommerce');
        }
        if (preg_match('/timed out|timeout/i', $reason)) {
            return __('The shop’s server got no answer from this address in time. Try again later.', 'recoup-for-woocommerce');
        }
        if (preg_match('/ssl|certificate/i', $reason)) {
            return __('The shop’s server does not trust the certificate of this address.', 'recoup-for-woocommerce');
        }
        return Text::toPlain($reason);
    }

    public static function encodeJson(array $body): string
    {
        return (string) wp_json_encode($body, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
    }
}
