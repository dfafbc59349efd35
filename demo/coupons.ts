import { openStoreClient } from '../server/access/stores/access.ts'
import { createCoupon } from '../server/carts/coupons/coupons.ts'
import { pullCoupons } from '../server/carts/sync/local-copies.ts'
import type { Db, StoreDb } from '../server/core/db/db.ts'
import type { Deps } from '../server/deps.ts'
import type { CouponDraft, PlatformCoupon } from '../server/platforms/platform/coupon.ts'
import type { StoreClient } from '../server/platforms/platform/platform.ts'
import { CouponInput } from '../shared/carts/coupons.ts'
import { CART_COUPON, computeCouponStepStart, floorToHour, RECOUP_COUPONS } from './coupon-plan.ts'
import * as sql from './sql.ts'

// Creates the demo's coupons as a member would, before the past is replayed, so that its orders can use them.

/** Creates missing coupons and adds the personal one to the flow's last step. Returns the personal coupon's id. */
export async function createDemoCoupons(
  deps: Deps,
  store: StoreDb<Db>,
  past: { until: number; days: number },
): Promise<string> {
  const couponIds = await sql.listCouponIds(store)
  for (const { startsAt, endsAt, ...fields } of [...RECOUP_COUPONS, CART_COUPON]) {
    if (couponIds.has(fields.code)) continue
    const start = fields.code === CART_COUPON.code ? computeCouponStepStart(past) : floorToHour(past) + startsAt
    const dates = {
      startDate: new Date(start).toISOString(),
      endDate: new Date(floorToHour(past) + endsAt).toISOString(),
    }
    // A coupon that is already valid was created at its start.
    const createdAt = new Date(Math.min(start, deps.now().getTime()))
    const id = await createCoupon({ ...deps, now: () => createdAt }, store, CouponInput.parse({ ...fields, ...dates }))
    couponIds.set(fields.code, id)
  }
  const couponId = couponIds.get(CART_COUPON.code)!
  await sql.setStepCoupon(store, couponId)
  return couponId
}

/** Reads usage counts from the store after the past's orders were inserted. */
export async function pullCouponUsage(deps: Deps, storeId: string, signal?: AbortSignal): Promise<void> {
  for (let attempt = 0; attempt < 60; attempt++) {
    signal?.throwIfAborted()
    const read = await pullCoupons(deps, { storeId, isFull: true })
    if (read.kind !== 'busy') return
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}

/** The store's coupon ids by code. */
export async function readCouponIds(deps: Deps, store: StoreDb<Db>, currency: string): Promise<Map<string, string>> {
  const client = await openStoreClient(deps, store)
  const ids = new Map<string, string>()
  for await (const page of client.coupons({ currency })) {
    for (const { code, couponId } of page.rows) ids.set(code.toUpperCase(), couponId)
  }
  return ids
}

type CouponCalls = Pick<StoreClient, 'couponsById' | 'createCoupons' | 'updateCoupons'>

/**
 * Fakes the store's coupon API during the replay. Used codes exist in the store under `ids`; unused ones no longer
 * exist.
 */
export function createPastCouponApi(ids: ReadonlyMap<string, string>): CouponCalls {
  const coupons = new Map<string, PlatformCoupon>()
  const make = (draft: CouponDraft) => {
    const couponId = ids.get(draft.code) ?? `history-${coupons.size + 1}`
    const coupon = { ...NO_RESTRICTIONS, ...toPlatformCoupon(draft), couponId }
    coupons.set(couponId, coupon)
    return { coupon }
  }
  return {
    createCoupons: async (drafts) => drafts.map(make),
    couponsById: async ({ ids: requested }) => ({
      rows: requested.flatMap((id) => coupons.get(id) ?? []),
      skipped: [],
    }),
    updateCoupons: async (requested) =>
      requested.map(({ id, draft: { mark: _, email: __, currency: ___, ...changes } }) => {
        const couponIds = coupons.get(id)
        if (!couponIds) return { refusal: 'gone', detail: 'Invalid ID.' }
        const coupon = { ...couponIds, ...changes }
        coupons.set(id, coupon)
        return { coupon }
      }),
  }
}

const NO_RESTRICTIONS = {
  maxSpendMinor: null,
  usageLimitPerUser: null,
  usageCount: 0,
  isPublished: true,
  excludesSaleItems: false,
  limits: {
    productIds: [],
    excludedProductIds: [],
    categoryIds: [],
    excludedCategoryIds: [],
    emails: [],
    items: null,
  },
  createdAt: null,
  modifiedAt: null,
}

function toPlatformCoupon({ currency: _, email: __, ...draft }: CouponDraft) {
  return { ...draft, mark: draft.mark ?? null, platformType: draft.type === 'percentage' ? 'percent' : 'fixed_cart' }
}
