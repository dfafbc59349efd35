import { currencyExponent, divideRounded } from '../../../shared/money.ts'
import type { CouponTerms } from '../../core/schema/coupons.ts'

// What coupons take off a cart, as stores compute it (decision 37); the test holds it to recordings of a real one. Pure. Prices are those
// entered in the catalogue: with tax where the store enters them so, and then the discount contains tax as well.

export interface DiscountLine {
  productId: string
  variationId: string | null
  quantity: number
  /** As entered; minor units of the currency. */
  unitPriceMinor: number
  /** null: not known. */
  isOnSale: boolean | null
}

export interface DiscountCoupon {
  type: 'percentage' | 'fixed' | 'other'
  /** `fixed_product` is the one type that cannot be made here and is computed all the same. */
  platformType: string
  /** Hundredths of a percent. */
  percent: number | null
  amountMinor: number | null
  terms: CouponTerms
}

export interface DiscountRules {
  currency: string
  /** Of the store's prices; null: as many as the currency has. */
  decimals: number | null
  /** Each coupon counts from what the ones before it left. */
  isSequential: boolean
}

/** A line in the store's smallest amounts. */
interface Part {
  line: DiscountLine
  quantity: number
  full: number
  /** What no coupon has taken yet. */
  left: number
}

/**
 * What each coupon takes off, in minor units, in the order given; null: it cannot be known. That is so for a type the store has from a
 * plugin, for coupons restricted to categories, and for those without sale items where nobody knows which items are on sale.
 */
export function discountsOf(
  lines: readonly DiscountLine[],
  coupons: readonly DiscountCoupon[],
  rules: DiscountRules,
): (number | null)[] {
  const parts = partsOf(lines, rules)
  const taken = new Map<DiscountCoupon, number | null>()
  for (const coupon of [...coupons].sort(byTurn)) {
    taken.set(coupon, isComputable(coupon, lines) ? take(coupon, parts, rules) : null)
  }
  return coupons.map((coupon) => {
    const units = taken.get(coupon) ?? null
    return units === null ? null : toMinor(units, rules)
  })
}

/** What is left of each line as it is shown, after one coupon; null: it cannot be known. `shown` has the lines' totals as shown. */
export function shownAfter(
  lines: readonly DiscountLine[],
  shown: readonly number[],
  coupon: DiscountCoupon,
  rules: DiscountRules,
): number[] | null {
  if (!isComputable(coupon, lines)) return null
  const parts = partsOf(lines, rules)
  take(coupon, parts, rules)
  return lines.map((line, at) => {
    const part = parts.find((each) => each.line === line)
    if (!part || part.full === 0) return shown[at]!
    // The same share of a price with tax as of one without.
    return Number(divideRounded(BigInt(shown[at]!) * BigInt(part.left), BigInt(part.full)))
  })
}

/** Rounded once per line. The dearest line first. */
function partsOf(lines: readonly DiscountLine[], rules: DiscountRules): Part[] {
  return lines
    .filter(({ quantity }) => quantity > 0)
    .map((line) => {
      const full = toUnits(line.unitPriceMinor * line.quantity, rules)
      return { line, quantity: line.quantity, full, left: full }
    })
    .sort((a, b) => b.full * a.quantity - a.full * b.quantity)
}

function isComputable({ type, platformType, terms }: DiscountCoupon, lines: readonly DiscountLine[]): boolean {
  if (type === 'other' && platformType !== FIXED_PRODUCT) return false
  if (terms.categoryIds?.length || terms.excludedCategoryIds?.length || terms.hasUnknownEmails) return false
  return !terms.excludesSaleItems || lines.every(({ isOnSale }) => isOnSale !== null)
}

const FIXED_PRODUCT = 'fixed_product'

/** The order in which the store takes them, whatever the order they were entered in. */
function byTurn(a: DiscountCoupon, b: DiscountCoupon): number {
  return (
    turnOf(a) - turnOf(b) ||
    (a.terms.items ?? 0) - (b.terms.items ?? 0) ||
    (a.percent ?? a.amountMinor ?? 0) - (b.percent ?? b.amountMinor ?? 0)
  )
}

const turnOf = ({ type }: DiscountCoupon): number => ({ other: 1, percentage: 2, fixed: 3 })[type]

