import type { z } from 'zod'
import { needsOwner, openStoreClient, readStore } from '../../access/stores/public.ts'
import { AppError, keepSlot, type ReleaseSlot } from '../../core/common/public.ts'
import type { Db, StoreDb } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { type StoreClient, StoreProblem } from '../../platforms/platform/public.ts'
import { beginCouponsJob } from './jobs.ts'
import { withCoupon } from './lock.ts'
import { computeExpiredEnd } from './rules.ts'
import * as sql from './sql.ts'

// Starts coupons. Before its start a coupon exists in the store as expired (decision 32); now it gets its real end
// date.

/** Every minute: queues one job for each store with a coupon to start. */
export async function enqueueStarts(deps: Pick<Deps, 'db' | 'jobs' | 'now'>): Promise<void> {
  for (const storeId of await sql.selectStoresToStart(deps.db, deps.now())) {
    await deps.jobs.enqueue(deps.db, beginCouponsJob, { storeId }, storeId)
  }
}

/** Job. Failures of the store are retried a minute later. */
export async function startCoupons(
  deps: Deps,
  { storeId }: z.infer<typeof beginCouponsJob.payload>,
  releaseSlot: ReleaseSlot = keepSlot,
): Promise<void> {
  const store = { storeId, db: deps.db }
  const row = await readStore(store)
  if (!row?.is_active) return
  try {
    const client = await openStoreClient(deps, store, releaseSlot)
    for (const { id } of rotate(await sql.selectCouponsToStart(store, deps.now()), deps.now())) {
      const beginning = { deps, store, client, currency: row.currency }
      // A coupon that is being edited starts a minute later.
      await withCoupon(deps, store, { id, waitMs: 0 }, (coupon) => startCoupon(beginning, coupon)).catch(
        continueAfterFailure(deps, storeId, id),
      )
    }
  } catch (error) {
    if (!(error instanceof StoreProblem || error instanceof AppError)) throw error
    deps.log.warn({ storeId, err: error }, 'coupons.not_begun')
  }
}

/** Rotates the order each minute, so that a coupon at which the store always hangs does not block those behind it. */
function rotate<Coupon>(due: readonly Coupon[], now: Date): Coupon[] {
  const first = Math.floor(now.getTime() / 60_000) % Math.max(due.length, 1)
  return [...due.slice(first), ...due.slice(0, first)]
}

/** Continues after a failure of one coupon, but not if the store is unreachable or refuses everything. */
const continueAfterFailure = (deps: Pick<Deps, 'log'>, storeId: string, couponId: string) => (error: unknown) => {
  const isOfOne =
    error instanceof StoreProblem && !['unreachable', 'timeout'].includes(error.code) && !needsOwner(error.code)
  if (!isOfOne) throw error
  deps.log.warn({ storeId, couponId, err: error }, 'coupons.not_begun')
}

interface StartContext {
  deps: Deps
  store: StoreDb<Db>
  client: StoreClient
  currency: string
}

/** Our copy may change while the store answers, so the coupon is written as it is afterwards. */
async function startCoupon({ deps, store, client, currency }: StartContext, coupon: sql.CouponRow): Promise<void> {
  const write = (coupon: sql.CouponRow) => {
    const isHidden = !coupon.is_active || (coupon.starts_at !== null && coupon.starts_at > deps.now())
    const expiresAt = isHidden ? computeExpiredEnd(deps.now()) : (coupon.ends_at?.toISOString() ?? null)
    return client.updateCoupon(coupon.platform_id!, { currency, expiresAt })
  }
  const { id } = coupon
  if (!coupon.is_withheld || !coupon.is_active) return
  const changed = await write(coupon)
  if (!('coupon' in changed)) {
    deps.log.warn({ storeId: store.storeId, couponId: id, refusal: changed.detail }, 'coupons.not_begun')
    if (changed.refusal === 'gone') await sql.updateCoupon(store, id, { gone_at: deps.now() })
    return
  }
  const terms = JSON.stringify({ ...coupon.terms, expiresAt: changed.coupon.expiresAt })
  if (await sql.markStarted(store, coupon, { terms, seen_at: deps.now() })) return
  const edited = await sql.readCoupon(store, id)
  if (edited) await write(edited)
}
