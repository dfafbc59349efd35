<?php

namespace Recoup\WooCommerce;

/**
 * Sends the queue to Recoup: at once while that succeeds, otherwise from Action Scheduler with back-off (decision 105).
 */
final class Sender
{
    public const TASK = 'recoup_flush';
    private const WAIT_MINUTES = [1, 2, 4, 8, 15, 30, 60];
    /** While Recoup is down, a new entry triggers a try no sooner than this after the last one. */
    private const NEW_ENTRY_WAIT_S = MINUTE_IN_SECONDS;
    /** Longest time a PHP worker is held, and only after the response to the shopper. */
    private const TIMEOUT_S = 5;
    private const MAX_BATCHES = 20;
    private const MAX_BATCHES_INLINE = 3;
    /** The state after a successful call. */
    public const NO_WAIT = ['failures' => 0, 'nextTry' => 0, 'nextNews' => 0, 'problem' => ''];

    /** Sends new entries. $canWait: the response to the shopper is finished. */
    public static function sendSoon(bool $canWait): void
    {
        if (!Connection::isConnected()) {
            return;
        }
        $now = time();
        if ($now < (int) State::get($canWait ? 'nextNews' : 'nextTry', 0) || $now < (int) State::get('busyUntil', 0)) {
            // The task or the running request sends it: a Recoup that hangs must not hold one process per cart.
            self::schedule(MINUTE_IN_SECONDS);
            return;
        }
        if ($canWait) {
            State::put(['busyUntil' => $now + self::TIMEOUT_S + 1]);
            self::flush(self::MAX_BATCHES_INLINE);
            State::put(['busyUntil' => 0]);
            Beat::sendIfLate();
            return;
        }
        $rows = Outbox::claim();
        if ($rows !== []) {
            Api::sendBlind('batch', Outbox::buildBatch($rows)['body']);
            // The answer is not read. The task sends the same rows again, and Recoup confirms them.
            self::schedule(MINUTE_IN_SECONDS * 2);
        }
    }

    /** Action Scheduler runs this task. */
    public static function run(): void
    {
        State::put(['cronAt' => time()]);
        if (Connection::isConnected()) {
            self::flush(self::MAX_BATCHES);
        }
    }

    /** Returns whether Recoup accepted every batch it was sent. */
    public static function flush(int $batches): bool
    {
        for ($count = 0; $count < $batches; $count++) {
            $rows = Outbox::claim();
            if ($rows === []) {
                return true;
            }
            $batch = Outbox::buildBatch($rows);
            Outbox::release(array_diff(array_map([self::class, 'readRowId'], $rows), $batch['ids']));
            if (!self::sendBatch($batch, $rows)) {
                return false;
            }
        }
        self::schedule(MINUTE_IN_SECONDS);
        return true;
    }

    private static function readRowId(object $row): int
    {
        return (int) $row->id;
    }

    private static function sendBatch(array $batch, array $rows): bool
    {
        $access = ['url' => Connection::getUrl(), 'store' => Connection::read('store'), 'key' => Connection::read('secret')];
        $answer = Api::send($access, 'batch', $batch['body'], self::TIMEOUT_S);
        if ($answer->isOk()) {
            self::recordAccepted($answer, $batch['ids']);
            return true;
        }
        if ($answer->hasStatus(400) || $answer->hasStatus(413)) {
            return self::sendSingly($answer, $batch['ids'], $rows);
        }
        self::recordFailure($answer, $batch['ids']);
        return false;
    }

    private static function recordAccepted(Answer $answer, array $ids): void
    {
        $refused = is_array($answer->body['refused'] ?? null) ? $answer->body['refused'] : [];
        foreach ($refused as $entry) {
            Log::warn('Recoup refused an entry: ' . Text::toPlain($entry['code'] ?? '', 40));
        }
        if ($refused !== []) {
            State::countDaily('dropped', count($refused));
        }
        Outbox::remove($ids);
        State::put(['sentAt' => time()] + self::NO_WAIT);
        $version = $answer->body['settings'] ?? null;
        if ((is_string($version) && $version !== Settings::getVersion()) || !empty($answer->body['beat'])) {
            Beat::sendSoon();
        }
    }

