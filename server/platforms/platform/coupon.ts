// Coupons as every platform has them.

/** A coupon as the store has it. */
export interface PlatformCoupon {
  couponId: string
  /** As the store keeps it; compared without case everywhere. */
  code: string
  type: 'percentage' | 'fixed' | 'other'
  /** The platform's own word, e.g. `fixed_product`. */
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
  /** A shopper can apply it, as far as its status goes. */
  isPublished: boolean
  isIndividual: boolean
  excludesSaleItems: boolean
  /** What it is restricted to, beyond the above (products, categories, emails …), by the platform's ids. */
  limits: CouponLimits
  createdAt: string | null
  modifiedAt: string | null
  /** What we wrote into it when it was made; null: not ours. */
  mark: string | null
}

export interface CouponLimits {
  productIds: string[]
  excludedProductIds: string[]
  categoryIds: string[]
  excludedCategoryIds: string[]
  emails: string[]
  /** At most so many pieces get it. */
  items: number | null
}

export interface CouponDraft {
  code: string
  type: 'percentage' | 'fixed'
  percent: number | null
  amountMinor: number | null
  currency: string
  minSpendMinor: number | null
  /** Left out or null: at once. */
  startsAt?: string | null
  expiresAt: string | null
  usageLimit: number | null
  isIndividual: boolean
  email: string | null
  /** Kept with it, to know it again. */
  mark: string
}

export interface CouponsRead {
  rows: PlatformCoupon[]
  skipped: { id: string; reason: string }[]
}

/** Of each draft, in the order given. `words` are the store's. */
export type CouponMade = { coupon: PlatformCoupon } | { refusal: 'duplicate' | 'refused'; words: string }

export interface CouponChange {
  id: string
  /** Only what is named changes. */
  draft: Partial<CouponDraft> & { currency: string }
}

/** `gone`: the store has no such coupon any more. */
export type CouponChanged = { coupon: PlatformCoupon } | { refusal: 'duplicate' | 'refused' | 'gone'; words: string }
