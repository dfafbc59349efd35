<?php

use Recoup\WooCommerce\Beat;
use Recoup\WooCommerce\Connection;
use Recoup\WooCommerce\Health;
use Recoup\WooCommerce\Outbox;
use Recoup\WooCommerce\Sender;
use Recoup\WooCommerce\Settings;
use Recoup\WooCommerce\Signature;
use Recoup\WooCommerce\State;
use Recoup\WooCommerce\Wake;

final class BeatTest extends ShopCase
{
    private function setBeatAnswer(array $more): void
    {
        $this->recoup->answers['beat'] = [200, $more + ['settings' => null, 'reach' => ['isReached' => true], 'seq' => 0, 'ask' => []]];
    }

    public function testRefersToRecoupsSettingsOnATranslatedScreen(): void
    {
        $this->setBeatAnswer(['reach' => ['isReached' => false, 'reason' => 'The shop is at a private address.']]);
        Beat::send();
        $GLOBALS['wp']['locale'] = 'de_DE';
        self::assertContains('No. The reason is in Recoup under Settings → Store.', Health::listRows());
    }

    public function testSaysThatTheShopWasNotCheckedUntilRecoupHasCalledIt(): void
    {
        $row = static function (): string {
            return Health::listRows()['Recoup reaches this shop'];
        };
        self::assertSame('Not checked yet', $row());
        $this->setBeatAnswer(['reach' => null]);
        Beat::send();
        self::assertSame('Not checked yet', $row());
        $this->setBeatAnswer(['reach' => ['isReached' => true]]);
        Beat::send();
        self::assertSame('Yes', $row());
    }

    public function testSiteHealthNamesOnlyWhatIsKnown(): void
    {
        $GLOBALS['wpdb']->insert('wp_woocommerce_api_keys', ['key_id' => 1, 'description' => 'Recoup']);
        $test = static function (): array {
            $result = Health::runTest();
            return [$result['status'], $result['label'], strip_tags($result['description'])];
        };
        self::assertSame(['good', 'Recoup is connected', 'No cart or order has been sent to Recoup yet.'], $test());
        State::put(['sentAt' => time()]);
        self::assertSame(['good', 'Recoup works', 'Carts and orders reach Recoup.'], $test());
        delete_option(Connection::OPTION);
        self::assertSame(['good', 'Recoup is not connected', 'The shop is not connected to Recoup yet.'], $test());
    }

    public function testShowsRecoupsErrorInEveryLanguage(): void
    {
        $GLOBALS['wp']['locale'] = 'de_DE';
        $this->recoup->answers['beat'] = [400, ['error' => 'The report is too long.', 'code' => 'invalid']];
        self::assertSame('The report is too long.', Beat::send());
    }

    public function testReportsHealthAndStoresTheAnswerOfTheBeat(): void
    {
        $this->setBeatAnswer([
            'settings' => ['version' => 's9', 'boxes' => [['channel' => 'sms', 'words' => 'Text me', 'id' => 'w9']], 'push' => null],
            'reach' => ['isReached' => false, 'reason' => 'The shop is at a private address.'],
            'ask' => ['everyS' => 5],
        ]);
        self::assertSame('', Beat::send());
        $health = $this->recoup->lastCall('beat')['health'];
        self::assertSame(['10.5.2', 0, 'block', false], [$health['woocommerce'], $health['queue'], $health['checkout'], $health['hasKey']]);
        self::assertSame('s9', Settings::getVersion());
        self::assertContains('No. The shop is at a private address.', Health::listRows());
        self::assertGreaterThanOrEqual(time() + 59, $GLOBALS['wp']['tasks']['recoup_beat'], 'no more often than once a minute');
    }

    public function testSendsARequestedTestEntryOnce(): void
    {
        $this->setBeatAnswer(['ask' => ['test' => str_repeat('e', 32)]]);
        Beat::send();
        Beat::send();
        self::assertSame([str_repeat('e', 32)], array_column($this->recoup->entries(), 'test'));
    }