    /** Sends entries one by one, so that an invalid entry does not block the others. */
    private static function sendSingly(Answer $answer, array $ids, array $rows): bool
    {
        if (count($ids) === 1) {
            Log::warn('An entry was dropped: Recoup answered ' . $answer->status);
            State::countDaily('dropped', 1);
            Outbox::remove($ids);
            return true;
        }
        foreach ($rows as $row) {
            if (in_array((int) $row->id, $ids, true) && !self::sendBatch(Outbox::buildBatch([$row]), [$row])) {
                return false;
            }
        }
        return true;
    }

    private static function recordFailure(Answer $answer, array $ids): void
    {
        Outbox::release($ids);
        if ($answer->hasStatus(410)) {
            Connect::handleDisconnect();
            return;
        }
        self::backOff($answer);
        $dropped = Outbox::prune();
        if ($dropped > 0) {
            State::countDaily('dropped', $dropped);
        }
    }

    private static function backOff(Answer $answer): void
    {
        $now = time();
        if ($answer->hasStatus(429)) {
            $wait = max(1, min(HOUR_IN_SECONDS, (int) ($answer->body['retryAfterS'] ?? MINUTE_IN_SECONDS)));
            self::waitUntil($now + $wait, $now + $wait, $answer);
            return;
        }
        if ($now < (int) State::get('nextTry', 0)) {
            // A new entry triggered this try. The task keeps its wait.
            self::waitUntil((int) State::get('nextTry', 0), $now + self::NEW_ENTRY_WAIT_S, $answer);
            return;
        }
        $failures = 1 + (int) State::get('failures', 0);
        $minutes = self::WAIT_MINUTES[min($failures, count(self::WAIT_MINUTES)) - 1];
        State::put(['failures' => $failures]);
        $wait = (int) ($minutes * MINUTE_IN_SECONDS * (1 + random_int(0, 200) / 1000));
        self::waitUntil($now + $wait, $now + self::NEW_ENTRY_WAIT_S, $answer);
    }

    private static function waitUntil(int $task, int $newEntry, Answer $answer): void
    {
        State::put(['nextTry' => $task, 'nextNews' => $newEntry, 'problem' => self::describeProblem($answer)]);
        self::schedule($task - time());
    }

    /**
     * After a successful answer to another call, sends the queue in this request instead of waiting for the back-off.
     */
    public static function onAnswer(Answer $answer): void
    {
        if ($answer->isOk() && (int) State::get('nextTry', 0) > 0) {
            State::put(self::NO_WAIT);
            Capture::wake();
        }
    }

    public static function describeProblem(Answer $answer): string
    {
        if ($answer->hasStatus(401) && $answer->getCode() === 'clock') {
            return Api::describeClock(time() - (int) ($answer->body['now'] ?? time()));
        }
        if ($answer->isTrue) {
            return Text::toPlain($answer->body['error'] ?? '', 500);
        }
        return $answer->why;
    }

    /** Schedules one task at a time. */
    public static function schedule(int $inSeconds): void
    {
        self::scheduleOnce(self::TASK, $inSeconds);
    }

    public static function scheduleOnce(string $task, int $inSeconds): void
    {
        if (!function_exists('as_schedule_single_action')) {
            return;
        }
        // Pending ones only: as_next_scheduled_action() also counts the running action, which would then have no
        // successor.
        $waiting = as_get_scheduled_actions(['hook' => $task, 'group' => 'recoup', 'status' => 'pending', 'per_page' => 1], 'ids');
        if ($waiting === []) {
            as_schedule_single_action(time() + $inSeconds, $task, [], 'recoup');
        }
    }

    /** As scheduleOnce(), but replaces a task that is scheduled for later. */
    public static function scheduleBy(string $task, int $inSeconds): void
    {
        if (!function_exists('as_schedule_single_action')) {
            return;
        }
        $at = time() + $inSeconds;
        $inTime = ['hook' => $task, 'group' => 'recoup', 'status' => 'pending', 'date' => $at, 'date_compare' => '<=', 'per_page' => 1];
        if (as_get_scheduled_actions($inTime, 'ids') === []) {
            as_unschedule_all_actions($task, [], 'recoup');
            as_schedule_single_action($at, $task, [], 'recoup');
        }
    }

    public static function unschedule(): void
    {
        if (function_exists('as_unschedule_all_actions')) {
            as_unschedule_all_actions('', [], 'recoup');
        }
    }
}
