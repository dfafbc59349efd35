import type { z } from 'zod'
import type { Db, StoreDb } from '../../core/db/db.ts'
import { AppError } from '../../core/common/errors.ts'
import { inPlace, type StepAside } from '../../core/common/seats.ts'
import type { Deps } from '../../deps.ts'
import type { StoreClient } from '../../platforms/platform/platform.ts'
import { StoreProblem } from '../../platforms/platform/store-problem.ts'
import { storeAccess } from '../../access/stores/access.ts'
import { isForOwner } from '../../access/stores/rules.ts'
import { readStore } from '../../access/stores/store.ts'
import { beginCouponsJob } from './jobs.ts'
import { withCoupon } from './lock.ts'
import { expiredAt } from './rules.ts'
import * as sql from './sql.ts'

// A coupon that has not begun stands in the store as expired (decision 32). At its start it gets its true end.

/** Every minute: one job for each store where a start has come. */
export async function enqueueBeginnings(deps: Deps): Promise<void> {
  for (const storeId of await sql.storesToBegin(deps.db, deps.now())) {
    await deps.jobs.enqueue(deps.db, beginCouponsJob, { storeId }, storeId)
  }
}

/** Job. What the store does wrong is tried again a minute later. */
export async function beginCoupons(
  deps: Deps,
  { storeId }: z.infer<typeof beginCouponsJob.payload>,
  stepAside: StepAside = inPlace,
): Promise<void> {
  const store = { storeId, db: deps.db }
  const row = await readStore(store)
  if (!row?.is_active) return
  try {
    const client = await storeAccess(deps, store, stepAside)
    for (const { id } of inTurn(await sql.couponsToBegin(store, deps.now()), deps.now())) {
      const beginning = { deps, store, client, currency: row.currency }
      // One that is being changed begins a minute later.
      await withCoupon(deps, store, { id, waitMs: 0 }, (coupon) => beginOne(beginning, coupon)).catch(
        afterThat(deps, storeId, id),
      )
    }
  } catch (error) {
    if (!(error instanceof StoreProblem || error instanceof AppError)) throw error
    deps.log.warn({ storeId, err: error }, 'coupons.not_begun')
  }
}

/** Each minute begins with another one, so that a coupon which the store always hangs at does not keep those behind it from beginning. */
function inTurn<Coupon>(due: readonly Coupon[], now: Date): Coupon[] {
  const first = Math.floor(now.getTime() / 60_000) % Math.max(due.length, 1)
  return [...due.slice(first), ...due.slice(0, first)]
}

/** One coupon that the store fails at does not keep those behind it from beginning; a store that is away, or refuses all, is left alone. */
const afterThat = (deps: Deps, storeId: string, couponId: string) => (error: unknown) => {
  const isOfOne =
    error instanceof StoreProblem && !['unreachable', 'timeout'].includes(error.code) && !isForOwner(error.code)
  if (!isOfOne) throw error
  deps.log.warn({ storeId, couponId, err: error }, 'coupons.not_begun')
}

interface Beginning {
  deps: Deps
  store: StoreDb<Db>
  client: StoreClient
  currency: string
}

/** A reading of the store may change it at the same time: what it is here when the store has answered is what is to stand there. */
async function beginOne({ deps, store, client, currency }: Beginning, coupon: sql.CouponRow): Promise<void> {
  const write = (coupon: sql.CouponRow) => {
    const isHidden = !coupon.is_active || (coupon.starts_at !== null && coupon.starts_at > deps.now())
    const expiresAt = isHidden ? expiredAt(deps.now()) : (coupon.ends_at?.toISOString() ?? null)
    return client.updateCoupon(coupon.platform_id!, { currency, expiresAt })
  }
  const { id } = coupon
  if (!coupon.is_withheld || !coupon.is_active) return
  const changed = await write(coupon)
  if (!('coupon' in changed)) {
    deps.log.warn({ storeId: store.storeId, couponId: id, refusal: changed.words }, 'coupons.not_begun')
    if (changed.refusal === 'gone') await sql.updateCoupon(store, id, { gone_at: deps.now() })
    return
  }
  const terms = JSON.stringify({ ...coupon.terms, expiresAt: changed.coupon.expiresAt })
  if (await sql.noteBegun(store, coupon, { terms, seen_at: deps.now() })) return
  const edited = await sql.readCoupon(store, id)
  if (edited) await write(edited)
}
