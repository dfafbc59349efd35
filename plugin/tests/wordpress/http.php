<?php

// Fakes of WordPress: HTTP calls and files.

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
