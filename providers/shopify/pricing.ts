// Prices a cart: lines, codes, shipping. Oregon has no sales tax, so this has none.

import { computeDiscountStatus } from './graphql/discounts.ts'
import type { Code, Customer, Discount, Line, Reduction, Totals } from './model.ts'
import { find, findByKey, listWhere } from './records.ts'
import type { Shop } from './shop.ts'

export const rates = {
  standard: { name: 'Standard', minor: 600, freeFromMinor: 6_000 },
  express: { name: 'Express', minor: 1_400, freeFromMinor: null },
} as const

export interface PriceInput {
  lines: Line[]
  codes: string[]
  shipping: keyof typeof rates
  customer: Customer | null
  email: string | null
}

export interface Priced extends Totals {
  reductions: Reduction[]
  /** Rejected codes with the page's message. */
  refused: { code: string; message: string }[]
}

export function sumLines(lines: readonly Line[]): number {
  return lines.reduce((sum, { unitMinor, quantity }) => sum + unitMinor * quantity, 0)
}

export function priceLines(shop: Shop, input: PriceInput): Priced {
  const subtotalMinor = sumLines(input.lines)
  const held: { code: string; discount: Discount }[] = []
  const refused: Priced['refused'] = []
  for (const code of input.codes) {
    const found = findCode(shop, code)
    const message = found ? findCodeProblem(shop, found, input, subtotalMinor) : `${code} isn't available`
    if (message || !found) refused.push({ code, message: message ?? '' })
    else held.push({ code: found.code.code, discount: found.discount })
  }
  const combined = combineCodes(held, refused)
  const reductions = applyReductions(combined, input.lines, subtotalMinor)
  const discountMinor = reductions.reduce((sum, { minor }) => sum + minor, 0)
  const shippingMinor = priceShipping(input.shipping, subtotalMinor - discountMinor, input.lines)
  const totalMinor = subtotalMinor - discountMinor + shippingMinor
  return { subtotalMinor, discountMinor, shippingMinor, totalMinor, reductions, refused }
}

export function priceShipping(name: keyof typeof rates, goodsMinor: number, lines: readonly Line[]): number {
  const { minor, freeFromMinor } = rates[name]
  if (!lines.length) return 0
  return freeFromMinor !== null && goodsMinor >= freeFromMinor ? 0 : minor
}

interface FoundCode {
  code: Code
  discount: Discount
}

function findCode(shop: Shop, text: string): FoundCode | undefined {
  const code = findByKey(shop.db, 'code', text.trim())
  const discount = code && find(shop.db, 'discount', code.discountId)
  return discount && { code, discount }
}

function findCodeProblem(
  shop: Shop,
  { code, discount }: FoundCode,
  input: PriceInput,
  subtotalMinor: number,
): string | null {
  const status = computeDiscountStatus(shop, discount)
  if (status === 'EXPIRED') return `${code.code} has expired`
  if (status === 'SCHEDULED') return `${code.code} isn't valid yet`
  if (discount.usageLimit !== null && code.uses >= discount.usageLimit)
    return `${code.code} has reached its usage limit`
  if (discount.minSubtotalMinor !== null && subtotalMinor < discount.minSubtotalMinor)
    return `Add more items to use ${code.code}`
  const pieces = input.lines.reduce((sum, { quantity }) => sum + quantity, 0)
  if (discount.minQuantity !== null && pieces < discount.minQuantity) return `Add more items to use ${code.code}`
  if (discount.customerIds && !(input.customer && discount.customerIds.includes(input.customer.id)))
    return `${code.code} isn't valid for your account`
  if (discount.productIds && !input.lines.some(({ productId }) => discount.productIds!.includes(productId)))
    return `${code.code} isn't valid for the items in your cart`
  return discount.oncePerCustomer && input.email && wasUsedBy(shop, code.code, input.email)
    ? `${code.code} has already been used`
    : null
}

function wasUsedBy(shop: Shop, code: string, email: string): boolean {
  const orders = listWhere<'order'>(
    shop.db,
    `kind = ? and lower(json_extract(doc, '$.email')) = lower(?) and json_extract(doc, '$.cancelledAt') is null`,
    'order',
    email,
  )
  return orders.some(({ codes }) => codes.some((each) => each.toLowerCase() === code.toLowerCase()))
}

/** Codes combine only if each of them allows it; otherwise the last one applies. */
function combineCodes(held: { code: string; discount: Discount }[], refused: Priced['refused']) {
  const mayCombine = held.every(({ discount }) => discount.combinesWith.orderDiscounts)
  if (held.length < 2 || mayCombine) return held
  for (const { code } of held.slice(0, -1))
    refused.push({ code, message: `${code} can't be combined with your other code` })
  return held.slice(-1)
}

function applyReductions(
  held: { code: string; discount: Discount }[],
  lines: Line[],
  subtotalMinor: number,
): Reduction[] {
  let remainingMinor = subtotalMinor
  return held.map(({ code, discount }) => {
    const covered = lines.filter(({ productId }) => !discount.productIds || discount.productIds.includes(productId))
    const base = Math.min(remainingMinor, sumLines(covered))
    const minor = Math.min(remainingMinor, computeReduction(discount, base, covered))
    remainingMinor -= minor
    return { code, minor }
  })
}

function computeReduction({ value }: Discount, baseMinor: number, covered: Line[]): number {
  if (value.kind === 'percentage') return Math.round(baseMinor * value.fraction)
  const pieces = covered.reduce((sum, { quantity }) => sum + quantity, 0)
  return Math.min(baseMinor, value.isOnEachItem ? value.minor * pieces : value.minor)
}
