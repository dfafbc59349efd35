<?php

namespace Recoup\WooCommerce;

/** As WordPress' sodium_compat, which stands in for PHP's extension: it throws where the extension answers false. */
function sodium_crypto_sign_verify_detached(string $signature, string $text, string $key): bool
{
    if ($signature === str_repeat("\xff", 64)) {
        throw new \SodiumException('S < L - Invalid signature');
    }
    return \sodium_crypto_sign_verify_detached($signature, $text, $key);
}
