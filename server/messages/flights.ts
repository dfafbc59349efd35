import type { Deps } from '../deps.ts'
import { isSteady } from '../instance/workers.ts'
import { applyEarlyReports } from './delivery.ts'
import * as sql from './sql.ts'

/** A process that has not been heard of for this long is gone, and nobody will hear the answers it was waiting for. */
const DEAD_AFTER_MS = 12_000

/** No channel waits this long for an answer; it came and could not be written down. Should it still come, it counts. */
const LATE_AFTER_MS = 20 * 60_000

/** Nobody's last sign of life is older. */
const NEVER = new Date(0)

/**
 * After a process that is gone: what it had on the wire becomes `unknown`, because it may have arrived, and is never resent
 * (D4); what it had only leased is due again.
 */
export async function closeAbandonedFlights(deps: Deps): Promise<number> {
  const now = deps.now()
  const silentSince = new Date(now.getTime() - DEAD_AFTER_MS)
  // After an outage the living are as silent as the dead. Those who are gone for good have no row any more.
  const deadBefore = (await isSteady(deps, silentSince)) ? silentSince : NEVER
  const lateBefore = new Date(now.getTime() - LATE_AFTER_MS)
  const closed = await sql.markAbandonedFlights(deps.db, deadBefore, lateBefore, now)
  for (const row of closed) {
    deps.log.warn({ storeId: row.store_id, messageId: row.id }, 'message.outcome-unknown')
    await applyEarlyReports(deps, row.store_id, [row.id])
  }
  const freed = await sql.releaseClaimsOfDead(deps.db, deadBefore, now)
  if (freed > 0) deps.log.warn({ count: freed }, 'messages.released')
  return closed.length + freed
}
