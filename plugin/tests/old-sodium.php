<?php

namespace Recoup\WooCommerce;

/** Like WordPress' sodium_compat polyfill, which throws where PHP's extension returns false. */
function sodium_crypto_sign_verify_detached(string $signature, string $text, string $key): bool
{
    if ($signature === str_repeat("\xff", 64)) {
        throw new \SodiumException('S < L - Invalid signature');
    }
    return \sodium_crypto_sign_verify_detached($signature, $text, $key);
}