    public function testContinuesAnOrderReportUntilItIsComplete(): void
    {
        foreach (range(1, 101) as $id) {
            $GLOBALS['wp']['orders'][$id] = new WC_Order($id);
        }
        $this->setBeatAnswer(['ask' => ['ordersSince' => '2026-11-24T10:00:00Z']]);
        Beat::send();
        self::assertArrayNotHasKey('orders', $this->recoup->lastCall('beat'));
        $requests = 0;
        $this->recoup->answers['beat'] = static function (array $body) use (&$requests): array {
            $requests++;
            if (!$body['orders']['isComplete']) {
                array_pop($GLOBALS['wp']['orders']);
            }
            return [200, ['settings' => null, 'seq' => 0, 'ask' => ['ordersSince' => '2026-11-24T10:05:00Z']]];
        };
        Beat::send();
        self::assertSame(2, $requests);
        $report = $this->recoup->lastCall('beat')['orders'];
        self::assertTrue($report['isComplete']);
        self::assertCount(100, $report['list']);
        self::assertSame('>=' . strtotime('2026-11-24T10:05:00Z'), $GLOBALS['wp']['orderQuery']['date_modified']);
        self::assertContains('trash', $GLOBALS['wp']['orderQuery']['status']);
        self::assertNotContains('wc-checkout-draft', $GLOBALS['wp']['orderQuery']['status']);
    }

    public function testSplitsAReportOfManyOrdersModifiedInTheSameSecond(): void
    {
        foreach (range(1, 250) as $id) {
            $GLOBALS['wp']['orders'][$id] = new WC_Order($id);
        }
        $second = gmdate('Y-m-d\TH:i:s.000\Z', (new WC_Order(1))->get_date_modified()->getTimestamp());
        $this->setBeatAnswer(['ask' => ['ordersSince' => self::SINCE]]);
        Beat::send();
        $reportedIds = [];
        $isAway = true;
        $this->recoup->answers['beat'] = static function (array $body) use (&$reportedIds, &$isAway, $second): array {
            if (count($reportedIds) === 100 && $isAway) {
                $isAway = false;
                return [503, []];
            }
            $reportedIds = array_merge($reportedIds, array_column($body['orders']['list'], 'id'));
            $since = $body['orders']['isComplete'] ? null : $second;
            return [200, ['settings' => null, 'seq' => 0, 'ask' => ['ordersSince' => $since]]];
        };
        Beat::send();
        self::assertCount(100, $reportedIds);
        Beat::send();
        self::assertSame(range(1, 250), $reportedIds);
        // A later report of that second starts with its first order again.
        State::put(['ordersSince' => $second]);
        Beat::send();
        self::assertSame(range(1, 250), array_slice($reportedIds, 250));
    }

    public function testReportsAnOrderAgainThatChangesBetweenTwoParts(): void
    {
        foreach (range(1, 150) as $id) {
            $GLOBALS['wp']['orders'][$id] = new WC_Order($id);
        }
        $second = '2026-11-24T18:00:00.000Z';
        $this->setBeatAnswer(['ask' => ['ordersSince' => self::SINCE]]);
        Beat::send();
        $parts = [];
        $this->recoup->answers['beat'] = static function (array $body) use (&$parts, $second): array {
            $parts[] = array_column($body['orders']['list'], 'status', 'id');
            $paid = $GLOBALS['wp']['orders'][7];
            $paid->status = 'completed';
            $paid->modified = '2026-11-24 18:00:09';
            $since = $body['orders']['isComplete'] ? null : $second;
            return [200, ['settings' => null, 'seq' => 0, 'ask' => ['ordersSince' => $since]]];
        };
        Beat::send();
        self::assertSame('processing', $parts[0][7]);
        self::assertSame(array_merge(range(101, 150), [7]), array_keys($parts[1]));
        self::assertSame('completed', $parts[1][7]);
        self::assertCount(2, $parts);
    }

    public function testReportsTheOtherOrdersWhenOneCannotBeRead(): void
    {
        $GLOBALS['wp']['orders'][1] = new class (1) extends WC_Order {
            public function get_total(): string
            {
                throw new TypeError('a tax plugin');
            }
        };
        $GLOBALS['wp']['orders'][2] = new WC_Order(2);
        $this->requestProducts([]);
        Beat::send();
        Beat::send();
        $list = $this->recoup->lastCall('beat')['orders']['list'];
        self::assertSame(['id' => 1, 'date_modified_gmt' => '2026-11-24T18:00:00'], $list[0]);
        self::assertSame([1, 2], array_column($list, 'id'));
    }

