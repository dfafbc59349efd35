// What a cart costs: lines, codes, shipping. There is no sales tax in Oregon, and none here.

import { statusOf } from './graphql/discounts.ts'
import type { Code, Customer, Discount, Line, Reduction, Sums } from './model.ts'
import { find, findByKey, listed } from './records.ts'
import type { Shop } from './shop.ts'

export const rates = {
  standard: { name: 'Standard', minor: 600, freeFromMinor: 6_000 },
  express: { name: 'Express', minor: 1_400, freeFromMinor: null },
} as const

export interface Wish {
  lines: Line[]
  codes: string[]
  shipping: keyof typeof rates
  customer: Customer | null
  email: string | null
}

export interface Priced extends Sums {
  reductions: Reduction[]
  /** Codes that do not hold now, with what the page says. */
  refused: { code: string; words: string }[]
}

export function subtotalOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { unitMinor, quantity }) => sum + unitMinor * quantity, 0)
}

export function price(shop: Shop, wish: Wish): Priced {
  const subtotalMinor = subtotalOf(wish.lines)
  const held: { code: string; discount: Discount }[] = []
  const refused: Priced['refused'] = []
  for (const code of wish.codes) {
    const found = codeOf(shop, code)
    const words = found ? problemOf(shop, found, wish, subtotalMinor) : `${code} isn't available`
    if (words || !found) refused.push({ code, words: words ?? '' })
    else held.push({ code: found.code.code, discount: found.discount })
  }
  const kept = combined(held, refused)
  const reductions = takeOff(kept, wish.lines, subtotalMinor)
  const discountMinor = reductions.reduce((sum, { minor }) => sum + minor, 0)
  const shippingMinor = shippingOf(wish.shipping, subtotalMinor - discountMinor, wish.lines)
  const totalMinor = subtotalMinor - discountMinor + shippingMinor
  return { subtotalMinor, discountMinor, shippingMinor, totalMinor, reductions, refused }
}

export function shippingOf(name: keyof typeof rates, goodsMinor: number, lines: readonly Line[]): number {
  const { minor, freeFromMinor } = rates[name]
  if (!lines.length) return 0
  return freeFromMinor !== null && goodsMinor >= freeFromMinor ? 0 : minor
}

interface Found {
  code: Code
  discount: Discount
}

function codeOf(shop: Shop, text: string): Found | undefined {
  const code = findByKey(shop.db, 'code', text.trim())
  const discount = code && find(shop.db, 'discount', code.discountId)
  return discount && { code, discount }
}

function problemOf(shop: Shop, { code, discount }: Found, wish: Wish, subtotalMinor: number): string | null {
  const status = statusOf(shop, discount)
  if (status === 'EXPIRED') return `${code.code} has expired`
  if (status === 'SCHEDULED') return `${code.code} isn't valid yet`
  if (discount.usageLimit !== null && code.uses >= discount.usageLimit)
    return `${code.code} has reached its usage limit`
  if (discount.minSubtotalMinor !== null && subtotalMinor < discount.minSubtotalMinor)
    return `Add more items to use ${code.code}`
  const pieces = wish.lines.reduce((sum, { quantity }) => sum + quantity, 0)
  if (discount.minQuantity !== null && pieces < discount.minQuantity) return `Add more items to use ${code.code}`
  if (discount.customerIds && !(wish.customer && discount.customerIds.includes(wish.customer.id)))
    return `${code.code} isn't valid for your account`
  if (discount.productIds && !wish.lines.some(({ productId }) => discount.productIds!.includes(productId)))
    return `${code.code} isn't valid for the items in your cart`
  return discount.oncePerCustomer && wish.email && wasUsedBy(shop, code.code, wish.email)
    ? `${code.code} has already been used`
    : null
}

function wasUsedBy(shop: Shop, code: string, email: string): boolean {
  const orders = listed<'order'>(
    shop.db,
    `kind = ? and lower(json_extract(doc, '$.email')) = lower(?) and json_extract(doc, '$.cancelledAt') is null`,
    'order',
    email,
  )
  return orders.some(({ codes }) => codes.some((each) => each.toLowerCase() === code.toLowerCase()))
}

/** Codes stand beside each other only when every one of them says so; otherwise the last one counts. */
function combined(held: { code: string; discount: Discount }[], refused: Priced['refused']) {
  const mayStand = held.every(({ discount }) => discount.combinesWith.orderDiscounts)
  if (held.length < 2 || mayStand) return held
  for (const { code } of held.slice(0, -1))
    refused.push({ code, words: `${code} can't be combined with your other code` })
  return held.slice(-1)
}

function takeOff(held: { code: string; discount: Discount }[], lines: Line[], subtotalMinor: number): Reduction[] {
  let left = subtotalMinor
  return held.map(({ code, discount }) => {
    const covered = lines.filter(({ productId }) => !discount.productIds || discount.productIds.includes(productId))
    const base = Math.min(left, subtotalOf(covered))
    const minor = Math.min(left, amountOff(discount, base, covered))
    left -= minor
    return { code, minor }
  })
}

function amountOff({ value }: Discount, baseMinor: number, covered: Line[]): number {
  if (value.kind === 'percentage') return Math.round(baseMinor * value.fraction)
  const pieces = covered.reduce((sum, { quantity }) => sum + quantity, 0)
  return Math.min(baseMinor, value.isOnEachItem ? value.minor * pieces : value.minor)
}
