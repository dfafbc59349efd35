import type { Deps } from '../../deps.ts'
import * as sql from './sql.ts'

// Decision 65: deletes notifications after 90 days.

const RETENTION_MS = 90 * 86_400_000
/** Grouping looks back a day, and a cart's recovery is reported for a day. */
const HOUR_RETENTION_MS = 3 * 86_400_000
const BATCH_SIZE = 2_000

/** Tick. Deletes in batches, each in its own transaction, so that no lock is held for long. */
export async function deleteOldNotifications(deps: Pick<Deps, 'db' | 'now'>): Promise<void> {
  const now = deps.now().getTime()
  for (const [deleteSlice, retentionMs] of [
    [sql.deleteOld, RETENTION_MS],
    [sql.deleteOldAccountRows, RETENTION_MS],
    [sql.deleteOldHours, HOUR_RETENTION_MS],
    [sql.deleteOldRecoveries, HOUR_RETENTION_MS],
  ] as const) {
    while ((await deleteSlice(deps.db, new Date(now - retentionMs), BATCH_SIZE)) === BATCH_SIZE);
  }
}
