<?php

use Recoup\WooCommerce\Beat;
use Recoup\WooCommerce\Connection;
use Recoup\WooCommerce\Health;
use Recoup\WooCommerce\Plugin;
use Recoup\WooCommerce\State;
use Recoup\WooCommerce\Update;

final class UpdateTest extends ShopCase
{
    private const ZIP = 'https://recoup.example.com/plugin/recoup-for-woocommerce.zip';
    /** This host never exists (RFC 2606), so WordPress without this plugin cannot download from it. */
    private const PACKAGE = 'https://recoup-for-woocommerce.invalid/9.0.0.zip';
    private const PLUGIN = 'recoup-for-woocommerce/recoup-for-woocommerce.php';

    /**
     * Signatures of "the zip" as version 9.0.0 by scripts/sign-plugin.ts (scripts/sign-plugin.test.ts). The private
     * keys are 32 bytes of 1 and 2.
     */
    private const OLD_KEY = 'iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w=';
    private const NEW_KEY = 'gTl3Dqh9F19Wo1Rmw0x+zMuNipG07jeiXfYPW4/Js5Q=';
    private const BY_OLD = 'V5j+hzi+hNgo/dBm3y49mQymXr5uzo10r/h+WUzhNJB9hoaVCBZtDBIqAA04V4rqjxu20Wfl3fz3J+EgRirjBA==';
    private const BY_NEW = '1oRh6jD5bhDwcauIeyUEGa43KGF0BIIcWVlkyAreI1cmam9kWLSiHn0jHSufhIKtWDnQrAmCvq2s7VwWxK4ABw==';

    /** @var string */
    private $keyFile = '';

    protected function tearDown(): void
    {
        if ($this->keyFile !== '') {
            unlink($this->keyFile);
        }
    }

    /** Sets the public key of this build's publisher. */
    private function setPublicKey(string $text): void
    {
        $this->keyFile = $this->keyFile !== '' ? $this->keyFile : (string) tempnam(sys_get_temp_dir(), 'recoup');
        file_put_contents($this->keyFile, $text . "\n");
        self::setKeyFile($this->keyFile);
        $this->recoup->zip = 'the zip';
    }

    /** @param mixed $signed */
    private function offerSigned($signed, string $version = '9.0.0'): void
    {
        $this->receiveUpdate(['version' => $version, 'sha256' => hash('sha256', 'the zip'), 'signed' => $signed]);
    }

    private static function buildSigned(string ...$signatures): array
    {
        return ['sha256' => hash('sha256', 'the zip'), 'signatures' => $signatures];
    }

    private function assertAccepted(string $case): void
    {
        self::assertSame(self::PACKAGE, $this->readOffer()['package'] ?? null, $case);
        $file = $this->download();
        self::assertSame('the zip', file_get_contents($file), $case);
        self::assertSame(self::ZIP . '?signed=1', $this->recoup->downloadedAt, $case);
        unlink($file);
        self::assertSame('', Update::findUnsignedVersion());
    }

    private function assertRefused(string $case): void
    {
        self::assertFalse($this->readOffer(), $case);
        self::assertInstanceOf(WP_Error::class, $this->download(), $case);
    }

    public function testAcceptsOnlyUpdatesSignedWithThePublishersKey(): void
    {
        $this->setPublicKey(self::OLD_KEY);
        $right = self::buildSigned(self::BY_OLD);
        $wrong = [
            'none' => null,
            'text' => 'signed',
            'no list' => ['sha256' => $right['sha256'], 'signatures' => self::BY_OLD],
            'no digest' => ['signatures' => [self::BY_OLD]],
            'no signature' => self::buildSigned(),
            'too short' => self::buildSigned('x', base64_encode('x')),
            'another key' => self::buildSigned(self::BY_NEW),
            'another zip' => ['sha256' => hash('sha256', 'another zip')] + $right,
        ];
        foreach ($wrong as $case => $signed) {
            $this->offerSigned($signed);
            $this->assertRefused($case);
            self::assertStringContainsString('Version 9.0.0 of this plugin has no valid publisher signature', implode(' ', Health::listProblems()));
        }
        $this->offerSigned($right, '9.0.1');
        $this->assertRefused('another version');
        $this->offerSigned($right);
        $this->assertAccepted('the right one');
        self::assertStringNotContainsString('signature', implode(' ', Health::listProblems()));
        $this->recoup->zip = 'the zap';
        self::assertInstanceOf(WP_Error::class, $this->download(), 'one byte differs');
    }

