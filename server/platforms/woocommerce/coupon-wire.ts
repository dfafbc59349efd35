import { z } from 'zod'
import { currencyExponent, parseMinor } from '../../../shared/money.ts'
import type { CouponDraft, CouponLimits, PlatformCoupon } from '../platform/coupon.ts'
import { field, type RowReading, skip, wireId, wireList, wireRaw, wireText, wireTime } from '../platform/row.ts'
import { parseId, plainText } from '../platform/text.ts'
import { fieldNames } from './wire.ts'

// Reads and writes coupons. `used_by` is never requested: it names people (S7).

/** Our mark in a coupon's meta data. The underscore hides it from the shop's screens. */
const MARK = '_recoup_mark'

/** A truncated restriction would be a different one, so a coupon with more is skipped. */
const MAX_LIMITS = 2_000
const MAX_USES = 2_000_000_000

const limitList = (read: (input: unknown) => string | null) =>
  field((input) => {
    if (!Array.isArray(input)) return []
    if (input.length > MAX_LIMITS) return null
    return input.map(read).filter((each) => each !== null)
  })
const limitIds = limitList(parseId)
const uses = field((input) => (typeof input === 'number' && input > 0 ? Math.min(Math.trunc(input), MAX_USES) : null))
const flag = field((input) => input === true)

const Coupon = z.object({
  id: wireId,
  code: wireText(200),
  status: wireText(40),
  discount_type: wireText(60),
  amount: wireRaw,
  minimum_amount: wireRaw,
  maximum_amount: wireRaw,
  date_expires_gmt: wireTime,
  usage_count: uses,
  usage_limit: uses,
  usage_limit_per_user: uses,
  limit_usage_to_x_items: uses,
  individual_use: flag,
  exclude_sale_items: flag,
  free_shipping: flag,
  product_ids: limitIds,
  excluded_product_ids: limitIds,
  product_categories: limitIds,
  excluded_product_categories: limitIds,
  email_restrictions: limitList((input) => plainText(input, 254)?.toLowerCase() ?? null),
  meta_data: wireList,
  date_created_gmt: wireTime,
  date_modified_gmt: wireTime,
})

type WireCoupon = z.infer<typeof Coupon>

export const COUPON_FIELDS = fieldNames(Coupon.shape)

const TYPES: Readonly<Record<string, 'percentage' | 'fixed'>> = { percent: 'percentage', fixed_cart: 'fixed' }

export function readCoupon(raw: unknown, currency: string): RowReading<PlatformCoupon> {
  const parsed = Coupon.safeParse(raw)
  if (!parsed.success) return skip(raw, 'not a coupon')
  const wire = parsed.data
  if (!wire.id) return skip(raw, 'no id')
  if (!wire.code) return skip(raw, 'no code')
  const limits = readLimits(wire)
  if (!limits) return skip(raw, 'too many restrictions')
  const known = Object.hasOwn(TYPES, wire.discount_type ?? '') ? TYPES[wire.discount_type!]! : 'other'
  const amounts = readAmounts(known, wire, currency)
  if (!amounts) return skip(raw, 'no amount')
  // Free shipping without a discount on the goods is a type of its own.
  const isShipping = wire.free_shipping && !amounts.percent && !amounts.amountMinor
  return {
    row: {
      couponId: wire.id,
      code: wire.code,
      type: isShipping ? 'other' : known,
      platformType: isShipping ? 'free_shipping' : (wire.discount_type ?? 'unknown'),
      ...amounts,
      minSpendMinor: readBound(wire.minimum_amount, currency),
      maxSpendMinor: readBound(wire.maximum_amount, currency),
      expiresAt: wire.date_expires_gmt,
      usageLimit: wire.usage_limit,
      usageLimitPerUser: wire.usage_limit_per_user,
      usageCount: wire.usage_count ?? 0,
      // Stores without a status field publish all coupons.
      isPublished: wire.status === null || wire.status === 'publish',
      isIndividual: wire.individual_use,
      excludesSaleItems: wire.exclude_sale_items,
      limits,
      createdAt: wire.date_created_gmt,
      modifiedAt: wire.date_modified_gmt,
      mark: plainText(wire.meta_data.find(({ key }) => key === MARK)?.value, 200),
    },
  }
}

