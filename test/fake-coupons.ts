import type {
  CouponChange,
  CouponChangeResult,
  CouponDraft,
  PlatformCoupon,
} from '../server/platforms/platform/coupon.ts'
import { type FakeStore, paginate, throwIfFailing } from './fake-store.ts'

// Coupon calls of the fake store.

type CouponCalls =
  | 'coupons'
  | 'couponsById'
  | 'couponByCode'
  | 'createCoupons'
  | 'updateCoupon'
  | 'updateCoupons'
  | 'deleteCoupons'

export function createCouponCalls(self: () => FakeStore): Pick<FakeStore, CouponCalls> {
  let nextId = 900
  const hasCode = (code: string) => self().allCoupons.find((one) => one.code.toLowerCase() === code.toLowerCase())
  return {
    coupons: ({ firstPage = 1, modifiedSince = '' }) =>
      paginate(
        self(),
        self().allCoupons.filter((row) => (row.modifiedAt ?? '9') >= modifiedSince),
        firstPage,
      ),
    async couponsById({ ids }) {
      throwIfFailing(self())
      return { rows: self().allCoupons.filter(({ couponId }) => ids.includes(couponId)), skipped: [] }
    },
    async couponByCode(code) {
      throwIfFailing(self())
      return hasCode(code) ?? null
    },
    async createCoupons(drafts) {
      throwIfFailing(self())
      const answers = drafts.map((draft) => {
        const refusal = self().couponRefusal(draft)
        if (refusal) return { refusal: 'refused' as const, detail: refusal }
        if (hasCode(draft.code)?.isPublished)
          return { refusal: 'duplicate' as const, detail: 'The coupon code already exists' }
        const coupon = buildCoupon({ ...buildFields(draft), couponId: String(nextId++) })
        self().allCoupons.push(coupon)
        return { coupon }
      })
      await self().afterCoupon()
      return answers
    },
    async updateCoupon(id, draft) {
      throwIfFailing(self())
      const answer = changeCoupon(self(), id, draft)
      if ('coupon' in answer) await self().afterCoupon()
      return answer
    },
    async updateCoupons(changes) {
      throwIfFailing(self())
      const answers = changes.map(({ id, draft }) => changeCoupon(self(), id, draft))
      await self().afterCoupon()
      return answers
    },
    async deleteCoupons(ids) {
      throwIfFailing(self())
      self().allCoupons = self().allCoupons.filter(({ couponId }) => !ids.includes(couponId))
      await self().afterCoupon()
      return [...ids]
    },
  }
}

function changeCoupon(fake: FakeStore, id: string, draft: CouponChange['draft']): CouponChangeResult {
  const refusal = fake.couponRefusal(draft)
  if (refusal) return { refusal: 'refused', detail: refusal }
  const coupon = fake.allCoupons.find(({ couponId }) => couponId === id)
  if (!coupon) return { refusal: 'gone', detail: 'Invalid ID.' }
  Object.assign(coupon, buildFields(draft))
  return { coupon: { ...coupon } }
}

function buildFields({ currency: _, email, ...draft }: Partial<CouponDraft>): Partial<PlatformCoupon> {
  const { code, type } = draft
  return {
    ...draft,
    ...(code !== undefined && { code: code.toLowerCase() }),
    ...(type !== undefined && { platformType: type === 'percentage' ? 'percent' : 'fixed_cart' }),
    ...(email !== undefined && { limits: { ...noLimits, emails: email === null ? [] : [email] } }),
  }
}

const noLimits: PlatformCoupon['limits'] = {
  productIds: [],
  excludedProductIds: [],
  categoryIds: [],
  excludedCategoryIds: [],
  emails: [],
  items: null,
}

/** Builds a 10% coupon for everyone, without expiry. */
export function buildCoupon(coupon: Partial<PlatformCoupon> & { couponId: string }): PlatformCoupon {
  return {
    code: `code-${coupon.couponId}`,
    type: 'percentage',
    platformType: 'percent',
    percent: 1_000,
    amountMinor: null,
    minSpendMinor: null,
    maxSpendMinor: null,
    expiresAt: null,
    usageLimit: null,
    usageLimitPerUser: null,
    usageCount: 0,
    isPublished: true,
    isIndividual: false,
    excludesSaleItems: false,
    limits: noLimits,
    createdAt: '2026-01-01T00:00:00Z',
    modifiedAt: '2026-01-01T00:00:00Z',
    mark: null,
    ...coupon,
  }
}
