import { transact } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { scheduleNextLook } from '../../messages/messages/messages.ts'
import { assignFlows, lockFlows } from '../flow-choice/choose.ts'
import { foldCartCounts } from './counts-sql.ts'
import * as sql from './detect-sql.ts'
import { recordFacts } from './record.ts'

// Changes of carts made by the clock: abandoned, lost, no response. Set-based, by index, safe to run concurrently.

const BATCH = 500

/** Marks carts as abandoned after the store's effective timeout, and plans their flow steps (S1). */
export async function detectAbandoned(deps: Deps): Promise<number> {
  let total = 0
  for (;;) {
    const now = deps.now()
    const stores = await sql.selectStoresToDetect(deps.db, now, 50)
    if (stores.length === 0) return total
    let moved = 0
    for (const storeId of stores) moved += await detectInStore(deps, storeId, now)
    // Rows locked by another transaction are skipped until the next tick.
    if (moved === 0) return total
    total += moved
  }
}

async function detectInStore(deps: Deps, storeId: string, now: Date): Promise<number> {
  return transact({ storeId, db: deps.db }, async (tx) => {
    // A flow is being edited: retry at the next tick.
    if (!(await lockFlows(tx))) return 0
    const cartIds = await sql.abandonDueCarts(tx, now, BATCH)
    if (cartIds.length === 0) return 0
    await sql.notifyAbandoned(tx, cartIds, now)
    await assignFlows(tx, { secrets: deps.secrets, now }, cartIds)
    await scheduleNextLook(tx)
    return cartIds.length
  })
}

/** Marks carts as lost. The fact ends the episode, so that later activity opens a new one (S5, S7). */
export async function detectLost(deps: Deps): Promise<number> {
  const now = deps.now()
  const due = await sql.selectLostCarts(deps.db, now, BATCH)
  for (const cart of due) {
    await recordFacts(deps, cart.store_id, [
      {
        keys: cart.keys,
        source: 'engine',
        at: cart.lost_at,
        uniqueKey: `lost:${cart.id}:${cart.lost_at.toISOString()}`,
        payload: { type: 'lost' },
      },
    ])
  }
  return due.length
}

/** Sets "No Response" a day after the newest send without a human click or an order (decision 11). */
export function detectNoResponse(deps: Deps): Promise<number> {
  return sql.markNoResponse(deps.db, deps.now())
}

/** Compacts the counters of the list, so that a total stays a sum of a few rows. */
export function compactCartCounts(deps: Deps): Promise<void> {
  return foldCartCounts(deps.db)
}
