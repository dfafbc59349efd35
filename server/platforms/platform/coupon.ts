// Coupons, common to all platforms.

/** A coupon as the store has it. */
export interface PlatformCoupon {
  couponId: string
  /** As stored by the shop; compared case-insensitively everywhere. */
  code: string
  type: 'percentage' | 'fixed' | 'other'
  /** The platform's own type, e.g. `fixed_product`. */
  platformType: string
  /** Hundredths of a percent; null unless a percentage. */
  percent: number | null
  amountMinor: number | null
  minSpendMinor: number | null
  maxSpendMinor: number | null
  /** null: never. */
  expiresAt: string | null
  usageLimit: number | null
  usageLimitPerUser: number | null
  usageCount: number
  /** Whether its status lets shoppers apply it. */
  isPublished: boolean
  isIndividual: boolean
  excludesSaleItems: boolean
  /** Further restrictions (products, categories, emails …), by the platform's ids. */
  limits: CouponLimits
  createdAt: string | null
  modifiedAt: string | null
  /** Our mark, written at creation; null: not ours. */
  mark: string | null
}

export interface CouponLimits {
  productIds: string[]
  excludedProductIds: string[]
  categoryIds: string[]
  excludedCategoryIds: string[]
  emails: string[]
  /** Maximum number of discounted items. */
  items: number | null
}

export interface CouponDraft {
  code: string
  type: 'percentage' | 'fixed'
  percent: number | null
  amountMinor: number | null
  currency: string
  minSpendMinor: number | null
  /** Omitted or null: immediately. */
  startsAt?: string | null
  expiresAt: string | null
  usageLimit: number | null
  isIndividual: boolean
  email: string | null
  /** Our mark, stored with the coupon. */
  mark: string
}

export interface CouponsById {
  rows: PlatformCoupon[]
  skipped: { id: string; reason: string }[]
}

/** One result for each draft, in order. `words`: the store's message. */
export type CouponResult = { coupon: PlatformCoupon } | { refusal: 'duplicate' | 'refused'; detail: string }

export interface CouponChange {
  id: string
  /** Only the given fields change. */
  draft: Partial<CouponDraft> & { currency: string }
}

/** `gone`: the store no longer has this coupon. */
export type CouponChangeResult =
  | { coupon: PlatformCoupon }
  | { refusal: 'duplicate' | 'refused' | 'gone'; detail: string }
