<?php

use Recoup\WooCommerce\Beat;
use Recoup\WooCommerce\Connection;
use Recoup\WooCommerce\Outbox;
use Recoup\WooCommerce\Sender;
use Recoup\WooCommerce\State;

final class OutboxTest extends ShopCase
{
    private function queueCart(string $cart, int $quantity): void
    {
        Outbox::put('cart:' . $cart, ['type' => 'cart', 'cart' => $cart, 'lines' => [['quantity' => $quantity]]]);
    }

    public function testReplacesAQueuedCartWithItsNewestState(): void
    {
        $this->queueCart('one', 1);
        $this->queueCart('two', 1);
        $this->queueCart('one', 2);
        self::assertSame(2, Outbox::count());
        Sender::flush(1);
        $entries = $this->recoup->entries();
        self::assertSame(['two', 'one'], array_column($entries, 'cart'));
        self::assertSame(2, $entries[1]['lines'][0]['quantity']);
        self::assertGreaterThan($entries[0]['seq'], $entries[1]['seq']);
    }

    public function testKeepsTheBoxesOfAReplacedEntry(): void
    {
        $box = ['email' => ['id' => 'w1']];
        $ticked = ['email' => ['id' => 'w1', 'isTicked' => true]];
        foreach ([['block' => $box, 'classic' => $box], ['block' => $ticked], []] as $forms) {
            Outbox::put('cart:one', ['type' => 'cart', 'cart' => 'one'] + array_filter(['forms' => $forms]));
        }
        Sender::flush(1);
        self::assertSame(['block' => $ticked, 'classic' => $box], $this->lastEntry()['forms'] ?? null);
        $this->queueCart('one', 2);
        Sender::flush(1);
        self::assertArrayNotHasKey('forms', $this->lastEntry(), 'the boxes were already sent');
    }

    public function testNeverReusesASequenceNumberAfterTheQueueWasEmpty(): void
    {
        $received = [];
        foreach (range(1, 5) as $round) {
            $this->queueCart('one', $round);
            Sender::flush(1);
            $received[] = $this->lastEntry()['seq'];
            self::assertSame(0, Outbox::count());
        }
        $sorted = array_values(array_unique($received));
        sort($sorted);
        self::assertSame($sorted, $received);
    }

    public function testSendsEverythingInOrderAfterADayOffline(): void
    {
        $this->recoup->mode = 'silent';
        foreach (range(1, 120) as $number) {
            $this->queueCart('cart-' . $number, $number);
            Sender::sendSoon(true);
        }
        self::assertSame(120, Outbox::count());
        self::assertGreaterThan(time() + 50, State::get('nextTry'));
        self::assertSame(1, State::get('failures'), 'each new cart must not try again while Recoup is away');
        $GLOBALS['wpdb']->query('UPDATE wp_recoup_outbox SET made_at = made_at - 86400');
        $this->recoup->mode = '';
        Sender::run();
        self::assertSame(0, Outbox::count());
        $entries = $this->recoup->entries();
        self::assertSame(range(1, 120), array_map(static function (array $entry): int {
            return $entry['lines'][0]['quantity'];
        }, $entries));
        self::assertGreaterThanOrEqual(86400, $entries[0]['age']);
        self::assertLessThan(86460, $entries[0]['age']);
        self::assertSame(0, State::get('failures'));
    }

    public function testIncreasesTheWaitWithEachFailureUpToAnHour(): void
    {
        $this->recoup->mode = 'down';
        $this->queueCart('one', 1);
        $waits = [];
        foreach (range(1, 9) as $try) {
            State::put(['nextTry' => time()]);
            Sender::flush(1);
            $waits[] = State::get('nextTry') - time();
        }
        self::assertGreaterThanOrEqual(59, $waits[0]);
        self::assertLessThanOrEqual(72, $waits[0]);
        self::assertGreaterThan(3590, $waits[8]);
        self::assertLessThanOrEqual(4320, $waits[8]);
        self::assertSame(1, Outbox::count());
    }

