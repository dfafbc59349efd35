// Validates coupons with WooCommerce's messages: in the cart (coupon-totals.json), and again when the order is placed
// (coupon-status.json). Checks run in WooCommerce's order; the first failure is returned.
import { type Coupon, findCouponByCode } from './coupons.ts'
import { type Entry, isCovered } from './discounts.ts'
import { isEmail } from './php.ts'
import { formatPlainPrice } from './pricing.ts'
import { readSeconds, type Shop } from './shop.ts'

export type Refusal = { message: string; details?: { cart: string; checkout: string } }
export type CouponContext = {
  entries: (Entry & { name: string; shelves: { id: number; name: string }[] })[]
  /** The displayed subtotal, with or without tax by the store's setting. */
  displayedMinor: number
  email: string
}
type CouponCheckInput = CouponContext & { shop: Shop; coupon: Coupon; label: string }
type Check = (input: CouponCheckInput) => string | null

export function checkCoupon(shop: Shop, code: string, context: CouponContext): Refusal | null {
  const label = `&quot;${code.toLowerCase()}&quot;`
  const coupon = findCouponByCode(shop, code)
  if (!coupon) return { message: `Coupon ${label} cannot be applied because it does not exist.` }
  const input = { ...context, shop, coupon, label }
  for (const check of CHECKS) {
    const message = check(input)
    if (message) return { message }
  }
  return checkAddress(coupon, context.email, label)
}

/** Checks the address and its number of uses. Guests are checked only when the order is placed. */
export function checkAtPlacing(coupon: Coupon, email: string): string | null {
  const label = `&quot;${coupon.code}&quot;`
  const address = checkAddress(coupon, email, label)
  if (address) return address.details!.checkout
  const uses = coupon.usedBy.filter((used) => used.toLowerCase() === email.toLowerCase()).length
  if (coupon.usageLimitPerUser === null || uses < coupon.usageLimitPerUser) return null
  return `Usage limit for coupon ${label} has been reached.`
}

const CHECKS: Check[] = [
  // WooCommerce intends this message for coupons held by another order, but always shows it to guests.
  ({ coupon, label }) =>
    coupon.usageLimit !== null && coupon.usageCount >= coupon.usageLimit
      ? `Usage limit for coupon ${label} has been reached. Please try again after some time, or contact us for help.`
      : null,
  ({ shop, coupon, label }) =>
    coupon.expiresAt !== null && readSeconds(shop) > coupon.expiresAt ? `Coupon ${label} has expired.` : null,
  ({ shop, coupon, label, displayedMinor }) =>
    displayedMinor < coupon.minimumMinor
      ? `The minimum spend for coupon ${label} is ${formatPlainPrice(shop, coupon.minimumMinor)}.`
      : null,
  ({ shop, coupon, label, displayedMinor }) =>
    coupon.maximumMinor > 0 && displayedMinor > coupon.maximumMinor
      ? `The maximum spend for coupon ${label} is ${formatPlainPrice(shop, coupon.maximumMinor)}.`
      : null,
  (input) =>
    isApplicableToItems(input) ? null : `Sorry, coupon ${input.label} is not applicable to selected products.`,
  (input) => (input.coupon.discountType === 'fixed_cart' ? checkWholeCart(input) : null),
]

function isApplicableToItems({ coupon, entries }: CouponCheckInput): boolean {
  const some = (requested: number[], ids: (entry: Entry) => number[]) =>
    !requested.length || entries.some((entry) => requested.some((id) => ids(entry).includes(id)))
  if (!some(coupon.productIds, ({ ids }) => ids)) return false
  const onShelf = (entry: Entry) => (coupon.excludeSaleItems && entry.isOnSale ? [] : entry.categoryIds)
  if (!some(coupon.categoryIds, onShelf)) return false
  return coupon.discountType === 'fixed_cart' || !entries.length || entries.some((entry) => isCovered(coupon, entry))
}

// A discount on the whole cart is rejected if one line is excluded.
function checkWholeCart({ coupon, entries, label }: CouponCheckInput): string | null {
  if (coupon.excludeSaleItems && entries.some(({ isOnSale }) => isOnSale)) {
    return `Sorry, coupon ${label} is not valid for sale items.`
  }
  const barred = entries.filter(({ ids }) => coupon.excludedProductIds.some((id) => ids.includes(id)))
  if (barred.length) {
    return `Sorry, coupon ${label} is not applicable to the products: ${barred.map(({ name }) => name).join(', ')}.`
  }
  const shelves = entries.flatMap((entry) => entry.shelves).filter(({ id }) => coupon.excludedCategoryIds.includes(id))
  const names = [...new Set(shelves.map(({ name }) => name))]
  return names.length ? `Sorry, coupon ${label} is not applicable to the categories: ${names.join(', ')}.` : null
}

function checkAddress(coupon: Coupon, email: string, label: string): Refusal | null {
  if (!coupon.emails.length || coupon.emails.some((allowed) => matches(allowed, email))) return null
  const cart = `Please enter a valid email at checkout to use coupon code ${label}.`
  return { message: cart, details: { cart, checkout: `Please enter a valid email to use coupon code ${label}.` } }
}

function matches(allowed: string, email: string): boolean {
  if (!isEmail(email)) return false
  const [requested, address] = [allowed.toLowerCase(), email.toLowerCase()]
  return requested.startsWith('*') ? address.endsWith(requested.slice(1)) : requested === address
}
