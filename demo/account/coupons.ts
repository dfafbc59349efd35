import { openStoreClient } from '../../server/access/stores/access.ts'
import { createCoupon } from '../../server/carts/coupons/coupons.ts'
import { pullCoupons } from '../../server/carts/sync/local-copies.ts'
import type { Db, StoreDb } from '../../server/core/db/db.ts'
import type { Deps } from '../../server/deps.ts'
import type { CouponDraft, PlatformCoupon } from '../../server/platforms/platform/coupon.ts'
import type { StoreClient } from '../../server/platforms/platform/platform.ts'
import { CouponInput } from '../../shared/coupons.ts'
import { CART, carriedSince, hourOf, RECOUPED } from './coupon-plan.ts'
import * as sql from './sql.ts'

// The demo's coupons: made as a member makes them, before the past is told, so that the past's orders can name them.

/** Makes those that are missing, and lets the flow's last step carry the personal one. Answers that one's id. */
export async function stockCoupons(
  deps: Deps,
  store: StoreDb<Db>,
  past: { until: number; days: number },
): Promise<string> {
  const known = await sql.couponIds(store)
  for (const { startsAt, endsAt, ...said } of [...RECOUPED, CART]) {
    if (known.has(said.code)) continue
    const start = said.code === CART.code ? carriedSince(past) : hourOf(past) + startsAt
    const dates = { startDate: new Date(start).toISOString(), endDate: new Date(hourOf(past) + endsAt).toISOString() }
    // One that has begun was made at its start.
    const madeAt = new Date(Math.min(start, deps.now().getTime()))
    const id = await createCoupon({ ...deps, now: () => madeAt }, store, CouponInput.parse({ ...said, ...dates }))
    known.set(said.code, id)
  }
  const couponId = known.get(CART.code)!
  await sql.carryCoupon(store, couponId)
  return couponId
}

/** How often each was used stands in the store: read after the past's orders are in it. */
export async function readUses(deps: Deps, storeId: string, signal?: AbortSignal): Promise<void> {
  for (let attempt = 0; attempt < 60; attempt++) {
    signal?.throwIfAborted()
    const read = await pullCoupons(deps, { storeId, isFull: true })
    if (read.kind !== 'busy') return
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}

/** The store's id of each code that stands in it. */
export async function idsByCode(deps: Deps, store: StoreDb<Db>, currency: string): Promise<Map<string, string>> {
  const client = await openStoreClient(deps, store)
  const ids = new Map<string, string>()
  for await (const page of client.coupons({ currency })) {
    for (const { code, couponId } of page.rows) ids.set(code.toUpperCase(), couponId)
  }
  return ids
}

type CouponCalls = Pick<StoreClient, 'couponsById' | 'createCoupons' | 'updateCoupons'>

/** What the store made of codes in the past. Those that were used stand in it under `ids`; of the others none is left. */
export function couponsOfThePast(ids: ReadonlyMap<string, string>): CouponCalls {
  const made = new Map<string, PlatformCoupon>()
  const make = (draft: CouponDraft) => {
    const couponId = ids.get(draft.code) ?? `history-${made.size + 1}`
    const coupon = { ...nothingSpecial, ...asMade(draft), couponId }
    made.set(couponId, coupon)
    return { coupon }
  }
  return {
    createCoupons: async (drafts) => drafts.map(make),
    couponsById: async ({ ids: wanted }) => ({ rows: wanted.flatMap((id) => made.get(id) ?? []), skipped: [] }),
    updateCoupons: async (wanted) =>
      wanted.map(({ id, draft: { mark: _, email: __, currency: ___, ...changes } }) => {
        const known = made.get(id)
        if (!known) return { refusal: 'gone', words: 'Invalid ID.' }
        const coupon = { ...known, ...changes }
        made.set(id, coupon)
        return { coupon }
      }),
  }
}

const nothingSpecial = {
  ...{ maxSpendMinor: null, usageLimitPerUser: null, usageCount: 0, isPublished: true, excludesSaleItems: false },
  limits: {
    ...{ productIds: [], excludedProductIds: [], categoryIds: [], excludedCategoryIds: [] },
    ...{ emails: [], items: null },
  },
  ...{ createdAt: null, modifiedAt: null },
}

function asMade({ currency: _, email: __, ...draft }: CouponDraft) {
  return { ...draft, mark: draft.mark ?? null, platformType: draft.type === 'percentage' ? 'percent' : 'fixed_cart' }
}
