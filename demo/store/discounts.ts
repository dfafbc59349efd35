// What coupons take off each line of a cart. Pure. The rules are those of coupon-totals.json (woocommerce.md, section 7): amounts are whole
// minor units of the price as it was entered, lines run from the dearest piece down, and units left over go one to a piece.
import type { Coupon } from './coupons.ts'
import { settled } from './pricing.ts'

export type Entry = {
  /** As entered, tax included if the store enters it so. May have a fraction where the catalogue is finer than the currency. */
  unitMinor: number
  quantity: number
  /** The product and, of a variation, its parent. */
  ids: number[]
  categoryIds: number[]
  isOnSale: boolean
}
type Line = Entry & { at: number; priceMinor: number }
type Work = { coupon: Coupon; isSequential: boolean; lines: Line[]; taken: number[]; own: number[] }

/** For each coupon, in the order given, what it takes off each entry. */
export function discountsOf(entries: Entry[], coupons: Coupon[], isSequential: boolean): number[][] {
  const lines = entries
    .map((entry, at) => ({ ...entry, at, priceMinor: settled(entry.unitMinor * entry.quantity) }))
    .toSorted((a, b) => b.unitMinor - a.unitMinor)
  const taken = entries.map(() => 0)
  const found = new Map<Coupon, number[]>()
  for (const coupon of coupons.toSorted(inTurn)) {
    const own = entries.map(() => 0)
    const work = { coupon, isSequential, taken, own, lines: [] as Line[] }
    work.lines = lines.filter(
      (line) => left(work, line) > 0 && (coupon.discountType === 'fixed_cart' || covers(coupon, line)),
    )
    takeOff(work)
    found.set(coupon, own)
  }
  return coupons.map((coupon) => found.get(coupon)!)
}

/** Whether a percent or fixed_product coupon counts for a line. */
export function covers(coupon: Coupon, { ids, categoryIds, isOnSale }: Entry): boolean {
  const has = (list: number[], own: number[]) => list.some((id) => own.includes(id))
  if (has(coupon.excludedProductIds, ids) || has(coupon.excludedCategoryIds, categoryIds)) return false
  if (coupon.excludeSaleItems && isOnSale) return false
  if (!coupon.productIds.length && !coupon.categoryIds.length) return true
  return has(coupon.productIds, ids) || has(coupon.categoryIds, categoryIds)
}

// Fixed amounts on products come first, then percents, then fixed amounts on the cart; among one kind the smaller first.
function inTurn(a: Coupon, b: Coupon): number {
  const kinds = ['fixed_product', 'percent', 'fixed_cart']
  const byKind = kinds.indexOf(a.discountType) - kinds.indexOf(b.discountType)
  return byKind || (a.limitToItems ?? 0) - (b.limitToItems ?? 0) || a.amountMinor - b.amountMinor || a.id - b.id
}

function takeOff(work: Work) {
  const { coupon, lines } = work
  if (coupon.discountType === 'percent') takePercent(work)
  else if (coupon.discountType === 'fixed_product') takeEach(work, lines, coupon.amountMinor)
  else takeFromCart(work, lines, coupon.amountMinor)
}

function takePercent(work: Work) {
  const { coupon, lines, isSequential } = work
  const share = coupon.amountMinor / 100 / 100
  const pieces = piecesFor(coupon)
  let base = 0
  let given = 0
  for (const line of lines) {
    const price = isSequential ? left(work, line) : Math.round(line.priceMinor)
    const counted = (price / line.quantity) * pieces(line)
    given += give(work, line, Math.floor(counted * share))
    base += counted
  }
  const target = halfDown(base * share)
  if (given < target) takeRest(work, lines, target - given)
}

function takeEach(work: Work, lines: Line[], amount: number): number {
  const pieces = piecesFor(work.coupon)
  let given = 0
  for (const line of lines) {
    const each = work.coupon.limitToItems ? Math.min(amount, line.priceMinor / line.quantity) : amount
    given += give(work, line, each * pieces(line))
  }
  return given
}

function takeFromCart(work: Work, lines: Line[], amount: number) {
  const open = lines.filter((line) => left(work, line) > 0)
  const pieces = open.reduce((sum, { quantity }) => sum + quantity, 0)
  if (!pieces || amount <= 0) return
  const each = Math.floor(amount / pieces)
  if (!each) {
    takeRest(work, open, amount)
    return
  }
  const given = takeEach(work, open, each)
  if (given > 0 && given < amount) takeFromCart(work, open, amount - given)
}

function takeRest(work: Work, lines: Line[], amount: number) {
  let given = 0
  for (const line of lines) {
    for (let piece = 0; piece < line.quantity && given < amount; piece += 1) given += give(work, line, 1)
  }
}

function give(work: Work, line: Line, wanted: number): number {
  const amount = halfDown(Math.min(left(work, line), wanted))
  work.own[line.at]! += amount
  work.taken[line.at]! += amount
  return amount
}

function left(work: Pick<Work, 'taken'>, line: Line): number {
  return Math.max(0, Math.round(settled(line.priceMinor - work.taken[line.at]!)))
}

/** How many pieces of each line count, while `limit_usage_to_x_items` lasts. */
function piecesFor({ limitToItems }: Coupon): (line: Line) => number {
  let open = limitToItems || Number.POSITIVE_INFINITY
  return ({ quantity }) => {
    const counted = Math.max(0, Math.min(quantity, open))
    open -= counted
    return counted
  }
}

/** Half a unit is not given away. */
export function halfDown(value: number): number {
  return Math.ceil(settled(value) - 0.5)
}
