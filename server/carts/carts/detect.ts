import { type Db, sql, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { scheduleNextRun } from '../../messages/messages/public.ts'
import { assignFlows, lockFlows } from '../flow-choice/public.ts'
import { abandonDueCarts, notifyAbandoned, selectLostCarts } from './detect-sql.ts'
import { hasReacted } from './fragments.ts'
import { recordFacts } from './record.ts'

// State changes of carts that are due by time: abandoned, lost, no response. Set-based, by index, safe to run
// concurrently.

const BATCH = 500

/** Marks carts as abandoned after the store's effective timeout, and plans their flow steps (S1). */
export async function detectAbandoned(deps: Pick<Deps, 'db' | 'now' | 'secrets'>): Promise<number> {
  let total = 0
  for (;;) {
    const now = deps.now()
    const stores = await selectStoresToDetect(deps.db, now, 50)
    if (stores.length === 0) return total
    let abandonedCount = 0
    for (const storeId of stores) abandonedCount += await detectInStore(deps, storeId, now)
    // Rows locked by another transaction are skipped until the next tick.
    if (abandonedCount === 0) return total
    total += abandonedCount
  }
}

async function detectInStore(deps: Pick<Deps, 'db' | 'secrets'>, storeId: string, now: Date): Promise<number> {
  return transact({ storeId, db: deps.db }, async (tx) => {
    // A flow is being edited: retry at the next tick.
    if (!(await lockFlows(tx))) return 0
    const cartIds = await abandonDueCarts(tx, now, BATCH)
    if (cartIds.length === 0) return 0
    await notifyAbandoned(tx, cartIds, now)
    await assignFlows(tx, { secrets: deps.secrets, now }, cartIds)
    await scheduleNextRun(tx)
    return cartIds.length
  })
}

/** Marks carts as lost. The fact ends the episode, so that later activity opens a new one (S5, S7). */
export async function detectLost(deps: Pick<Deps, 'db' | 'jobs' | 'now' | 'secrets'>): Promise<number> {
  const now = deps.now()
  const due = await selectLostCarts(deps.db, now, BATCH)
  for (const cart of due) {
    await recordFacts(deps, { storeId: cart.store_id, db: deps.db }, [
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
export function detectNoResponse(deps: Pick<Deps, 'db' | 'now'>): Promise<number> {
  return markNoResponse(deps.db, deps.now())
}

/** Compacts the counters of the list, so that a total stays a sum of a few rows. */
export function compactCartCounts(deps: Pick<Deps, 'db'>): Promise<void> {
  return mergeCounterRows(deps.db)
}

/**
 * Adds new counter rows, which a trigger on `cart_badges` writes, to the one row per badge and day. Safe to run
 * concurrently: later rows are left for the next run.
 */
async function mergeCounterRows(db: Db): Promise<void> {
  await sql`
    with fresh as (
      delete from cart_counts where not is_folded returning store_id, badge, day, change)
    insert into cart_counts (store_id, badge, day, change, is_folded)
    select store_id, badge, day, sum(change), true from fresh group by 1, 2, 3 having sum(change) <> 0 order by 1, 2, 3
    on conflict (store_id, badge, day) where is_folded do update set change = cart_counts.change + excluded.change`.execute(
    db,
  )
  await sql`delete from cart_counts where is_folded and change = 0`.execute(db)
}

async function selectStoresToDetect(db: Db, now: Date, limit: number): Promise<string[]> {
  const rows = await sql<{ store_id: string }>`
    select distinct store_id from (select store_id from carts where status = 'active' and abandon_at <= ${now}
      order by abandon_at limit 5000) due limit ${limit}`.execute(db)
  return rows.rows.map((row) => row.store_id)
}

async function markNoResponse(db: Db, now: Date): Promise<number> {
  const rows = await sql`
    update cart_badges cb set no_response_at = null,
      badge = case when cb.badge = 'Recovered' or ${hasReacted} then cb.badge else 'No Response' end
    from carts c where cb.no_response_at <= ${now} and c.store_id = cb.store_id and c.id = cb.cart_id returning 1`.execute(
    db,
  )
  return rows.rows.length
}
