<?php

use Recoup\WooCommerce\Connect;
use Recoup\WooCommerce\Signature;

final class SignatureTest extends ShopCase
{
    /** docs/plugin-protocol.md contains the same values. */
    public function testSignsCallsAndAnswersAsInTheProtocol(): void
    {
        $nonce = '00112233445566778899aabbccddeeff';
        $call = Signature::signCall('shop', 'beat', 'store-1', '1700000000', $nonce, '{"v":1}', 'secret');
        self::assertSame('d2b0da6a5ec604f8396abc76e876940c0e9dd0af90724bb87317277b59e9998c', $call);
        $answer = Signature::signAnswer($nonce, 200, '{}', 'secret');
        self::assertSame('c2c0e458fe08fea2a81a69247084bb2768b8b198a9ef265df335622d1edfb79d', $answer);
    }

    public function testDerivesTheSecretsAsInTheProtocol(): void
    {
        $derived = Connect::deriveSecrets('code-key', 'salt');
        self::assertSame('bffdd9ad88b4319cc3c27aae08045a6007ad40d2c96abd84220a8b4f19cd6cbd', $derived['secret']);
        self::assertSame('ck_22cf382b085a425ab2b60e42b886e8e41367010c', $derived['key']);
        self::assertMatchesRegularExpression('/^cs_[0-9a-f]{40}$/', $derived['keySecret']);
    }
}
