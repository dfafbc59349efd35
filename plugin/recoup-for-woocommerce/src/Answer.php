<?php

namespace Recoup\WooCommerce;

/** What Recoup answered. Unsigned, it is no answer: `isTrue` is false, and `why` says what happened, for the owner to read. */
final class Answer
{
    /** @var int 0: there was none */
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

    public function code(): string
    {
        return isset($this->body['code']) && is_string($this->body['code']) ? $this->body['code'] : '';
    }

    public function has(int $status): bool
    {
        return $this->isTrue && $this->status === $status;
    }
}