    public function testStatesTheAgeOfAReportRequestRoundedDown(): void
    {
        $this->requestProducts([]);
        Beat::send();
        Beat::send();
        self::assertArrayNotHasKey('askedAt', $this->recoup->lastCall('beat')['orders'], 'an older Recoup does not send the time of its request');
        $this->setBeatAnswer(['ask' => ['everyS' => 60, 'ordersSince' => self::SINCE, 'goods' => [], 'at' => '2026-11-24T10:30:00.000Z']]);
        Beat::send();
        State::put(['asked' => ['at' => '2026-11-24T10:30:00.000Z', 'on' => time() - 60]]);
        Beat::send();
        $report = $this->recoup->lastCall('beat')['orders'];
        self::assertSame('2026-11-24T10:30:00.000Z', $report['askedAt']);
        self::assertContains($report['sinceAskedS'], [58, 59, 60]);
        Beat::send();
        self::assertSame(0, $this->recoup->lastCall('beat')['orders']['sinceAskedS']);
    }

    private const SINCE = '2026-11-24T10:00:00Z';

    /** @param array<int, array> $goods */
    private function requestProducts(array $goods, array $more = []): void
    {
        $this->setBeatAnswer(['ask' => ['everyS' => 60, 'ordersSince' => self::SINCE, 'goods' => $goods] + $more]);
    }

    private static function item(int $product, ?int $variation = null): array
    {
        return ['product' => (string) $product, 'variation' => $variation === null ? null : (string) $variation];
    }

    private function countBeats(): int
    {
        return count(array_filter($this->recoup->calls, static function (array $call): bool {
            return $call['name'] === 'beat';
        }));
    }

    public function testReportsRequestedStockAndPricesWithTheOrders(): void
    {
        $GLOBALS['wp']['products'][self::LAMP]->stock = 0;
        $GLOBALS['wp']['products'][15] = new Product(['id' => 15, 'name' => 'Draft']);
        $GLOBALS['wp']['products'][15]->status = 'draft';
        $this->requestProducts([self::item(self::TEA), self::item(self::LAMP), self::item(self::HOODIE, self::BLUE), self::item(15), self::item(999)]);
        Beat::send();
        self::assertSame(2, $this->countBeats(), 'one more beat, no endless loop');
        $report = $this->recoup->lastCall('beat')['orders'];
        self::assertSame([self::SINCE, true, []], [$report['since'], $report['isComplete'], $report['list']]);
        $tea = ['id' => 10, 'status' => 'publish', 'purchasable' => true, 'stock_status' => 'instock', 'stock_quantity' => null, 'price' => '12.5', 'on_sale' => false];
        self::assertSame(['product' => '10', 'variation' => null, 'terms' => $tea], $report['goods'][0]);
        self::assertSame(['outofstock', 0], [$report['goods'][1]['terms']['stock_status'], $report['goods'][1]['terms']['stock_quantity']]);
        self::assertSame([14, '45'], [$report['goods'][2]['terms']['id'], $report['goods'][2]['terms']['price']]);
        self::assertSame([null, null], array_column(array_slice($report['goods'], 3), 'terms'));
    }

    public function testContinuesStockReportsWhileRecoupRequestsOtherProducts(): void
    {
        $remaining = range(1000, 1249);
        $this->recoup->answers['beat'] = static function (array $body) use (&$remaining): array {
            $remaining = array_values(array_diff($remaining, array_column($body['orders']['goods'] ?? [], 'product')));
            $goods = array_map([self::class, 'item'], array_slice($remaining, 0, 100));
            return [200, ['settings' => null, 'seq' => 0, 'ask' => ['everyS' => 60, 'ordersSince' => self::SINCE, 'goods' => $goods]]];
        };
        Beat::send();
        self::assertSame([[], 4], [$remaining, $this->countBeats()]);
    }

