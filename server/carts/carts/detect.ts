import { transact } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { keepFlows, takeIntoFlows } from '../flow-choice/choose.ts'
import { scheduleNextLook } from '../../messages/messages/messages.ts'
import { foldCartCounts } from './counts-sql.ts'
import * as sql from './detect-sql.ts'
import { recordFacts } from './record.ts'

// What the clock does to carts: abandoned, lost, no response. Set-based, over indexes, safe to run twice at once.

const BATCH = 500

/** Carts whose shopper has been quiet for the store's effective timeout become abandoned, and their flow steps are planned (S1). */
export async function detectAbandoned(deps: Deps): Promise<number> {
  let total = 0
  for (;;) {
    const now = deps.now()
    const stores = await sql.storesToDetect(deps.db, now, 50)
    if (stores.length === 0) return total
    let moved = 0
    for (const storeId of stores) moved += await detectInStore(deps, storeId, now)
    // Rows another transaction holds are passed over; the next tick finds them.
    if (moved === 0) return total
    total += moved
  }
}

async function detectInStore(deps: Deps, storeId: string, now: Date): Promise<number> {
  return transact({ storeId, db: deps.db }, async (tx) => {
    // While one is edited: the next tick.
    if (!(await keepFlows(tx))) return 0
    const cartIds = await sql.abandonDue(tx, now, BATCH)
    if (cartIds.length === 0) return 0
    await sql.notifyAbandoned(tx, cartIds, now)
    await takeIntoFlows(tx, { secrets: deps.secrets, now }, cartIds)
    await scheduleNextLook(tx)
    return cartIds.length
  })
}

/** Carts given up: the fact ends the episode, so that what comes later opens a new one (S5, S7). */
export async function detectLost(deps: Deps): Promise<number> {
  const now = deps.now()
  const due = await sql.lostDue(deps.db, now, BATCH)
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

/** A day after the newest send without a human click or an order (decision 11). */
export function detectNoResponse(deps: Deps): Promise<number> {
  return sql.markNoResponse(deps.db, deps.now())
}

/** Keeps the counters of the list short, so that a total stays a sum of a few rows. */
export function tidyCounts(deps: Deps): Promise<void> {
  return foldCartCounts(deps.db)
}
