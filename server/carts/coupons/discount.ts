import { divideRounded, getCurrencyExponent } from '../../../shared/core/money.ts'
import type { CouponTerms } from '../../core/schema/public.ts'

// Computes discounts of coupons like the store (decision 37); the test compares it with recordings of a real store.
// Pure. Prices are as entered in the catalogue: if they include tax, so does the discount.

export interface DiscountLine {
  productId: string
  variationId: string | null
  quantity: number
  /** As entered, in minor units. */
  unitPriceMinor: number
  /** null: unknown. */
  isOnSale: boolean | null
}

export interface DiscountCoupon {
  type: 'percentage' | 'fixed' | 'other'
  /** `fixed_product` cannot be created here, but is computed too. */
  platformType: string
  /** Hundredths of a percent. */
  percent: number | null
  amountMinor: number | null
  terms: CouponTerms
}

export interface DiscountRules {
  currency: string
  /** Decimals of the store's prices; null: those of the currency. */
  decimals: number | null
  /** Each coupon applies to what the previous ones left. */
  isSequential: boolean
}

/** A line in the store's smallest units. */
interface Part {
  line: DiscountLine
  quantity: number
  full: number
  /** Amount not yet discounted. */
  remaining: number
}

/**
 * Discount of each coupon in minor units, in the given order; null if it cannot be known. That is the case for coupon
 * types of plugins, for category restrictions, and for exclusion of sale items if those are unknown.
 */
export function computeDiscounts(
  lines: readonly DiscountLine[],
  coupons: readonly DiscountCoupon[],
  rules: DiscountRules,
): (number | null)[] {
  const parts = buildParts(lines, rules)
  const discounted = new Map<DiscountCoupon, number | null>()
  for (const coupon of [...coupons].sort(compareCoupons)) {
    discounted.set(coupon, isComputable(coupon, lines) ? applyCoupon(coupon, parts, rules) : null)
  }
  return coupons.map((coupon) => {
    const units = discounted.get(coupon) ?? null
    return units === null ? null : toMinor(units, rules)
  })
}

/** Amount left of each line as shown, after one coupon; null if unknown. `shown`: totals of the lines as shown. */
export function computeDisplayedRest(
  lines: readonly DiscountLine[],
  displayedMinor: readonly number[],
  coupon: DiscountCoupon,
  rules: DiscountRules,
): number[] | null {
  if (!isComputable(coupon, lines)) return null
  const parts = buildParts(lines, rules)
  applyCoupon(coupon, parts, rules)
  return lines.map((line, at) => {
    const part = parts.find((each) => each.line === line)
    if (!part || part.full === 0) return displayedMinor[at]!
    // The share is the same with and without tax.
    return Number(divideRounded(BigInt(displayedMinor[at]!) * BigInt(part.remaining), BigInt(part.full)))
  })
}

/** Rounded once per line. The most expensive line comes first. */
function buildParts(lines: readonly DiscountLine[], rules: DiscountRules): Part[] {
  return lines
    .filter(({ quantity }) => quantity > 0)
    .map((line) => {
      const full = toUnits(line.unitPriceMinor * line.quantity, rules)
      return { line, quantity: line.quantity, full, remaining: full }
    })
    .sort((a, b) => b.full * a.quantity - a.full * b.quantity)
}

function isComputable({ type, platformType, terms }: DiscountCoupon, lines: readonly DiscountLine[]): boolean {
  if (type === 'other' && platformType !== FIXED_PRODUCT) return false
  if (terms.categoryIds?.length || terms.excludedCategoryIds?.length || terms.hasUnknownEmails) return false
  return !terms.excludesSaleItems || lines.every(({ isOnSale }) => isOnSale !== null)
}

const FIXED_PRODUCT = 'fixed_product'

/** The store's own order of coupons, regardless of the order of entry. */
function compareCoupons(a: DiscountCoupon, b: DiscountCoupon): number {
  return (
    getApplyOrder(a) - getApplyOrder(b) ||
    (a.terms.items ?? 0) - (b.terms.items ?? 0) ||
    (a.percent ?? a.amountMinor ?? 0) - (b.percent ?? b.amountMinor ?? 0)
  )
}

const getApplyOrder = ({ type }: DiscountCoupon): number => ({ other: 1, percentage: 2, fixed: 3 })[type]

