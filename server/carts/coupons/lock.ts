import { setTimeout as sleep } from 'node:timers/promises'
import type { Db, StoreDb } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import * as sql from './sql.ts'

// What is written of a coupon into the store and here is written by one at a time: a member, or the job of its start. Otherwise the one who
// writes last there need not be the one who writes last here. No connection is kept while the store is asked.

/** Longer than the few requests take that are made under it. */
const LOCK_MS = 3 * 60_000
const LOOK_EVERY_MS = 50

/** The coupon as it is once nobody else has it. 'busy': somebody still has; 'gone': there is none. */
export async function withCoupon<T>(
  deps: Deps,
  store: StoreDb<Db>,
  { id, waitMs }: { id: string; waitMs: number },
  work: (coupon: sql.CouponRow) => Promise<T>,
): Promise<T | 'busy' | 'gone'> {
  const taken = await take(deps, store, id, AbortSignal.timeout(waitMs))
  if (typeof taken === 'string') return taken
  try {
    return await work(taken.coupon)
  } finally {
    await sql.unlockCoupon(store, id, taken.until)
  }
}

async function take(deps: Deps, store: StoreDb<Db>, id: string, limit: AbortSignal) {
  for (;;) {
    const now = deps.now()
    const until = new Date(now.getTime() + LOCK_MS)
    const coupon = await sql.lockCoupon(store, id, { now, until })
    if (coupon) return { coupon, until }
    if (!(await sql.readCoupon(store, id))) return 'gone'
    if (limit.aborted) return 'busy'
    await sleep(LOOK_EVERY_MS)
  }
}
