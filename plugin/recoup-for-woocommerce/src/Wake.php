<?php

namespace Recoup\WooCommerce;

/** REST endpoint with which Recoup requests a beat. The beat's answer carries the actual news. */
final class Wake
{
    private const MAX_BYTES = 1024;
    private const MAX_PER_MINUTE = 60;

    public static function start(): void
    {
        add_action('rest_api_init', Guard::wrapAction('rest_api_init', [self::class, 'registerRoute']));
    }

    public static function registerRoute(): void
    {
        register_rest_route('recoup/v1', '/wake', [
            'methods' => 'POST',
            'callback' => Guard::wrapFilter('wake', [self::class, 'handle']),
            // The signature authorizes the call.
            'permission_callback' => '__return_true',
        ]);
    }

    /** @param mixed $request */
    public static function handle($request): object
    {
        $body = (string) $request->get_body();
        if (strlen($body) > self::MAX_BYTES) {
            return new \WP_REST_Response(['code' => 'too_large', 'error' => 'The body is too large.'], 413);
        }
        $header = static function (string $name) use ($request): string {
            $value = $request->get_header('X-Recoup-' . $name);
            return is_string($value) ? $value : '';
        };
        $call = ['store' => $header('Store'), 'time' => $header('Time'), 'nonce' => $header('Nonce'), 'is' => $header('Signature')];
        if (!self::isSigned($call, $body)) {
            return new \WP_REST_Response(['code' => 'unauthenticated', 'error' => 'The call is not signed as it should be.'], 401);
        }
        [$status, $answer] = self::checkCall($call, $body);
        if ($status === 200) {
            Beat::sendSoon();
        }
        return self::signResponse($call['nonce'], $status, $answer);
    }

    private static function isSigned(array $call, string $body): bool
    {
        $isFormed = preg_match('/^\d{1,12}$/D', $call['time']) && preg_match('/^[0-9a-f]{32}$/D', $call['nonce']);
        if (!$isFormed || !Connection::exists() || !hash_equals(Connection::read('store'), $call['store'])) {
            return false;
        }
        $key = Connection::read('secret');
        $right = Signature::signCall('recoup', 'wake', $call['store'], $call['time'], $call['nonce'], $body, $key);
        return hash_equals($right, $call['is']);
    }

    /** @return array{0: int, 1: array} */
    private static function checkCall(array $call, string $body): array
    {
        if (abs(time() - (int) $call['time']) > Signature::WINDOW_S) {
            return [401, ['code' => 'clock', 'error' => 'The clocks differ.', 'now' => time()]];
        }
        $stored = get_transient('recoup_nonces');
        $recent = array_filter(is_array($stored) ? $stored : [], static function ($at): bool {
            return $at > time() - 2 * Signature::WINDOW_S;
        });
        if (isset($recent[$call['nonce']])) {
            return [409, ['code' => 'replayed', 'error' => 'This call was made before.']];
        }
        $inLastMinute = count(array_filter($recent, static function ($at): bool {
            return $at > time() - 60;
        }));
        if ($inLastMinute >= self::MAX_PER_MINUTE) {
            return [429, ['code' => 'rate_limited', 'error' => 'Too many calls.', 'retryAfterS' => 60]];
        }
        set_transient('recoup_nonces', $recent + [$call['nonce'] => time()], 2 * Signature::WINDOW_S);
        if (!is_array(json_decode($body, true, 8))) {
            return [400, ['code' => 'invalid', 'error' => 'The body is not a JSON object.']];
        }
        return [200, ['plugin' => Plugin::VERSION, 'home' => Connection::getHomeUrl()]];
    }

    /** Writes the body itself: WordPress would encode it again, and the signature covers the exact bytes. */
    private static function signResponse(string $nonce, int $status, array $answer): object
    {
        $body = Api::encodeJson($answer);
        $response = new \WP_REST_Response(null, $status);
        $response->header('X-Recoup-Signature', Signature::signAnswer($nonce, $status, $body, Connection::read('secret')));
        add_filter('rest_pre_serve_request', static function ($isServed, $served) use ($response, $body) {
            if ($served !== $response) {
                return $isServed;
            }
            // phpcs:ignore WordPress.Security.EscapeOutput.OutputNotEscaped -- JSON, served as JSON; the signature covers these bytes.
            echo $body;
            return true;
        }, 10, 2);
        return $response;
    }
}
