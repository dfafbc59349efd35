<?php

// Fakes of Action Scheduler, which WooCommerce includes.

function as_schedule_single_action(int $at, string $task, array $arguments, string $group): int
{
    $GLOBALS['wp']['tasks'][$task] = $at;
    return 1;
}

/** Returns the ids of pending actions. */
function as_get_scheduled_actions(array $query, string $as): array
{
    $at = $GLOBALS['wp']['tasks'][$query['hook']] ?? null;
    return $at !== null && $at <= ($query['date'] ?? $at) ? [1] : [];
}

/** Runs a task as Action Scheduler does: a running action is no longer pending. */
function run_task(string $task): void
{
    unset($GLOBALS['wp']['tasks'][$task]);
    do_action($task);
}

function wp_doing_cron(): bool
{
    return $GLOBALS['wp']['isCron'] ?? false;
}

function as_unschedule_all_actions(string $task, array $arguments, string $group): void
{
    if ($task === '') {
        $GLOBALS['wp']['tasks'] = [];
    }
    unset($GLOBALS['wp']['tasks'][$task]);
}