function applyCoupon(coupon: DiscountCoupon, parts: readonly Part[], rules: DiscountRules): number {
  const open = parts.filter((part) => part.remaining > 0 && (coupon.type === 'fixed' || isMatching(coupon, part.line)))
  if (coupon.type === 'percentage') return applyPercentage(coupon, open, rules)
  const amount = toUnits(coupon.amountMinor ?? 0, rules)
  if (coupon.type === 'fixed') return applyToCart(open, amount)
  return applyToEach(open, amount, coupon.terms.items ?? null)
}

/** Whether the coupon's product limits include this line. */
export function isMatching({ terms }: Pick<DiscountCoupon, 'terms'>, line: DiscountLine): boolean {
  const ids = [line.productId, line.variationId]
  const isAmong = (list: readonly string[] = []) => list.some((id) => ids.includes(id))
  if (terms.productIds?.length && !isAmong(terms.productIds)) return false
  if (isAmong(terms.excludedProductIds)) return false
  return !(terms.excludesSaleItems && line.isOnSale)
}

/** Rounds down per line and distributes the remainder, rounded half down, one unit at a time. */
function applyPercentage({ percent, terms }: DiscountCoupon, open: readonly Part[], { isSequential }: DiscountRules) {
  const share = BigInt(percent ?? 0)
  let pieces = terms.items ?? Number.POSITIVE_INFINITY
  let discounted = 0
  // A fraction, because an item limit can split a line.
  let whole = { over: 0n, under: 1n }
  for (const part of open) {
    const counted = Math.min(pieces, part.quantity)
    pieces -= counted
    const over = BigInt(isSequential ? part.remaining : part.full) * BigInt(counted)
    const under = BigInt(part.quantity)
    whole = { over: whole.over * under + over * whole.under, under: whole.under * under }
    discounted += reducePart(part, Number((over * share) / (under * 10_000n)))
  }
  const target = Number(halfDown(whole.over * share, whole.under * 10_000n))
  return discounted < target ? discounted + applyOneByOne(open, target - discounted) : discounted
}

/** Distributes an amount over all items equally, on what is left, the remainder one unit at a time. */
function applyToCart(open: readonly Part[], amount: number): number {
  const parts = open.filter(({ remaining }) => remaining > 0)
  const pieces = parts.reduce((sum, { quantity }) => sum + quantity, 0)
  if (pieces === 0 || amount <= 0) return 0
  const each = Math.floor(amount / pieces)
  if (each === 0) return applyOneByOne(parts, amount)
  const discounted = applyToEach(parts, each, null)
  return discounted > 0 && discounted < amount ? discounted + applyToCart(parts, amount - discounted) : discounted
}

function applyToEach(open: readonly Part[], amount: number, limit: number | null): number {
  let pieces = limit ?? Number.POSITIVE_INFINITY
  let discounted = 0
  for (const part of open) {
    const counted = Math.min(pieces, part.quantity)
    pieces -= counted
    const each = limit === null ? amount : Math.min(amount, Math.floor(part.full / part.quantity))
    discounted += reducePart(part, each * counted)
  }
  return discounted
}

function applyOneByOne(open: readonly Part[], amount: number): number {
  let discounted = 0
  for (const part of open) {
    for (let piece = 0; piece < part.quantity; piece++) {
      if (discounted >= amount || part.remaining === 0) break
      discounted += reducePart(part, 1)
    }
  }
  return discounted
}

function reducePart(part: Part, amount: number): number {
  const discounted = Math.min(part.remaining, amount)
  part.remaining -= discounted
  return discounted
}

/** For non-negative numbers. */
const halfDown = (over: bigint, under: bigint): bigint => (2n * over + under - 1n) / (2n * under)

const shift = ({ currency, decimals }: DiscountRules): number =>
  decimals === null ? 0 : decimals - getCurrencyExponent(currency)

function toUnits(minor: number, rules: DiscountRules): number {
  const by = shift(rules)
  return by >= 0 ? minor * 10 ** by : Number(divideRounded(BigInt(minor), 10n ** BigInt(-by)))
}

function toMinor(units: number, rules: DiscountRules): number {
  const by = shift(rules)
  return by <= 0 ? units * 10 ** -by : Number(divideRounded(BigInt(units), 10n ** BigInt(by)))
}