    public function testTriesOnceAMinuteForNewEntriesAndKeepsTheTasksWait(): void
    {
        $this->recoup->mode = 'down';
        State::put(['failures' => 4]);
        $this->queueCart('one', 1);
        Sender::flush(1);
        $wait = State::get('nextTry');
        self::assertGreaterThan(time() + 890, $wait);
        foreach ([0, 1] as $round) {
            $tries = count($this->recoup->calls);
            $this->queueCart('two', 1 + $round);
            Sender::sendSoon(true);
            self::assertCount($tries, $this->recoup->calls, 'no try within the minute');
            State::put(['nextNews' => time()]);
            Sender::sendSoon(false);
            self::assertCount($tries, $this->recoup->calls, 'the shopper would wait while Recoup hangs');
            Sender::sendSoon(true);
            self::assertCount($tries + 1, $this->recoup->calls);
            self::assertSame([$wait, 5], [State::get('nextTry'), State::get('failures')]);
        }
        $this->recoup->mode = '';
        State::put(['nextNews' => time()]);
        $this->queueCart('three', 1);
        Sender::sendSoon(true);
        self::assertSame(0, Outbox::count(), 'the whole queue is sent');
        self::assertSame([0, 0, 0], [State::get('nextTry'), State::get('nextNews'), State::get('failures')]);
    }

    public function testSendsTheQueueAfterASuccessfulBeat(): void
    {
        $this->recoup->mode = 'down';
        $this->queueCart('one', 1);
        Sender::flush(1);
        self::assertSame(1, Outbox::count());
        Beat::send();
        $this->endRequest();
        self::assertSame(1, Outbox::count(), 'a failed call does not release the queue');
        $this->recoup->mode = '';
        self::assertSame('', Beat::send());
        $this->endRequest();
        self::assertSame(0, Outbox::count());
    }

    public function testReschedulesAFailedTask(): void
    {
        $this->recoup->mode = 'down';
        $this->queueCart('one', 1);
        run_task('recoup_flush');
        self::assertArrayHasKey('recoup_flush', $GLOBALS['wp']['tasks']);
        $this->recoup->mode = '';
        run_task('recoup_beat');
        self::assertArrayHasKey('recoup_beat', $GLOBALS['wp']['tasks']);
        self::assertSame(1, Outbox::count(), 'the back-off has not ended');
    }

    public function testBlocksOneProcessOnlyWhileRecoupHangs(): void
    {
        $tries = 0;
        $this->recoup->answers['batch'] = function () use (&$tries): array {
            $tries++;
            if ($tries === 1) {
                // Other shoppers fill their carts while this request waits for its answer.
                foreach (range(1, 10) as $other) {
                    $this->queueCart('other-' . $other, 1);
                    Sender::sendSoon(true);
                }
            }
            return [200, ['done' => [], 'refused' => [], 'settings' => 's1']];
        };
        $this->queueCart('one', 1);
        Sender::sendSoon(true);
        self::assertSame(2, $tries, 'entries that arrived meanwhile are in the next batch');
        self::assertSame(0, Outbox::count());
    }

    public function testIgnoresAnUnsignedAnswer(): void
    {
        $this->recoup->mode = 'unsigned';
        $this->queueCart('one', 1);
        Sender::flush(1);
        self::assertSame(1, Outbox::count());
        $this->recoup->answers['batch'] = [410, ['code' => 'disconnected']];
        Sender::flush(1);
        self::assertTrue(Connection::exists(), 'an attacker on the network could disconnect the shop');
    }

    public function testRemovesKeySecretAndQueueWhenRecoupDisconnects(): void
    {
        $GLOBALS['wpdb']->insert('wp_woocommerce_api_keys', ['key_id' => 1, 'description' => 'Recoup']);
        $GLOBALS['wp']['webhooks'] = [3 => 'https://recoup.example.com/api/webhooks/woocommerce/x', 4 => 'https://other.example.com/hook'];
        $this->recoup->answers['batch'] = [410, ['code' => 'disconnected']];
        $this->queueCart('one', 1);
        Sender::flush(1);
        self::assertSame([4], array_keys($GLOBALS['wp']['webhooks']), 'only Recoup’s webhooks are removed');
        self::assertFalse(Connection::exists());
        self::assertSame('https://recoup.example.com', Connection::getUrl(), 'the address is kept for connecting again');
        self::assertSame(0, (int) $GLOBALS['wpdb']->get_var('SELECT COUNT(*) FROM wp_woocommerce_api_keys'));
        self::assertSame([], $GLOBALS['wp']['tasks']);
    }

