import type { Deps } from '../deps.ts'
import * as sql from './sql.ts'

/** A process that has not been heard of for this long is gone, and nobody will hear the answers it was waiting for. */
const DEAD_AFTER_MS = 20_000

/** Messages on the wire of a process that is gone become `unknown`: they may have arrived, so they are never resent (D4). */
export async function closeAbandonedFlights(deps: Deps): Promise<number> {
  const now = deps.now()
  const closed = await sql.markAbandonedFlights(deps.db, new Date(now.getTime() - DEAD_AFTER_MS), now)
  for (const row of closed) deps.log.warn({ storeId: row.store_id, messageId: row.id }, 'message.outcome-unknown')
  return closed.length
}
