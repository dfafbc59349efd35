<?php

use Recoup\WooCommerce\Connect;
use Recoup\WooCommerce\Connection;
use Recoup\WooCommerce\Health;
use Recoup\WooCommerce\Outbox;
use Recoup\WooCommerce\State;
use Recoup\WooCommerce\Uninstall;

final class ConnectTest extends ShopCase
{
    private const CODE_KEY = 'ccccccccccccccccccccccccccccccccccccccccccc';

    protected function connect(): void
    {
        $GLOBALS['wp']['user'] = 7;
        $GLOBALS['wp']['rights'] = ['manage_woocommerce', 'update_plugins'];
    }

    private function beginConnect(): array
    {
        $begun = Connect::begin('https://recoup.example.com/');
        self::assertSame('', $begun['why']);
        parse_str((string) parse_url($begun['to'], PHP_URL_QUERY), $query);
        return json_decode((string) base64_decode(strtr($query['connect'], '-_', '+/')), true);
    }

    private function returnWithCode(string $state, string $key = self::CODE_KEY): string
    {
        $this->recoup->key = $key;
        return Connect::finish(['recoup_state' => $state, 'recoup_code' => 'code-id-12345678.' . $key]);
    }

    public function testConnectsWithACodeWithoutSendingASecret(): void
    {
        $wish = $this->beginConnect();
        self::assertSame(['https://shop.example.com/', 1], [$wish['home'], $wish['v']]);
        self::assertSame('https://shop.example.com/wp-admin/admin.php?page=recoup', $wish['return']);
        $this->recoup->answers['connect'] = [200, ['store' => 'store-9', 'account' => 'Heron']];
        self::assertSame('', $this->returnWithCode($wish['state']));
        $call = $this->recoup->calls[0];
        $derived = Connect::deriveSecrets(self::CODE_KEY, $call['body']['salt']);
        self::assertSame($derived['secret'], Connection::read('secret'));
        foreach ([self::CODE_KEY, $derived['secret'], $derived['key'], $derived['keySecret']] as $secret) {
            self::assertStringNotContainsString($secret, $call['raw'] . json_encode($call['headers']));
        }
        $row = $GLOBALS['wpdb']->get_results('SELECT * FROM wp_woocommerce_api_keys')[0];
        self::assertSame([wc_api_hash($derived['key']), $derived['keySecret']], [$row->consumer_key, $row->consumer_secret]);
        self::assertSame(['read_write', 'Recoup', 7], [$row->permissions, $row->description, (int) $row->user_id]);
        self::assertSame(['DE', 'AT'], $call['body']['profile']['sellingCountries']);
        self::assertSame(0, Outbox::count());
    }

    public function testForgetsWhetherThePreviousConnectionReachedTheShop(): void
    {
        State::put(['reach' => ['isReached' => true, 'reason' => '']]);
        $wish = $this->beginConnect();
        $this->recoup->answers['connect'] = [200, ['store' => 'store-9', 'account' => 'Heron']];
        self::assertSame('', $this->returnWithCode($wish['state']));
        self::assertSame('Not checked yet', Health::listRows()['Recoup reaches this shop']);
    }

    /** The connected Recoup supplies the plugin's updates, and begin() would call any server. */
    public function testLimitsAShopManagerToTheRecoupThatServedThePlugin(): void
    {
        $wish = $this->beginConnect();
        $GLOBALS['wp']['rights'] = ['manage_woocommerce'];
        $this->recoup->requestCount = 0;
        self::assertStringContainsString('Only the owner', $this->returnWithCode($wish['state']));
        self::assertFalse(Connection::exists());
        $answers = [];
        foreach (['silent', '', 'down'] as $mode) {
            $this->recoup->mode = $mode;
            foreach (['https://recoup.example.com', 'http://10.0.0.5:6379', 'http://169.254.169.254/latest', 'https://evil.example'] as $other) {
                $answers[] = Connect::begin($other)['why'];
            }
        }
        self::assertCount(1, array_unique($answers));
        self::assertStringContainsString('administrator', $answers[0]);
        self::assertSame(0, $this->recoup->requestCount, 'no server was called');
    }

    public function testRejectsACodeWithAnotherState(): void
    {
        $wish = $this->beginConnect();
        self::assertStringContainsString('was not started here', $this->returnWithCode('forged'));
        self::assertStringContainsString('was not started here', $this->returnWithCode($wish['state']), 'the state is valid once');
        $wish = $this->beginConnect();
        $GLOBALS['wp']['user'] = 8;
        self::assertStringContainsString('was not started here', $this->returnWithCode($wish['state']), 'another user has no state');
        self::assertSame([], $this->recoup->calls);
    }

    public function testExpiresTheStateAfterFifteenMinutes(): void
    {
        $wish = $this->beginConnect();
        $GLOBALS['wp']['meta'][7]['recoup_connect']['until'] = time() - 1;
        self::assertStringContainsString('longer than 15 minutes', $this->returnWithCode($wish['state']));
    }

