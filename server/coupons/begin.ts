import type { z } from 'zod'
import type { Db, StoreDb } from '../core/db.ts'
import { AppError } from '../core/errors.ts'
import type { Deps } from '../deps.ts'
import { StoreProblem } from '../platforms/store-problem.ts'
import { storeAccess } from '../stores/access.ts'
import { readStore } from '../stores/store.ts'
import { beginCouponsJob } from './jobs.ts'
import * as sql from './sql.ts'

// A coupon that has not begun stands in the store as expired (decision 32). At its start it gets its true end.

/** Every minute: one job for each store where a start has come. */
export async function enqueueBeginnings(deps: Deps): Promise<void> {
  for (const storeId of await sql.storesToBegin(deps.db, deps.now())) {
    await deps.jobs.enqueue(deps.db, beginCouponsJob, { storeId }, storeId)
  }
}

/** Job. What the store does wrong is tried again a minute later. */
export async function beginCoupons(deps: Deps, { storeId }: z.infer<typeof beginCouponsJob.payload>): Promise<void> {
  const store = { storeId, db: deps.db }
  const row = await readStore(store)
  if (!row?.is_active) return
  try {
    const client = await storeAccess(deps, store)
    for (const coupon of await sql.couponsToBegin(store, deps.now())) {
      const { currency } = row
      const expiresAt = coupon.ends_at?.toISOString() ?? null
      const changed = await client.updateCoupon(coupon.platform_id!, { currency, expiresAt })
      await noteBegun(deps, store, coupon, changed)
    }
  } catch (error) {
    if (!(error instanceof StoreProblem || error instanceof AppError)) throw error
    deps.log.warn({ storeId, err: error }, 'coupons.not_begun')
  }
}

type Changed = Awaited<ReturnType<Awaited<ReturnType<typeof storeAccess>>['updateCoupon']>>

async function noteBegun(deps: Deps, store: StoreDb<Db>, coupon: sql.CouponRow, changed: Changed): Promise<void> {
  if ('coupon' in changed) {
    const terms = JSON.stringify({ ...coupon.terms, expiresAt: changed.coupon.expiresAt })
    await sql.updateCoupon(store, coupon.id, { is_withheld: false, terms, seen_at: deps.now() })
    return
  }
  deps.log.warn({ storeId: store.storeId, couponId: coupon.id, refusal: changed.words }, 'coupons.not_begun')
  if (changed.refusal === 'gone') await sql.updateCoupon(store, coupon.id, { gone_at: deps.now() })
}
