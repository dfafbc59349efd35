<?php

namespace Recoup\WooCommerce;

/**
 * Recoup's response to a call. Without a valid signature `isTrue` is false, and `why` holds the reason for the owner.
 */
final class Answer
{
    /** @var int HTTP status; 0: no response */
    public $status;
    /** @var array */
    public $body;
    /** @var bool */
    public $isTrue;
    /** @var string */
    public $why;

    public function __construct(int $status, array $body, bool $isTrue, string $why = '')
    {
        $this->status = $status;
        $this->body = $body;
        $this->isTrue = $isTrue;
        $this->why = $why;
    }

    public function isOk(): bool
    {
        return $this->isTrue && $this->status === 200;
    }

    public function getCode(): string
    {
        return isset($this->body['code']) && is_string($this->body['code']) ? $this->body['code'] : '';
    }

    public function hasStatus(int $status): bool
    {
        return $this->isTrue && $this->status === $status;
    }
}
