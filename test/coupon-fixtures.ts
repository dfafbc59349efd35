import type { Coupon } from '../shared/carts/coupons.ts'

export const MINUTE_MS = 60_000
export const DAY_MS = 86_400_000
let made = 0

/** Builds a shared 10% coupon that is valid for six more days. */
export function buildCoupon(changes: Partial<Coupon> = {}, now = Date.now()): Coupon {
  made += 1
  const formatAfter = (ms: number) => new Date(now + ms).toISOString()
  return {
    _id: `00000000-0000-4000-8000-${String(made).padStart(12, '0')}`,
    code: 'SUMMER10',
    currency: 'USD',
    type: 'percentage',
    platformType: 'percent',
    amount: 10,
    minSpend: null,
    maxDiscount: null,
    startDate: formatAfter(-DAY_MS),
    endDate: formatAfter(6 * DAY_MS + 30 * MINUTE_MS),
    usageLimit: null,
    usageCount: 0,
    isActive: true,
    kind: 'shared',
    madeBy: 'recoup',
    validHours: 72,
    isTiedToEmail: false,
    editUrl: null,
    steps: [],
    figures: { issued: null, sent: 0, used: 0, orders: 0, netRevenue: 0, discountGiven: 0 },
    ...changes,
  }
}
