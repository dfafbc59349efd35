<?php

namespace Recoup\WooCommerce;

/** From the queue to Recoup: at once while that works, otherwise again and again by Action Scheduler, with back-off (decision 105). */
final class Sender
{
    public const TASK = 'recoup_flush';
    private const WAIT_MINUTES = [1, 2, 4, 8, 15, 30, 60];
    /** While Recoup is away, something new tries it no sooner than this after the last try. */
    private const NEW_ENTRY_WAIT_S = MINUTE_IN_SECONDS;
    /** A worker of the shop is held for no longer than this, and only after a shopper has got the answer. */
    private const TIMEOUT_S = 5;
    private const MAX_BATCHES = 20;
    private const MAX_BATCHES_INLINE = 3;
    /** Recoup answers. */
    public const NO_WAIT = ['failures' => 0, 'nextTry' => 0, 'nextNews' => 0, 'problem' => ''];

    /** After something was put into the queue; the shopper has the page already, where the server can do that. */
    public static function soon(bool $canWait): void
    {
        if (!Connection::isUp()) {
            return;
        }
        $now = time();
        if ($now < (int) State::get($canWait ? 'nextNews' : 'nextTry', 0) || $now < (int) State::get('busyUntil', 0)) {
            // It goes with the task, or with what is on its way: a Recoup that hangs must not hold one process for each cart.
            self::schedule(MINUTE_IN_SECONDS);
            return;
        }
        if ($canWait) {
            State::put(['busyUntil' => $now + self::TIMEOUT_S + 1]);
            self::flush(self::MAX_BATCHES_INLINE);
            State::put(['busyUntil' => 0]);
            Beat::ifLate();
            return;
        }
        $rows = Outbox::claim();
        if ($rows !== []) {
            Api::sendBlind('batch', Outbox::batchOf($rows)['body']);
            // Nobody has read the answer: the same rows go again, and are answered as done.
            self::schedule(MINUTE_IN_SECONDS * 2);
        }
    }

    /** The task of Action Scheduler. */
    public static function run(): void
    {
        State::put(['cronAt' => time()]);
        if (Connection::isUp()) {
            self::flush(self::MAX_BATCHES);
        }
    }

    /** Answers whether everything tried was taken. */
    public static function flush(int $batches): bool
    {
        for ($count = 0; $count < $batches; $count++) {
            $rows = Outbox::claim();
            if ($rows === []) {
                return true;
            }
            $batch = Outbox::batchOf($rows);
            Outbox::release(array_diff(array_map([self::class, 'rowId'], $rows), $batch['ids']));
            if (!self::sendBatch($batch, $rows)) {
                return false;
            }
        }
        self::schedule(MINUTE_IN_SECONDS);
        return true;
    }

    private static function rowId(object $row): int
    {
        return (int) $row->id;
    }

    private static function sendBatch(array $batch, array $rows): bool
    {
        $access = ['url' => Connection::url(), 'store' => Connection::read('store'), 'key' => Connection::read('secret')];
        $answer = Api::send($access, 'batch', $batch['body'], self::TIMEOUT_S);
        if ($answer->isOk()) {
            self::recordAccepted($answer, $batch['ids']);
            return true;
        }
        if ($answer->has(400) || $answer->has(413)) {
            return self::sendSingly($answer, $batch['ids'], $rows);
        }
        self::recordFailure($answer, $batch['ids']);
        return false;
    }

    private static function recordAccepted(Answer $answer, array $ids): void
    {
        $refused = is_array($answer->body['refused'] ?? null) ? $answer->body['refused'] : [];
        foreach ($refused as $entry) {
            Log::warn('Recoup refused an entry: ' . Text::plain($entry['code'] ?? '', 40));
        }
        if ($refused !== []) {
            State::countDaily('dropped', count($refused));
        }
        Outbox::remove($ids);
        State::put(['sentAt' => time()] + self::NO_WAIT);
        $version = $answer->body['settings'] ?? null;
        if ((is_string($version) && $version !== Settings::version()) || !empty($answer->body['beat'])) {
            Beat::soon();
        }
    }

    /** One bad entry must not hold up the others. */
    private static function sendSingly(Answer $answer, array $ids, array $rows): bool
    {
        if (count($ids) === 1) {
            Log::warn('An entry was dropped: Recoup answered ' . $answer->status);
            State::countDaily('dropped', 1);
            Outbox::remove($ids);
            return true;
        }
        foreach ($rows as $row) {
            if (in_array((int) $row->id, $ids, true) && !self::sendBatch(Outbox::batchOf([$row]), [$row])) {
                return false;
            }
        }
        return true;
    }

    private static function recordFailure(Answer $answer, array $ids): void
    {
        Outbox::release($ids);
        if ($answer->has(410)) {
            Connect::ended();
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
        if ($answer->has(429)) {
            $wait = max(1, min(HOUR_IN_SECONDS, (int) ($answer->body['retryAfterS'] ?? MINUTE_IN_SECONDS)));
            self::waitUntil($now + $wait, $now + $wait, $answer);
            return;
        }
        if ($now < (int) State::get('nextTry', 0)) {
            // Something new has tried in between. The wait for the task goes on as it was.
            self::waitUntil((int) State::get('nextTry', 0), $now + self::NEW_ENTRY_WAIT_S, $answer);
            return;
        }
        $failures = 1 + (int) State::get('failures', 0);
        $minutes = self::WAIT_MINUTES[min($failures, count(self::WAIT_MINUTES)) - 1];
        State::put(['failures' => $failures]);
        $wait = (int) ($minutes * MINUTE_IN_SECONDS * (1 + random_int(0, 200) / 1000));
        self::waitUntil($now + $wait, $now + self::NEW_ENTRY_WAIT_S, $answer);
    }

    private static function waitUntil(int $task, int $news, Answer $answer): void
    {
        State::put(['nextTry' => $task, 'nextNews' => $news, 'problem' => self::problemOf($answer)]);
        self::schedule($task - time());
    }

    /** Recoup has answered another call: what waits goes now, in this request, and not when its time has come. */
    public static function answered(Answer $answer): void
    {
        if ($answer->isOk() && (int) State::get('nextTry', 0) > 0) {
            State::put(self::NO_WAIT);
            Capture::wake();
        }
    }

    public static function problemOf(Answer $answer): string
    {
        if ($answer->has(401) && $answer->code() === 'clock') {
            return Api::clockWords(time() - (int) ($answer->body['now'] ?? time()));
        }
        if ($answer->isTrue) {
            return Text::plain($answer->body['error'] ?? '', 500);
        }
        return $answer->why;
    }

    /** One task at a time. */
    public static function schedule(int $inSeconds): void
    {
        self::once(self::TASK, $inSeconds);
    }

    public static function once(string $task, int $inSeconds): void
    {
        if (!function_exists('as_schedule_single_action')) {
            return;
        }
        // Only those still to come: as_next_scheduled_action() counts the running one, which then would have no successor.
        $waiting = as_get_scheduled_actions(['hook' => $task, 'group' => 'recoup', 'status' => 'pending', 'per_page' => 1], 'ids');
        if ($waiting === []) {
            as_schedule_single_action(time() + $inSeconds, $task, [], 'recoup');
        }
    }

    /** The same, but no later: one that is planned for later is replaced. */
    public static function atLatest(string $task, int $inSeconds): void
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
