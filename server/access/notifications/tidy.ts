import type { Deps } from '../../deps.ts'
import * as sql from './sql.ts'

// Decision 65: notifications are kept for 90 days.

const KEPT_MS = 90 * 86_400_000
/** Gathering looks back a day; the recovery of a cart is news for a day. */
const HOURS_KEPT_MS = 3 * 86_400_000
const SLICE = 2_000

/** Tick. In slices, each a transaction of its own: nobody waits for a long one. */
export async function tidyNotifications(deps: Deps): Promise<void> {
  const now = deps.now().getTime()
  for (const [deleteSlice, keptMs] of [
    [sql.deleteOld, KEPT_MS],
    [sql.deleteOldOfAccounts, KEPT_MS],
    [sql.deleteOldHours, HOURS_KEPT_MS],
    [sql.deleteOldRecoveries, HOURS_KEPT_MS],
  ] as const) {
    while ((await deleteSlice(deps.db, new Date(now - keptMs), SLICE)) === SLICE);
  }
}