    public function testOmitsAProductThatCannotBeRead(): void
    {
        $GLOBALS['wp']['products'][self::LAMP] = new class (['id' => self::LAMP]) extends Product {
            public function get_price(): string
            {
                throw new TypeError('a pricing plugin');
            }
        };
        $this->requestProducts([self::item(self::LAMP), self::item(self::TEA)]);
        Beat::send();
        self::assertSame(['10'], array_column($this->recoup->lastCall('beat')['orders']['goods'], 'product'));
        self::assertSame(2, $this->countBeats());
    }

    public function testValidatesAndLimitsRequestedProducts(): void
    {
        $odd = [null, 7, 'x', [], ['product' => 10], ['product' => '0'], ['product' => '10; drop'], ['product' => ['10']]];
        $this->requestProducts(array_merge($odd, array_map([self::class, 'item'], range(1, 150))));
        Beat::send();
        self::assertCount(92, $this->recoup->lastCall('beat')['orders']['goods']);
        $this->setBeatAnswer(['ask' => ['everyS' => 60, 'ordersSince' => self::SINCE, 'goods' => 'all']]);
        Beat::send();
        Beat::send();
        self::assertSame([], $this->recoup->lastCall('beat')['orders']['goods']);
    }

    public function testSendsOneReportPerBeatToAnOlderRecoup(): void
    {
        $this->setBeatAnswer(['ask' => ['test' => null, 'everyS' => 60, 'ordersSince' => self::SINCE]]);
        Beat::send();
        Beat::send();
        self::assertSame(2, $this->countBeats());
        $report = $this->recoup->lastCall('beat')['orders'];
        self::assertSame([self::SINCE, true, [], []], [$report['since'], $report['isComplete'], $report['list'], $report['goods']]);
    }

    public function testSchedulesAnEarlyBeatBeforeTheHourlyOne(): void
    {
        $this->setBeatAnswer(['ask' => ['everyS' => 3600]]);
        Beat::send();
        self::assertGreaterThan(time() + 3500, $GLOBALS['wp']['tasks']['recoup_beat']);
        $this->requestProducts([]);
        Beat::send();
        self::assertLessThanOrEqual(time() + 60, $GLOBALS['wp']['tasks']['recoup_beat']);
        $this->setBeatAnswer(['ask' => ['everyS' => 3600]]);
        Beat::send();
        self::assertLessThanOrEqual(time() + 60, $GLOBALS['wp']['tasks']['recoup_beat'], 'the scheduled task is early enough');
    }

    public function testRetriesWithinMinutesWhileReportsAreRequested(): void
    {
        $this->requestProducts([]);
        Beat::send();
        $this->recoup->mode = 'down';
        $waits = [];
        foreach (range(1, 8) as $try) {
            run_task(Beat::TASK);
            $waits[] = (int) round(($GLOBALS['wp']['tasks'][Beat::TASK] - time()) / 60);
        }
        self::assertSame([1, 2, 4, 8, 15, 15, 15, 15], $waits);
        $this->recoup->mode = '';
        run_task(Beat::TASK);
        self::assertSame(60, $GLOBALS['wp']['tasks'][Beat::TASK] - time());
        $this->setBeatAnswer(['ask' => ['everyS' => 3600]]);
        run_task(Beat::TASK);
        $this->recoup->mode = 'down';
        run_task(Beat::TASK);
        self::assertSame(3600, $GLOBALS['wp']['tasks'][Beat::TASK] - time());
    }

    public function testSendsABeatWhenABatchAnswerRequestsOne(): void
    {
        $this->recoup->answers['batch'] = static function (array $body): array {
            return [200, ['done' => array_column($body['entries'], 'seq'), 'refused' => [], 'settings' => 's1', 'beat' => count($body['entries']) > 1]];
        };
        $isRequested = new ReflectionProperty(Beat::class, 'isRequested');
        $isRequested->setAccessible(true);
        Outbox::put('cart:1', ['type' => 'cart']);
        Sender::flush(1);
        self::assertFalse($isRequested->getValue());
        Outbox::put('cart:1', ['type' => 'cart']);
        Outbox::put('cart:2', ['type' => 'cart']);
        Sender::flush(1);
        self::assertTrue($isRequested->getValue());
        Beat::send();
    }