function take(coupon: DiscountCoupon, parts: readonly Part[], rules: DiscountRules): number {
  const open = parts.filter((part) => part.left > 0 && (coupon.type === 'fixed' || isMatching(coupon, part.line)))
  if (coupon.type === 'percentage') return takePercent(coupon, open, rules)
  const amount = toUnits(coupon.amountMinor ?? 0, rules)
  if (coupon.type === 'fixed') return takeOffCart(open, amount)
  return takeOffEach(open, amount, coupon.terms.items ?? null)
}

/** Whether a coupon for products is for this one. */
export function isMatching({ terms }: Pick<DiscountCoupon, 'terms'>, line: DiscountLine): boolean {
  const ids = [line.productId, line.variationId]
  const isAmong = (list: readonly string[] = []) => list.some((id) => ids.includes(id))
  if (terms.productIds?.length && !isAmong(terms.productIds)) return false
  if (isAmong(terms.excludedProductIds)) return false
  return !(terms.excludesSaleItems && line.isOnSale)
}

/** Rounded down per line; what is missing to the share of the whole, rounded half down, is given piece by piece. */
function takePercent({ percent, terms }: DiscountCoupon, open: readonly Part[], { isSequential }: DiscountRules) {
  const share = BigInt(percent ?? 0)
  let pieces = terms.items ?? Number.POSITIVE_INFINITY
  let taken = 0
  // As a fraction, because a limit of pieces can cut through a line.
  let whole = { over: 0n, under: 1n }
  for (const part of open) {
    const counted = Math.min(pieces, part.quantity)
    pieces -= counted
    const over = BigInt(isSequential ? part.left : part.full) * BigInt(counted)
    const under = BigInt(part.quantity)
    whole = { over: whole.over * under + over * whole.under, under: whole.under * under }
    taken += takeFrom(part, Number((over * share) / (under * 10_000n)))
  }
  const target = Number(halfDown(whole.over * share, whole.under * 10_000n))
  return taken < target ? taken + takeSingly(open, target - taken) : taken
}

/** The same for each piece, again on what is left, the last amounts piece by piece. */
function takeOffCart(open: readonly Part[], amount: number): number {
  const parts = open.filter(({ left }) => left > 0)
  const pieces = parts.reduce((sum, { quantity }) => sum + quantity, 0)
  if (pieces === 0 || amount <= 0) return 0
  const each = Math.floor(amount / pieces)
  if (each === 0) return takeSingly(parts, amount)
  const taken = takeOffEach(parts, each, null)
  return taken > 0 && taken < amount ? taken + takeOffCart(parts, amount - taken) : taken
}

function takeOffEach(open: readonly Part[], amount: number, limit: number | null): number {
  let pieces = limit ?? Number.POSITIVE_INFINITY
  let taken = 0
  for (const part of open) {
    const counted = Math.min(pieces, part.quantity)
    pieces -= counted
    const each = limit === null ? amount : Math.min(amount, Math.floor(part.full / part.quantity))
    taken += takeFrom(part, each * counted)
  }
  return taken
}

function takeSingly(open: readonly Part[], amount: number): number {
  let taken = 0
  for (const part of open) {
    for (let piece = 0; piece < part.quantity; piece++) {
      if (taken >= amount || part.left === 0) break
      taken += takeFrom(part, 1)
    }
  }
  return taken
}

function takeFrom(part: Part, amount: number): number {
  const taken = Math.min(part.left, amount)
  part.left -= taken
  return taken
}

/** Of nothing negative. */
const halfDown = (over: bigint, under: bigint): bigint => (2n * over + under - 1n) / (2n * under)

const shift = ({ currency, decimals }: DiscountRules): number =>
  decimals === null ? 0 : decimals - currencyExponent(currency)

function toUnits(minor: number, rules: DiscountRules): number {
  const by = shift(rules)
  return by >= 0 ? minor * 10 ** by : Number(divideRounded(BigInt(minor), 10n ** BigInt(-by)))
}

function toMinor(units: number, rules: DiscountRules): number {
  const by = shift(rules)
  return by <= 0 ? units * 10 ** -by : Number(divideRounded(BigInt(units), 10n ** BigInt(by)))
}
