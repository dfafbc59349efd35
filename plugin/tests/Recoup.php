<?php

use Recoup\WooCommerce\Signature;

/** A fake Recoup: the parts of docs/plugin-protocol.md that these tests need. */
final class Recoup
{
    public const STORE = 'store-1';
    public const SECRET = 'the shared secret of the tests';

    /** @var array<int, array{name: string, body: array, raw: string, headers: array, url: string}> */
    public $calls = [];
    /** @var array<string, array> name of the call => [status, body] */
    public $answers = [];
    /** @var string '' or 'down', 'silent', 'unsigned' */
    public $mode = '';
    /** @var string[] */
    public $usedNonces = [];
    /** @var string */
    public $key = self::SECRET;
    /** @var int all requests, answered or not */
    public $requestCount = 0;
    /** @var string|null content of the zip */
    public $zip;
    /** @var string address of the last zip download */
    public $downloadedAt = '';

    public function __invoke(string $method, string $url, array $arguments)
    {
        $this->requestCount++;
        if ($this->mode === 'silent') {
            return new WP_Error('http_request_failed', 'cURL error 28: Operation timed out after 5000 milliseconds');
        }
        if ($method === 'GET') {
            return $this->get($url, $arguments);
        }
        $name = basename($url);
        $body = (string) $arguments['body'];
        $this->calls[] = ['name' => $name, 'body' => json_decode($body, true), 'raw' => $body, 'headers' => $arguments['headers'], 'url' => $url];
        return $this->answer($name, $body, $arguments['headers']);
    }

    private function get(string $url, array $arguments): array
    {
        if (isset($arguments['filename'])) {
            $this->downloadedAt = $url;
            file_put_contents($arguments['filename'], (string) $this->zip);
            return ['status' => 200, 'body' => '', 'headers' => []];
        }
        [$status, $body] = $this->answers['hello'] ?? [200, ['recoup' => 1, 'now' => time()]];
        return ['status' => $status, 'body' => json_encode($body), 'headers' => []];
    }

    private function answer(string $name, string $body, array $headers): array
    {
        $right = Signature::signCall('shop', $name, $headers['X-Recoup-Store'], $headers['X-Recoup-Time'], $headers['X-Recoup-Nonce'], $body, $this->key);
        if (!hash_equals($right, $headers['X-Recoup-Signature'])) {
            return ['status' => 401, 'body' => '{"code":"unauthenticated"}', 'headers' => []];
        }
        [$status, $answer] = $this->mode === 'down' ? [503, []] : $this->findAnswer($name, json_decode($body, true));
        $text = json_encode($answer, JSON_FORCE_OBJECT & 0);
        $signature = $this->mode === 'unsigned' ? 'x' : Signature::signAnswer($headers['X-Recoup-Nonce'], $status, $text, $this->key);
        return ['status' => $status, 'body' => $text, 'headers' => ['x-recoup-signature' => $signature]];
    }

    private function findAnswer(string $name, array $body): array
    {
        if (isset($this->answers[$name])) {
            $answer = $this->answers[$name];
            return is_callable($answer) ? $answer($body) : $answer;
        }
        if ($name === 'batch') {
            return [200, ['done' => array_column($body['entries'], 'seq'), 'refused' => [], 'settings' => 's1']];
        }
        if ($name === 'beat') {
            return [200, ['settings' => ['version' => 's1', 'boxes' => []], 'reach' => ['isReached' => true], 'seq' => 0, 'ask' => []]];
        }
        return [200, []];
    }

    /** Returns the entries of all batches in order. */
    public function entries(): array
    {
        $all = [];
        foreach ($this->calls as $call) {
            $all = array_merge($all, $call['name'] === 'batch' ? $call['body']['entries'] : []);
        }
        return $all;
    }

    public function lastCall(string $name): ?array
    {
        foreach (array_reverse($this->calls) as $call) {
            if ($call['name'] === $name) {
                return $call['body'];
            }
        }
        return null;
    }
}
