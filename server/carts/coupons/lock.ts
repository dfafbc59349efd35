import { setTimeout as sleep } from 'node:timers/promises'
import type { Db, StoreDb } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import * as sql from './sql.ts'

// Serializes writes of one coupon to the store and here, by members and the start job. Otherwise the last write there
// might not be the last one here. No database connection is held while the store answers.

/** Longer than the few requests made under the lock. */
const LOCK_MS = 3 * 60_000
const POLL_EVERY_MS = 50

/** Runs `work` with the coupon once the lock is free. 'busy': still locked; 'gone': no such coupon. */
export async function withCoupon<T>(
  deps: Pick<Deps, 'now'>,
  store: StoreDb<Db>,
  { id, waitMs }: { id: string; waitMs: number },
  work: (coupon: sql.CouponRow) => Promise<T>,
): Promise<T | 'busy' | 'gone'> {
  const locked = await tryLock(deps, store, id, AbortSignal.timeout(waitMs))
  if (typeof locked === 'string') return locked
  try {
    return await work(locked.coupon)
  } finally {
    await sql.unlockCoupon(store, id, locked.until)
  }
}

async function tryLock(deps: Pick<Deps, 'now'>, store: StoreDb<Db>, id: string, limit: AbortSignal) {
  for (;;) {
    const now = deps.now()
    const until = new Date(now.getTime() + LOCK_MS)
    const coupon = await sql.lockCoupon(store, id, { now, until })
    if (coupon) return { coupon, until }
    if (!(await sql.readCoupon(store, id))) return 'gone'
    if (limit.aborted) return 'busy'
    await sleep(POLL_EVERY_MS)
  }
}
