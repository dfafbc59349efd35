// Why a coupon cannot be used, in WooCommerce's words: at the cart (coupon-totals.json), and once more when the order is placed
// (coupon-status.json). The order of the questions is WooCommerce's; the first that fails is told.
import { type Coupon, findCouponByCode } from './coupons.ts'
import { covers, type Entry } from './discounts.ts'
import { isEmail } from './php.ts'
import { priceText } from './pricing.ts'
import { nowSeconds, type Shop } from './shop.ts'

export type Refusal = { message: string; details?: { cart: string; checkout: string } }
export type Judged = {
  entries: (Entry & { name: string; shelves: { id: number; name: string }[] })[]
  /** What the cart shows as its subtotal: with tax or without, as the store shows prices. */
  shownMinor: number
  email: string
}
type Case = Judged & { shop: Shop; coupon: Coupon; shown: string }
type Check = (given: Case) => string | null

export function refuseCoupon(shop: Shop, code: string, judged: Judged): Refusal | null {
  const shown = `&quot;${code.toLowerCase()}&quot;`
  const coupon = findCouponByCode(shop, code)
  if (!coupon) return { message: `Coupon ${shown} cannot be applied because it does not exist.` }
  const given = { ...judged, shop, coupon, shown }
  for (const check of checks) {
    const message = check(given)
    if (message) return { message }
  }
  return refuseAddress(coupon, judged.email, shown)
}

/** What is asked only when the order is placed: the address, and how often it has used the coupon. Guests are not asked before. */
export function refuseAtPlacing(coupon: Coupon, email: string): string | null {
  const shown = `&quot;${coupon.code}&quot;`
  const address = refuseAddress(coupon, email, shown)
  if (address) return address.details!.checkout
  const uses = coupon.usedBy.filter((used) => used.toLowerCase() === email.toLowerCase()).length
  if (coupon.usageLimitPerUser === null || uses < coupon.usageLimitPerUser) return null
  return `Usage limit for coupon ${shown} has been reached.`
}

const checks: Check[] = [
  // The real store means to say so only while somebody's order holds the coupon; a guest is told so always.
  ({ coupon, shown }) =>
    coupon.usageLimit !== null && coupon.usageCount >= coupon.usageLimit
      ? `Usage limit for coupon ${shown} has been reached. Please try again after some time, or contact us for help.`
      : null,
  ({ shop, coupon, shown }) =>
    coupon.expiresAt !== null && nowSeconds(shop) > coupon.expiresAt ? `Coupon ${shown} has expired.` : null,
  ({ shop, coupon, shown, shownMinor }) =>
    shownMinor < coupon.minimumMinor
      ? `The minimum spend for coupon ${shown} is ${priceText(shop, coupon.minimumMinor)}.`
      : null,
  ({ shop, coupon, shown, shownMinor }) =>
    coupon.maximumMinor > 0 && shownMinor > coupon.maximumMinor
      ? `The maximum spend for coupon ${shown} is ${priceText(shop, coupon.maximumMinor)}.`
      : null,
  (given) => (isForGoods(given) ? null : `Sorry, coupon ${given.shown} is not applicable to selected products.`),
  (given) => (given.coupon.discountType === 'fixed_cart' ? refuseWhole(given) : null),
]

function isForGoods({ coupon, entries }: Case): boolean {
  const some = (wanted: number[], ids: (entry: Entry) => number[]) =>
    !wanted.length || entries.some((entry) => wanted.some((id) => ids(entry).includes(id)))
  if (!some(coupon.productIds, ({ ids }) => ids)) return false
  const onShelf = (entry: Entry) => (coupon.excludeSaleItems && entry.isOnSale ? [] : entry.categoryIds)
  if (!some(coupon.categoryIds, onShelf)) return false
  return coupon.discountType === 'fixed_cart' || !entries.length || entries.some((entry) => covers(coupon, entry))
}

// An amount off the whole cart is refused whole when one line may not have it.
function refuseWhole({ coupon, entries, shown }: Case): string | null {
  if (coupon.excludeSaleItems && entries.some(({ isOnSale }) => isOnSale)) {
    return `Sorry, coupon ${shown} is not valid for sale items.`
  }
  const barred = entries.filter(({ ids }) => coupon.excludedProductIds.some((id) => ids.includes(id)))
  if (barred.length) {
    return `Sorry, coupon ${shown} is not applicable to the products: ${barred.map(({ name }) => name).join(', ')}.`
  }
  const shelves = entries.flatMap((entry) => entry.shelves).filter(({ id }) => coupon.excludedCategoryIds.includes(id))
  const names = [...new Set(shelves.map(({ name }) => name))]
  return names.length ? `Sorry, coupon ${shown} is not applicable to the categories: ${names.join(', ')}.` : null
}

function refuseAddress(coupon: Coupon, email: string, shown: string): Refusal | null {
  if (!coupon.emails.length || coupon.emails.some((allowed) => matches(allowed, email))) return null
  const cart = `Please enter a valid email at checkout to use coupon code ${shown}.`
  return { message: cart, details: { cart, checkout: `Please enter a valid email to use coupon code ${shown}.` } }
}

function matches(allowed: string, email: string): boolean {
  if (!isEmail(email)) return false
  const [wanted, given] = [allowed.toLowerCase(), email.toLowerCase()]
  return wanted.startsWith('*') ? given.endsWith(wanted.slice(1)) : wanted === given
}