    private function sendWake(array $change = [], string $body = '{"v":1}'): object
    {
        $time = (string) ($change['time'] ?? time());
        $nonce = $change['nonce'] ?? bin2hex(random_bytes(16));
        $store = $change['store'] ?? Recoup::STORE;
        $key = $change['key'] ?? Recoup::SECRET;
        $headers = [
            'X-Recoup-Store' => $store,
            'X-Recoup-Time' => $time,
            'X-Recoup-Nonce' => $nonce,
            'X-Recoup-Signature' => Signature::signCall($change['direction'] ?? 'recoup', 'wake', $store, $time, $nonce, $body, $key),
        ];
        return Wake::handle(new class ($body, $headers) {
            private $body;
            private $headers;

            public function __construct(string $body, array $headers)
            {
                $this->body = $body;
                $this->headers = $headers;
            }

            public function get_body(): string
            {
                return $this->body;
            }

            public function get_header(string $name): ?string
            {
                return $this->headers[$name] ?? null;
            }
        });
    }

    public function testSignsTheAnswerToASignedWake(): void
    {
        $nonce = str_repeat('1', 32);
        $answer = $this->sendWake(['nonce' => $nonce]);
        $body = '{"plugin":"0.2.0","home":"https://shop.example.com/"}';
        self::assertSame(200, $answer->status);
        self::assertSame(Signature::signAnswer($nonce, 200, $body, Recoup::SECRET), $answer->headers['X-Recoup-Signature']);
        ob_start();
        apply_filters('rest_pre_serve_request', false, $answer);
        self::assertSame($body, ob_get_clean(), 'the bytes that were signed');
    }

    public function testRejectsForgedReplayedLateAndOversizedWakes(): void
    {
        foreach ([['key' => 'wrong'], ['store' => 'other'], ['direction' => 'shop'], ['nonce' => 'short'], ['time' => 'x']] as $change) {
            self::assertSame(401, $this->sendWake($change)->status);
        }
        self::assertSame(401, $this->sendWake(['time' => time() - 301])->status);
        self::assertSame(401, $this->sendWake(['time' => time() + 301])->status);
        $nonce = str_repeat('2', 32);
        self::assertSame(200, $this->sendWake(['nonce' => $nonce])->status);
        self::assertSame(409, $this->sendWake(['nonce' => $nonce])->status);
        self::assertSame(413, $this->sendWake([], str_repeat('x', 1025))->status);
        self::assertSame(400, $this->sendWake([], 'no JSON')->status);
    }

    public function testStoresNothingForForgedWakes(): void
    {
        $before = [$GLOBALS['wp']['options'], count($GLOBALS['wpdb']->log)];
        foreach (range(1, 500) as $number) {
            self::assertSame(401, $this->sendWake(['key' => 'guess ' . $number])->status);
        }
        self::assertSame($before, [$GLOBALS['wp']['options'], count($GLOBALS['wpdb']->log)]);
        self::assertArrayNotHasKey('transients', $GLOBALS['wp']);
    }

    public function testLimitsWakesToSixtyPerMinute(): void
    {
        foreach (range(1, 60) as $number) {
            self::assertSame(200, $this->sendWake()->status);
        }
        self::assertSame(429, $this->sendWake()->status);
    }

    public function testDescribesProblemsInSentences(): void
    {
        $GLOBALS['wpdb']->insert('wp_woocommerce_api_keys', ['key_id' => 1, 'description' => 'Recoup']);
        self::assertSame([], Health::listProblems());
        self::assertSame('good', Health::runTest()['status']);
        update_option('permalink_structure', '');
        self::assertStringContainsString('Permalinks are set to “Plain”', implode(' ', Health::listProblems()));
        update_option('permalink_structure', '/%postname%/');
        Outbox::put('cart:x', ['type' => 'cart']);
        $GLOBALS['wpdb']->query('UPDATE wp_recoup_outbox SET made_at = made_at - 7300');
        State::put(['cronAt' => time() - 30000]);
        $problems = implode(' ', Health::listProblems());
        self::assertStringContainsString('1 carts and orders are waiting to be sent, the oldest for 2 hours', $problems);
        self::assertStringContainsString('WP-Cron', $problems);
        self::assertSame('recommended', Health::runTest()['status']);
        $GLOBALS['wpdb'] = null;
        self::assertStringContainsString('could not check this shop', Health::runTest()['description'], 'after an error');
    }
}
