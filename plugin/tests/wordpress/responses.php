<?php

// Fakes of WordPress: responses to the browser.

/** Thrown where WordPress ends the request. */
class RequestEnded extends Error
{
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

function wp_safe_redirect(string $to): void
{
    throw new RequestEnded($to);
}

function wp_die(string $message, string $title, array $args): void
{
    $GLOBALS['wp']['died'] = ['message' => $message, 'title' => $title] + $args;
    throw new RequestEnded('ended with ' . $args['response']);
}

function nocache_headers(): void
{
    $GLOBALS['wp']['nocache'] = true;
}

function wp_send_json($response, int $status): void
{
    $GLOBALS['wp']['json'] = [$status, $response];
    throw new RequestEnded('json');
}

function wp_enqueue_script(string $name, string $url, array $deps = [], $version = null, $footer = false): void
{
    $GLOBALS['wp']['scripts'][$name] = $url;
}

function wp_localize_script(string $name, string $object, array $values): void
{
    $GLOBALS['wp']['localized'][$name] = $values;
}
