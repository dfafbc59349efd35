<?php

namespace Recoup\WooCommerce;

/** The hourly call that reports the shop's health. Its answer carries settings, updates and requests from Recoup. */
final class Beat
{
    public const TASK = 'recoup_beat';
    private const TIMEOUT_S = 15;
    private const MAX_CALLS = 20;

    /** @var bool */
    private static $isRequested = false;
    /** @var array{at: int, ids: int[]}|null last second of the report just sent, and its order ids; null: no report, or it is complete */
    private static $reportEnd = null;

    /** Action Scheduler runs this task. */
    public static function run(): void
    {
        State::put(['cronAt' => time()]);
        if (!Connection::isConnected()) {
            return;
        }
        if (Outbox::count() > 0 && time() >= (int) State::get('nextTry', 0)) {
            Sender::flush(self::MAX_CALLS);
        }
        self::send();
    }

    /** Sends a beat at the end of this request, after the response to the shopper. */
    public static function sendSoon(): void
    {
        if (!self::$isRequested) {
            self::$isRequested = true;
            register_shutdown_function(Guard::wrapAction('beat', static function (): void {
                Capture::finishResponse();
                self::send();
            }));
        }
    }

    /** Without WP-Cron, admin screens and cart changes send overdue beats. */
    public static function sendIfLate(): void
    {
        if (Connection::isConnected() && time() > (int) State::get('nextBeat', 0) + 5 * MINUTE_IN_SECONDS) {
            self::sendSoon();
        }
    }

    /** Returns the problem; '' on success. */
    public static function send(): string
    {
        self::$isRequested = false;
        $problem = '';
        for ($count = 0; $count < self::MAX_CALLS; $count++) {
            $answer = Api::call('beat', self::buildBody(), self::TIMEOUT_S);
            $problem = $answer->isOk() ? '' : Sender::describeProblem($answer);
            if (!self::applyAnswer($answer)) {
                break;
            }
        }
        return $problem;
    }

    /** Returns whether the order report needs another beat. */
    private static function applyAnswer(Answer $answer): bool
    {
        if ($answer->hasStatus(410)) {
            Connect::handleDisconnect();
            return false;
        }
        if (!$answer->isOk()) {
            self::backOff($answer);
            return false;
        }
        Sender::onAnswer($answer);
        State::put(['reported' => self::$reportEnd]);
        $reported = State::get('goods', []);
        self::saveAnswer($answer->body);
        $goods = State::get('goods', []);
        return State::get('ordersSince') !== null && (self::$reportEnd !== null || ($goods !== [] && $goods !== $reported));
    }

    /**
     * Starts with short waits: messages may wait for this shop's reports, so a short outage must not delay them by an
     * hour.
     */
    private static function backOff(Answer $answer): void
    {
        $failures = 1 + (int) State::get('beatFailures', 0);
        $every = (int) State::get('every', HOUR_IN_SECONDS);
        $wait = max($every, min(15 * MINUTE_IN_SECONDS, $every * 2 ** min($failures - 1, 10)));
        $problem = Sender::describeProblem($answer);
        State::put(['nextBeat' => time() + $wait, 'beatProblem' => $problem, 'beatFailures' => $failures]);
        Sender::scheduleBy(self::TASK, $wait);
    }

    private static function saveAnswer(array $body): void
    {
        Settings::saveInput($body['settings'] ?? null);
        $ask = is_array($body['ask'] ?? null) ? $body['ask'] : [];
        $every = max(60, min(3600, (int) ($ask['everyS'] ?? 3600)));
        $since = $ask['ordersSince'] ?? null;
        State::put([
            'beatAt' => time(),
            'nextBeat' => time() + $every,
            'every' => $every,
            'beatProblem' => '',
            'beatFailures' => 0,
            'reach' => self::parseReach($body['reach'] ?? null),
            'update' => is_array($body['update'] ?? null) ? $body['update'] : null,
            'ordersSince' => is_string($since) && $since !== '' ? Text::cut($since, 40) : null,
            'goods' => Goods::parseRequest($ask['goods'] ?? null),
            'asked' => is_string($ask['at'] ?? null) ? ['at' => Text::cut($ask['at'], 40), 'on' => time()] : null,
        ]);
        if ((int) ($body['seq'] ?? 0) > Outbox::readHighestSeq()) {
            // The shop's tables were restored from a backup, so its sequence numbers start again: use a new queue id.
            Connection::set('install', bin2hex(random_bytes(16)));
        }
        self::sendTestEntry($ask['test'] ?? null);
        Sender::scheduleBy(self::TASK, $every);
    }

    /**
     * null: Recoup has not checked yet.
     *
     * @param mixed $reach
     */
    private static function parseReach($reach): ?array
    {
        if (!is_array($reach)) {
            return null;
        }
        $isReached = !empty($reach['isReached']);
        return ['isReached' => $isReached, 'reason' => $isReached ? '' : Text::toPlain($reach['reason'] ?? '', 500)];
    }

    /** @param mixed $test */
    private static function sendTestEntry($test): void
    {
        if (is_string($test) && preg_match('/^[0-9a-f]{32}$/D', $test) && State::get('test') !== $test) {
            State::put(['test' => $test]);
            Outbox::put('test', ['type' => 'test', 'test' => $test]);
            Sender::flush(1);
        }
    }

    private static function buildBody(): array
    {
        $body = [
            'v' => 1,
            'plugin' => Plugin::VERSION,
            'install' => Connection::read('install'),
            'settings' => Settings::getVersion(),
            'health' => Health::read(),
        ];
        $since = State::get('ordersSince');
        $reported = is_string($since) ? self::findReportedIds((int) strtotime($since)) : [];
        $report = is_string($since) ? Orders::report($since, State::get('goods', []), $reported) : null;
        self::$reportEnd = $report === null || $report['isComplete'] ? null : self::findReportEnd($report['list'], $reported);
        return $report === null ? $body : $body + ['orders' => $report + self::describeRequestAge(time() - $report['age'])];
    }

    /**
     * Returns when Recoup requested the report (Recoup's clock) and the seconds since then (the shop's clock), rounded
     * down. A report may count as older than it is, never as newer.
     */
    private static function describeRequestAge(int $startedAt): array
    {
        $request = State::get('asked');
        return is_array($request) ? ['askedAt' => $request['at'], 'sinceAskedS' => max(0, $startedAt - $request['on'] - 1)] : [];
    }

    /**
     * Order ids of this second that the previous part reported. Until the second has passed they may change again and
     * are reported again.
     *
     * @return int[]
     */
    private static function findReportedIds(int $second): array
    {
        $reported = State::get('reported');
        return is_array($reported) && $reported['at'] === $second && $second < time() - 1 ? $reported['ids'] : [];
    }

    /** @param int[] $reported */
    private static function findReportEnd(array $list, array $reported): array
    {
        $instants = array_column($list, 'date_modified_gmt', 'id');
        $last = (string) end($instants);
        $isSame = count(array_unique($instants)) === 1 && (int) strtotime($last . 'Z') === (State::get('reported')['at'] ?? null);
        $ids = array_keys($instants, $last, true);
        return ['at' => (int) strtotime($last . 'Z'), 'ids' => $isSame ? array_merge($reported, $ids) : $ids];
    }
}