    /**
     * @runInSeparateProcess
     * @preserveGlobalState disabled
     */
    public function testRejectsASignatureThatMakesSodiumThrowAndTriesTheNext(): void
    {
        require __DIR__ . '/old-sodium.php';
        $this->setPublicKey(self::OLD_KEY);
        $hostile = base64_encode(str_repeat("\xff", 64));
        $this->offerSigned(self::buildSigned($hostile));
        $this->assertRefused('the hostile one');
        self::assertStringContainsString('no valid publisher signature', implode(' ', Health::listProblems()));
        $this->offerSigned(self::buildSigned($hostile, self::BY_OLD));
        $this->assertAccepted('a right one after it');
    }

    public function testAcceptsTheUpdateWithTheOldAndTheNewKeyAfterAKeyChange(): void
    {
        foreach ([self::OLD_KEY, self::NEW_KEY] as $key) {
            $this->setPublicKey($key);
            $this->offerSigned(self::buildSigned(self::BY_NEW, self::BY_OLD));
            $this->assertAccepted($key);
        }
        $this->setPublicKey(self::OLD_KEY);
        $this->offerSigned(self::buildSigned(self::BY_NEW));
        $this->assertRefused('only the new key has signed');
    }

    public function testIgnoresASignedVersionThatIsNotNewer(): void
    {
        $pair = sodium_crypto_sign_keypair();
        $this->setPublicKey(base64_encode(sodium_crypto_sign_publickey($pair)));
        $text = "recoup-plugin\n" . Plugin::VERSION . "\n" . hash('sha256', 'the zip');
        $this->offerSigned(self::buildSigned(base64_encode(sodium_crypto_sign_detached($text, sodium_crypto_sign_secretkey($pair)))), Plugin::VERSION);
        $this->assertRefused('the same version');
        self::assertSame('', Update::findUnsignedVersion());
    }

    public function testRejectsAllUpdatesWithABrokenKey(): void
    {
        foreach (['', 'no key', base64_encode('short')] as $text) {
            $this->setPublicKey($text);
            $this->offerSigned(self::buildSigned(self::BY_OLD));
            $this->assertRefused($text);
        }
    }

    /**
     * @runInSeparateProcess
     * @preserveGlobalState disabled
     */
    public function testKeepsTheOriginRecoupAfterASignedUpdate(): void
    {
        define('RECOUP_URL', 'https://recoup.example.com');
        $this->setPublicKey(self::OLD_KEY);
        $this->offerSigned(self::buildSigned(self::BY_OLD));
        $this->assertAccepted('');
        self::assertSame('https://recoup.example.com', $GLOBALS['wp']['options']['recoup_given']);
    }

    /** The state after a signed update, which has no config.php. */
    public function testKnowsTheOriginRecoupWithoutConfigPhp(): void
    {
        update_site_option('recoup_given', 'https://first.example.com');
        self::assertSame(['https://first.example.com', 'https://recoup.example.com'], [Connection::readConfiguredUrl(), Connection::getUrl()]);
        Connection::forget();
        self::assertSame('https://first.example.com', Connection::getUrl());
    }

    private function receiveUpdate(array $update): void
    {
        $this->recoup->answers['beat'] = [200, ['settings' => null, 'reach' => ['isReached' => true], 'seq' => 0, 'ask' => [], 'update' => $update]];
        Beat::send();
    }