function readLimits(wire: WireCoupon): CouponLimits | null {
  const { product_ids, excluded_product_ids, product_categories, excluded_product_categories, email_restrictions } =
    wire
  if (!product_ids || !excluded_product_ids || !product_categories || !excluded_product_categories) return null
  if (!email_restrictions) return null
  return {
    productIds: product_ids,
    excludedProductIds: excluded_product_ids,
    categoryIds: product_categories,
    excludedCategoryIds: excluded_product_categories,
    emails: email_restrictions,
    items: wire.limit_usage_to_x_items,
  }
}

/** null: an unreadable discount. In a custom type the amount may mean anything. */
function readAmounts(type: PlatformCoupon['type'], { amount, discount_type }: WireCoupon, currency: string) {
  if (type === 'percentage') {
    const percent = parseHundredths(amount)
    return percent === null || percent < 0 || percent > 10_000 ? null : { percent, amountMinor: null }
  }
  const minor = type === 'fixed' || discount_type?.startsWith('fixed') ? parseMinor(amount, currency) : null
  if (type === 'fixed' && (minor === null || minor < 0)) return null
  return { percent: null, amountMinor: minor === null ? null : Math.max(minor, 0) }
}

const parseHundredths = (amount: unknown) => parseMinor(amount, 'USD')

/** "0.00" means none. */
function readBound(amount: unknown, currency: string): number | null {
  const minor = parseMinor(amount, currency)
  return minor !== null && minor > 0 ? minor : null
}

type Change = Partial<CouponDraft> & Pick<CouponDraft, 'currency'>

/** The request body. Amounts are decimal text. `date_expires` is UTC with a Z; "" clears it, null is ignored. */
export function couponBody(draft: Change): Record<string, unknown> {
  const {
    code,
    type,
    percent,
    amountMinor,
    currency,
    minSpendMinor,
    expiresAt,
    usageLimit,
    isIndividual,
    email,
    mark,
  } = draft
  const isPercentage = type === 'percentage' || (type === undefined && percent != null)
  const hasAmount = type !== undefined || percent != null || amountMinor != null
  const amount = isPercentage ? decimalText(percent ?? 0, 2) : minorText(amountMinor ?? null, currency)
  return {
    ...(code !== undefined && { code }),
    ...(type !== undefined && { discount_type: type === 'percentage' ? 'percent' : 'fixed_cart' }),
    ...(hasAmount && { amount }),
    ...(minSpendMinor !== undefined && { minimum_amount: minorText(minSpendMinor, currency) }),
    ...(expiresAt !== undefined && { date_expires: expiresAt === null ? '' : `${truncateToSecond(expiresAt)}Z` }),
    ...(usageLimit !== undefined && { usage_limit: usageLimit ?? 0 }),
    ...(isIndividual !== undefined && { individual_use: isIndividual }),
    ...(email !== undefined && { email_restrictions: email === null ? [] : [email] }),
    ...(mark !== undefined && { meta_data: [{ key: MARK, value: mark }] }),
  }
}

/** The first value that the store changed; null: none. */
export function findChange(draft: Change, stored: PlatformCoupon): string | null {
  const emails = draft.email === undefined ? undefined : draft.email === null ? [] : [draft.email.toLowerCase()]
  const expiry = draft.expiresAt ? `${truncateToSecond(draft.expiresAt)}Z` : draft.expiresAt
  const pairs: [string, unknown, unknown][] = [
    ['code', draft.code?.toLowerCase(), stored.code.toLowerCase()],
    ['type', draft.type, stored.type],
    ['amount', draft.percent ?? draft.amountMinor ?? undefined, stored.percent ?? stored.amountMinor],
    ['minimum spend', draft.minSpendMinor, stored.minSpendMinor],
    ['expiry date', expiry, stored.expiresAt],
    ['usage limit', draft.usageLimit, stored.usageLimit],
    ['individual use', draft.isIndividual, stored.isIndividual],
    ['email restriction', emails?.join(), stored.limits.emails.join()],
    ['mark', draft.mark, stored.mark],
    // On a change the store decides about the status.
    ['status', draft.mark === undefined ? undefined : true, stored.isPublished],
  ]
  return pairs.find(([, sent, stands]) => sent !== undefined && sent !== stands)?.[0] ?? null
}

const truncateToSecond = (instant: string) => new Date(instant).toISOString().slice(0, 19)

const minorText = (minor: number | null, currency: string) => decimalText(minor ?? 0, currencyExponent(currency))

/** 1050 with 2 digits: "10.50". */
function decimalText(units: number, digits: number): string {
  const text = String(units).padStart(digits + 1, '0')
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
}
