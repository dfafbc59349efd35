import type { Deps } from '../../deps.ts'
import * as sql from './sql.ts'

// Decision 65: deletes notifications after 90 days.

const KEPT_MS = 90 * 86_400_000
/** Grouping looks back a day, and a cart's recovery is reported for a day. */
const HOURS_KEPT_MS = 3 * 86_400_000
const BATCH_SIZE = 2_000

/** Tick. Deletes in batches, each in its own transaction, so that no lock is held for long. */
export async function deleteOldNotifications(deps: Pick<Deps, 'db' | 'now'>): Promise<void> {
  const now = deps.now().getTime()
  for (const [deleteSlice, keptMs] of [
    [sql.deleteOld, KEPT_MS],
    [sql.deleteOldAccountRows, KEPT_MS],
    [sql.deleteOldHours, HOURS_KEPT_MS],
    [sql.deleteOldRecoveries, HOURS_KEPT_MS],
  ] as const) {
    while ((await deleteSlice(deps.db, new Date(now - keptMs), BATCH_SIZE)) === BATCH_SIZE);
  }
}
