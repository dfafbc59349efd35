<?php

// Fakes of WordPress: responses to the browser.

/** Thrown where WordPress ends the request. */
class Redirected extends Error
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
    throw new Redirected($to);
}

function wp_die(string $message, string $title, array $of): void
{
    $GLOBALS['wp']['died'] = ['words' => $message, 'title' => $title] + $of;
    throw new Redirected('ended with ' . $of['response']);
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

function wp_enqueue_script(string $name, string $url, array $needs = [], $version = null, $footer = false): void
{
    $GLOBALS['wp']['scripts'][$name] = $url;
}

function wp_localize_script(string $name, string $object, array $values): void
{
    $GLOBALS['wp']['localized'][$name] = $values;
}
