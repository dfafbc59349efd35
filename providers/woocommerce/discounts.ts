// Computes each coupon's discount per cart line. Pure. Rules from coupon-totals.json (woocommerce.md, section 7):
// amounts are whole minor units of the entered price, the most expensive item comes first, and remaining units go one
// to an item.
import type { Coupon } from './coupons.ts'
import { roundFloat } from './pricing.ts'

export type Entry = {
  /** The entered price, with tax if the store enters prices with tax. May have a fraction of a minor unit. */
  unitMinor: number
  quantity: number
  /** Ids of the product and, for a variation, its parent. */
  ids: number[]
  categoryIds: number[]
  isOnSale: boolean
}
type Line = Entry & { at: number; priceMinor: number }
type DiscountState = { coupon: Coupon; isSequential: boolean; lines: Line[]; discounts: number[]; own: number[] }

/** Each coupon's discount on each entry, in the given order. */
export function computeDiscounts(entries: Entry[], coupons: Coupon[], isSequential: boolean): number[][] {
  const lines = entries
    .map((entry, at) => ({ ...entry, at, priceMinor: roundFloat(entry.unitMinor * entry.quantity) }))
    .toSorted((a, b) => b.unitMinor - a.unitMinor)
  const discounts = entries.map(() => 0)
  const found = new Map<Coupon, number[]>()
  for (const coupon of coupons.toSorted(compareCoupons)) {
    const own = entries.map(() => 0)
    const work = { coupon, isSequential, discounts, own, lines: [] as Line[] }
    work.lines = lines.filter(
      (line) => computeRemaining(work, line) > 0 && (coupon.discountType === 'fixed_cart' || isCovered(coupon, line)),
    )
    applyCoupon(work)
    found.set(coupon, own)
  }
  return coupons.map((coupon) => found.get(coupon)!)
}

/** Whether a percent or fixed_product coupon applies to a line. */
export function isCovered(coupon: Coupon, { ids, categoryIds, isOnSale }: Entry): boolean {
  const has = (list: number[], own: number[]) => list.some((id) => own.includes(id))
  if (has(coupon.excludedProductIds, ids) || has(coupon.excludedCategoryIds, categoryIds)) return false
  if (coupon.excludeSaleItems && isOnSale) return false
  if (!coupon.productIds.length && !coupon.categoryIds.length) return true
  return has(coupon.productIds, ids) || has(coupon.categoryIds, categoryIds)
}

// Order: fixed product amounts, percentages, fixed cart amounts; smaller ones first within a kind.
function compareCoupons(a: Coupon, b: Coupon): number {
  const kinds = ['fixed_product', 'percent', 'fixed_cart']
  const byKind = kinds.indexOf(a.discountType) - kinds.indexOf(b.discountType)
  return byKind || (a.limitToItems ?? 0) - (b.limitToItems ?? 0) || a.amountMinor - b.amountMinor || a.id - b.id
}

function applyCoupon(work: DiscountState) {
  const { coupon, lines } = work
  if (coupon.discountType === 'percent') applyPercent(work)
  else if (coupon.discountType === 'fixed_product') applyPerItem(work, lines, coupon.amountMinor)
  else applyToCart(work, lines, coupon.amountMinor)
}

function applyPercent(work: DiscountState) {
  const { coupon, lines, isSequential } = work
  const share = coupon.amountMinor / 100 / 100
  const pieces = countPieces(coupon)
  let base = 0
  let discounted = 0
  for (const line of lines) {
    const price = isSequential ? computeRemaining(work, line) : Math.round(line.priceMinor)
    const counted = (price / line.quantity) * pieces(line)
    discounted += deduct(work, line, Math.floor(counted * share))
    base += counted
  }
  const target = roundHalfDown(base * share)
  if (discounted < target) distributeRest(work, lines, target - discounted)
}

function applyPerItem(work: DiscountState, lines: Line[], amount: number): number {
  const pieces = countPieces(work.coupon)
  let discounted = 0
  for (const line of lines) {
    const each = work.coupon.limitToItems ? Math.min(amount, line.priceMinor / line.quantity) : amount
    discounted += deduct(work, line, each * pieces(line))
  }
  return discounted
}

function applyToCart(work: DiscountState, lines: Line[], amount: number) {
  const open = lines.filter((line) => computeRemaining(work, line) > 0)
  const pieces = open.reduce((sum, { quantity }) => sum + quantity, 0)
  if (!pieces || amount <= 0) return
  const each = Math.floor(amount / pieces)
  if (!each) {
    distributeRest(work, open, amount)
    return
  }
  const discounted = applyPerItem(work, open, each)
  if (discounted > 0 && discounted < amount) applyToCart(work, open, amount - discounted)
}

function distributeRest(work: DiscountState, lines: Line[], amount: number) {
  let discounted = 0
  for (const line of lines) {
    for (let piece = 0; piece < line.quantity && discounted < amount; piece += 1) discounted += deduct(work, line, 1)
  }
}

function deduct(work: DiscountState, line: Line, requested: number): number {
  const amount = roundHalfDown(Math.min(computeRemaining(work, line), requested))
  work.own[line.at]! += amount
  work.discounts[line.at]! += amount
  return amount
}

function computeRemaining(work: Pick<DiscountState, 'discounts'>, line: Line): number {
  return Math.max(0, Math.round(roundFloat(line.priceMinor - work.discounts[line.at]!)))
}

/** Number of items per line within `limit_usage_to_x_items`. */
function countPieces({ limitToItems }: Coupon): (line: Line) => number {
  let open = limitToItems || Number.POSITIVE_INFINITY
  return ({ quantity }) => {
    const counted = Math.max(0, Math.min(quantity, open))
    open -= counted
    return counted
  }
}

/** Rounds half a unit down. */
export function roundHalfDown(value: number): number {
  return Math.ceil(roundFloat(value) - 0.5)
}