    private function offerUpdate(string $digest): void
    {
        $update = ['version' => '9.0.0', 'sha256' => $digest, 'requiresPhp' => '7.4', 'requiresWordpress' => '6.2', 'tested' => '7.0'];
        $this->receiveUpdate($update);
    }

    public function testOffersANewVersionAndVerifiesItsDigest(): void
    {
        $this->recoup->zip = 'the zip';
        $this->offerUpdate(hash('sha256', 'the zip'));
        $offer = $this->readOffer();
        self::assertSame(['9.0.0', self::PACKAGE], [$offer['version'], $offer['package']]);
        $file = $this->download();
        self::assertSame(['the zip', self::ZIP], [file_get_contents($file), $this->recoup->downloadedAt]);
        unlink($file);
        $this->recoup->zip = 'another zip';
        self::assertInstanceOf(WP_Error::class, $this->download());
    }

    private function readOffer()
    {
        return apply_filters('update_plugins_recoup-for-woocommerce.invalid', false, [], self::PLUGIN);
    }

    private function download(string $package = self::PACKAGE)
    {
        return apply_filters('upgrader_pre_download', false, $package, null, ['plugin' => self::PLUGIN]);
    }

    /** A cached offer of an earlier connection, or an offer by another plugin. */
    public function testNeverDownloadsAnUncheckedUpdate(): void
    {
        $this->recoup->zip = 'the zip';
        $this->offerUpdate(hash('sha256', 'the zip'));
        unlink($this->download('https://evil.example/plugin/recoup-for-woocommerce.zip'));
        self::assertSame(self::ZIP, $this->recoup->downloadedAt);
        $GLOBALS['wp']['http'] = static function (): void {
            throw new RuntimeException('an error of another plugin');
        };
        self::assertInstanceOf(WP_Error::class, $this->download(), 'after an error');
        $GLOBALS['wp']['http'] = $this->recoup;
        Connection::forget();
        self::assertInstanceOf(WP_Error::class, $this->download(), 'disconnected');
    }

    public function testLeavesAManualInstallationAlone(): void
    {
        $this->offerUpdate(hash('sha256', 'the zip'));
        foreach (['/tmp/recoup-for-woocommerce.zip', self::ZIP] as $package) {
            self::assertFalse(apply_filters('upgrader_pre_download', false, $package, null, ['type' => 'plugin', 'action' => 'install']));
        }
    }

    public function testDownloadsNoVersionThatIsNotNewer(): void
    {
        $this->recoup->zip = 'the zip';
        State::put(['update' => ['version' => Plugin::VERSION, 'sha256' => hash('sha256', 'the zip')]]);
        self::assertInstanceOf(WP_Error::class, $this->download());
    }

    public function testIgnoresOtherPluginsDownloadsAndTheSameVersion(): void
    {
        $this->offerUpdate(str_repeat('a', 64));
        self::assertFalse(apply_filters('upgrader_pre_download', false, 'https://downloads.example.org/other.zip', null, ['plugin' => 'other/other.php']));
        self::assertFalse(Update::offer(false, [], 'other/other.php'));
        State::put(['update' => ['version' => Plugin::VERSION, 'sha256' => str_repeat('a', 64)]]);
        self::assertFalse(Update::offer(false, [], self::PLUGIN));
    }

    public function testAllowsOnlyTheConnectedRecoupPastWordPresssHostLimits(): void
    {
        Connection::set('url', 'http://10.0.0.5:3000');
        self::assertTrue(Update::allowHost(false, '10.0.0.5', 'http://10.0.0.5:3000/api/webhooks/x'));
        self::assertFalse(Update::allowHost(false, '10.0.0.5', 'http://10.0.0.5:30000/'));
        self::assertFalse(Update::allowHost(false, '10.0.0.6', 'http://10.0.0.6:3000/'));
        self::assertSame([80, 3000], Update::allowPort([80], '10.0.0.5', 'http://10.0.0.5:3000/x'));
        self::assertSame([80], Update::allowPort([80], '10.0.0.6', 'http://10.0.0.6:3000/x'));
    }
}
