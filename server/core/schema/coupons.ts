import type { ColumnType, Generated } from 'kysely'

export interface CouponsSchema {
  coupons: CouponsTable
  coupon_codes: CouponCodesTable
  order_coupons: OrderCouponsTable
}

export interface CouponsTable {
  store_id: string
  id: string
  made_by: 'recoup' | 'store'
  kind: 'shared' | 'personal'
  platform_id: Generated<string | null>
  code: string
  type: 'percentage' | 'fixed' | 'other'
  platform_type: string
  /** Hundredths of a percent. */
  percent: Generated<number | null>
  amount_minor: Generated<number | null>
  currency: string
  min_spend_minor: Generated<number | null>
  max_spend_minor: Generated<number | null>
  max_discount_minor: Generated<number | null>
  starts_at: Generated<Date | null>
  ends_at: Generated<Date | null>
  usage_limit: Generated<number | null>
  usage_count: Generated<number>
  is_active: boolean
  /** Expired in the store: not yet valid or inactive. */
  is_withheld: Generated<boolean>
  valid_hours: Generated<number>
  is_tied_to_email: Generated<boolean>
  terms: ColumnType<CouponTerms, string | undefined, string>
  gone_at: Generated<Date | null>
  locked_until: Generated<Date | null>
  modified_at: Generated<Date | null>
  seen_at: Date
  created_at: Date
}

/** Terms set in the store that Recoup cannot change. */
export interface CouponTerms {
  isPublished?: boolean
  /** Expiry in the store; null: never. */
  expiresAt?: string | null
  isIndividual?: boolean
  excludesSaleItems?: boolean
  usageLimitPerUser?: number | null
  productIds?: string[]
  excludedProductIds?: string[]
  categoryIds?: string[]
  excludedCategoryIds?: string[]
  /**
   * Keyed hashes of the addresses it is restricted to, and domains (`*@shop.example`); the addresses stay in the store.
   */
  emailHashes?: string[]
  emailDomains?: string[]
  /** For `max*@shop.example`: the lengths of its ends and the keyed hash of the whole. */
  emailPatterns?: { head: number; tail: number; hash: string }[]
  /** It has further restrictions that are not stored, so eligibility is unknown. */
  hasUnknownEmails?: boolean
  /** Maximum number of discounted items. */
  items?: number | null
}

export interface CouponCodesTable {
  store_id: string
  message_id: string
  coupon_id: string
  shopper_id: string
  cart_id: string | null
  code: string
  derivation: Generated<number>
  state: Generated<'wanted' | 'made' | 'failed' | 'deleted'>
  platform_id: Generated<string | null>
  amount_minor: Generated<number | null>
  cart_version: Generated<number | null>
  sold_out: Generated<string | null>
  terms: string
  expires_at: Date
  refusal: Generated<string | null>
  attempts: Generated<number>
  asked_at: Generated<Date | null>
  next_try_at: Date
  is_unwanted: Generated<boolean>
  made_at: Generated<Date | null>
  used_at: Generated<Date | null>
  used_order_id: Generated<string | null>
  deleted_at: Generated<Date | null>
  created_at: Date
}

export interface OrderCouponsTable {
  store_id: string
  order_id: string
  code: string
  discount_minor: number
}