    public function testSendsTheOtherEntriesWhenOneIsInvalid(): void
    {
        $this->recoup->answers['batch'] = static function (array $body): array {
            $carts = array_column($body['entries'], 'cart');
            return in_array('bad', $carts, true)
                ? [400, ['code' => 'invalid']]
                : [200, ['done' => array_column($body['entries'], 'seq'), 'refused' => [], 'settings' => 's1']];
        };
        $this->queueCart('one', 1);
        $this->queueCart('bad', 1);
        $this->queueCart('two', 1);
        self::assertTrue(Sender::flush(1));
        self::assertSame(0, Outbox::count());
        self::assertSame(1, State::readDailyCount('dropped'));
    }

    public function testRetriesAReplayedNonceOnceWithANewOne(): void
    {
        $tries = 0;
        $this->recoup->answers['batch'] = static function (array $body) use (&$tries): array {
            $tries++;
            return $tries === 1 ? [409, ['code' => 'replayed']] : [200, ['done' => [], 'refused' => [], 'settings' => 's1']];
        };
        $this->queueCart('one', 1);
        self::assertTrue(Sender::flush(1));
        $nonces = array_column(array_column($this->recoup->calls, 'headers'), 'X-Recoup-Nonce');
        self::assertCount(2, array_unique($nonces));
    }

    public function testWaitsForRetryAfterWhenRateLimited(): void
    {
        $this->recoup->answers['batch'] = [429, ['code' => 'rate_limited', 'retryAfterS' => 7]];
        $this->queueCart('one', 1);
        Sender::flush(1);
        self::assertEqualsWithDelta(time() + 7, State::get('nextTry'), 1);
        self::assertSame(State::get('nextTry'), State::get('nextNews'));
    }

    public function testLimitsTheQueue(): void
    {
        $this->queueCart('old', 1);
        $GLOBALS['wpdb']->query('UPDATE wp_recoup_outbox SET made_at = made_at - 8 * 86400');
        $this->queueCart('new', 1);
        $this->recoup->mode = 'down';
        Sender::flush(1);
        self::assertSame(1, Outbox::count());
        self::assertSame(1, State::readDailyCount('dropped'));
    }

    public function testKeepsABatchBelowRecoupsLimit(): void
    {
        foreach (range(1, 5) as $number) {
            Outbox::put('cart:' . $number, ['type' => 'cart', 'cart' => (string) $number, 'text' => str_repeat('x', 200000)]);
        }
        self::assertTrue(Sender::flush(20));
        foreach ($this->recoup->calls as $call) {
            self::assertLessThan(512 * 1024, strlen($call['raw']));
        }
        self::assertCount(5, $this->recoup->entries());
    }

    public function testKeepsEntriesThatArriveWhileABatchIsSent(): void
    {
        $this->queueCart('one', 1);
        $this->recoup->answers['batch'] = function (array $body): array {
            if ($body['entries'][0]['lines'][0]['quantity'] === 1) {
                $this->queueCart('one', 2);
            }
            return [200, ['done' => array_column($body['entries'], 'seq'), 'refused' => [], 'settings' => 's1']];
        };
        Sender::flush(1);
        self::assertSame(1, Outbox::count());
    }

    public function testChangesTheQueueIdAfterARestoreFromBackup(): void
    {
        $this->recoup->answers['beat'] = [200, ['settings' => null, 'seq' => 5000, 'ask' => []]];
        self::assertSame('', Beat::send());
        self::assertNotSame(str_repeat('a', 32), Connection::read('install'));
    }
}