    /** @dataProvider failures */
    public function testShowsTheErrorAndDeletesTheKeyWhenConnectingFails(array $answer, string $message): void
    {
        $wish = $this->beginConnect();
        $this->recoup->answers['connect'] = $answer;
        self::assertStringContainsString($message, $this->returnWithCode($wish['state']));
        self::assertFalse(Connection::exists());
        self::assertSame(0, (int) $GLOBALS['wpdb']->get_var('SELECT COUNT(*) FROM wp_woocommerce_api_keys'));
    }

    public function failures(): array
    {
        return [
            'used or too old' => [[404, ['code' => 'code_expired']], 'older than ten minutes'],
            'another account' => [[409, ['code' => 'other_account']], 'another account'],
            'plan' => [[403, ['code' => 'no_room']], 'store limit'],
            'another shop' => [[422, ['code' => 'other_shop']], 'not the one that was confirmed'],
            'anything else' => [[400, ['code' => 'invalid', 'error' => 'The version is unknown.']], 'The version is unknown.'],
        ];
    }

    public function testReportsACancelledConnection(): void
    {
        $wish = $this->beginConnect();
        $why = Connect::finish(['recoup_state' => $wish['state'], 'recoup_error' => 'cancelled']);
        self::assertStringContainsString('Cancel', $why);
    }

    /** @dataProvider unreachable */
    public function testExplainsWhyRecoupIsUnreachable(string $mode, array $hello, string $message): void
    {
        $this->recoup->mode = $mode;
        $this->recoup->answers['hello'] = $hello;
        self::assertStringContainsString($message, Connect::begin('recoup.example.com')['why']);
    }

    public function unreachable(): array
    {
        return [
            'no answer' => ['silent', [200, []], 'no answer from this address in time'],
            'another server' => ['', [200, ['hello' => 'world']], 'it is not Recoup'],
            'clock ahead' => ['', [200, ['recoup' => 1, 'now' => time() - 3600]], '60 minutes ahead'],
            'clock behind' => ['', [200, ['recoup' => 1, 'now' => time() + 1200]], '20 minutes behind'],
        ];
    }

    public function testNormalizesATypedAddress(): void
    {
        self::assertSame('https://recoup.example.com', Connect::normalizeUrl(' recoup.example.com/ '));
        self::assertSame('http://localhost:3000', Connect::normalizeUrl('localhost:3000'));
        self::assertSame('https://example.com/recoup', Connect::normalizeUrl('https://EXAMPLE.com/recoup/'));
        foreach (['', 'ftp://example.com', 'https://user:pass@example.com', 'javascript:alert(1)', 'https://'] as $bad) {
            self::assertSame('', Connect::normalizeUrl($bad), $bad);
        }
    }

    public function testReportsWhetherRecoupWasNotifiedOfADisconnect(): void
    {
        parent::connect();
        self::assertTrue(Connect::disconnect('owner'));
        parent::connect();
        $this->recoup->mode = 'silent';
        self::assertFalse(Connect::disconnect('owner'));
        self::assertFalse(Connection::exists());
        // A shop that is not connected has nothing to report.
        self::assertTrue(Connect::disconnect('owner'));
    }

    public function testDropsAnUpdateOfferWhenTheConnectionChanges(): void
    {
        State::put(['update' => ['version' => '9.0.0', 'sha256' => str_repeat('a', 64)]]);
        $this->recoup->answers['connect'] = [200, ['store' => 'store-9', 'account' => 'Heron']];
        self::assertSame('', $this->returnWithCode($this->beginConnect()['state']));
        self::assertNull(State::get('update'));
    }

    public function testRemovesAllDataAndNotifiesRecoupOnUninstall(): void
    {
        $wish = $this->beginConnect();
        $this->recoup->answers['connect'] = [200, ['store' => 'store-9', 'account' => 'Heron']];
        $this->returnWithCode($wish['state']);
        $this->recoup->key = Connection::read('secret');
        $GLOBALS['wp']['meta'][4]['_recoup_consent'] = ['email' => []];
        update_site_option('recoup_given', 'https://recoup.example.com');
        Uninstall::run();
        self::assertSame(['v' => 1, 'reason' => 'uninstall'], $this->recoup->lastCall('disconnect'));
        $remaining = array_filter(array_keys($GLOBALS['wp']['options']), static function (string $name): bool {
            return strpos($name, 'recoup') !== false;
        });
        self::assertSame([], $remaining);
        self::assertSame(0, (int) $GLOBALS['wpdb']->get_var('SELECT COUNT(*) FROM wp_woocommerce_api_keys'));
        self::assertSame(0, (int) $GLOBALS['wpdb']->get_var("SELECT COUNT(*) FROM sqlite_master WHERE name = 'wp_recoup_outbox'"));
        self::assertSame([], $GLOBALS['wp']['meta'][4]);
    }
}
