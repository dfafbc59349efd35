// Coupons: their record, their rules at the cart. States: publish (works), trash (refused, code still taken).
import { bothTexts } from './clock.ts'
import { decimal, isEmail, priceText } from './php.ts'
import { linksOf } from './rest.ts'
import { nowSeconds, type Shop } from './shop.ts'
import { all, nextId, one, run } from './sqlite.ts'
import { announce } from './webhooks.ts'

export type Coupon = {
  id: number
  code: string
  status: 'publish' | 'trash'
  discountType: 'percent' | 'fixed_cart' | 'fixed_product'
  /** Hundredths: of a percent or of the currency. */
  amountMinor: number
  description: string
  expiresAt: number | null
  usageCount: number
  individualUse: boolean
  productIds: number[]
  excludedProductIds: number[]
  usageLimit: number | null
  usageLimitPerUser: number | null
  limitToItems: number | null
  freeShipping: boolean
  categoryIds: number[]
  excludedCategoryIds: number[]
  excludeSaleItems: boolean
  minimumMinor: number
  maximumMinor: number
  emails: string[]
  usedBy: string[]
  meta: { id: number; key: string; value: unknown }[]
  createdAt: number
  modifiedAt: number
}

export const newCoupon: Omit<Coupon, 'id' | 'code' | 'createdAt' | 'modifiedAt'> = {
  status: 'publish',
  discountType: 'fixed_cart',
  amountMinor: 0,
  description: '',
  expiresAt: null,
  usageCount: 0,
  individualUse: false,
  productIds: [],
  excludedProductIds: [],
  usageLimit: null,
  usageLimitPerUser: null,
  limitToItems: null,
  freeShipping: false,
  categoryIds: [],
  excludedCategoryIds: [],
  excludeSaleItems: false,
  minimumMinor: 0,
  maximumMinor: 0,
  emails: [],
  usedBy: [],
  meta: [],
}

export function addCoupon(shop: Shop, fresh: Partial<Coupon> & { code: string }): Coupon {
  const now = nowSeconds(shop)
  const id = nextId(shop.db, 'post')
  const coupon: Coupon = { ...newCoupon, ...fresh, id, code: fresh.code.toLowerCase(), createdAt: now, modifiedAt: now }
  const sql = 'insert into coupons values (?, ?, ?, ?, ?, ?)'
  run(shop.db, sql, id, coupon.code, coupon.status, now, now, JSON.stringify(coupon))
  announce(shop, 'coupon.created', id)
  return coupon
}

export function saveCoupon(shop: Shop, changed: Coupon): Coupon {
  const coupon = { ...changed, code: changed.code.toLowerCase(), modifiedAt: nowSeconds(shop) }
  const sql = 'update coupons set code = ?, status = ?, modified = ?, doc = ? where id = ?'
  run(shop.db, sql, coupon.code, coupon.status, coupon.modifiedAt, JSON.stringify(coupon), coupon.id)
  announce(shop, coupon.status === 'trash' ? 'coupon.deleted' : 'coupon.updated', coupon.id)
  return coupon
}

export function removeCoupon(shop: Shop, id: number) {
  run(shop.db, 'delete from coupons where id = ?', id)
}

export function findCoupon(shop: Shop, id: number): Coupon | undefined {
  return read(one<{ doc: string }>(shop.db, 'select doc from coupons where id = ?', id))
}

export function findCouponByCode(shop: Shop, code: string): Coupon | undefined {
  return read(one<{ doc: string }>(shop.db, 'select doc from coupons where code = ?', code.toLowerCase()))
}

export function listCoupons(shop: Shop): Coupon[] {
  return all<{ doc: string }>(shop.db, 'select doc from coupons order by created desc, id desc').map(
    (row) => read(row)!,
  )
}

export function countUse(shop: Shop, code: string, email: string) {
  const coupon = findCouponByCode(shop, code)
  if (coupon) saveCoupon(shop, { ...coupon, usageCount: coupon.usageCount + 1, usedBy: [...coupon.usedBy, email] })
}

export type Refusal = { message: string; details?: { cart: string; checkout: string } }

/** Why a coupon can't be used on this cart now, in WooCommerce's words, or null. */
export function refuseCoupon(
  shop: Shop,
  code: string,
  cart: { itemsMinor: number; email: string; codes: string[] },
): Refusal | null {
  const shown = `&quot;${code.toLowerCase()}&quot;`
  const coupon = findCouponByCode(shop, code)
  if (coupon?.status !== 'publish') return { message: `Coupon ${shown} cannot be applied because it does not exist.` }
  if (coupon.expiresAt !== null && coupon.expiresAt <= nowSeconds(shop))
    return { message: `Coupon ${shown} has expired.` }
  if (coupon.usageLimit !== null && coupon.usageCount >= coupon.usageLimit) {
    return { message: `Usage limit for coupon ${shown} has been reached.` }
  }
  if (cart.itemsMinor < coupon.minimumMinor) {
    return { message: `The minimum spend for coupon ${shown} is ${priceText(coupon.minimumMinor)}.` }
  }
  if (coupon.maximumMinor > 0 && cart.itemsMinor > coupon.maximumMinor) {
    return { message: `The maximum spend for coupon ${shown} is ${priceText(coupon.maximumMinor)}.` }
  }
  return refuseByEmail(coupon, cart.email, shown)
}

function refuseByEmail(coupon: Coupon, email: string, shown: string): Refusal | null {
  if (!coupon.emails.length || coupon.emails.some((allowed) => matches(allowed, email))) {
    const uses = coupon.usedBy.filter((used) => used.toLowerCase() === email.toLowerCase()).length
    const isSpent = email !== '' && coupon.usageLimitPerUser !== null && uses >= coupon.usageLimitPerUser
    return isSpent ? { message: `Usage limit for coupon ${shown} has been reached.` } : null
  }
  const cart = `Please enter a valid email at checkout to use coupon code ${shown}.`
  return { message: cart, details: { cart, checkout: `Please enter a valid email to use coupon code ${shown}.` } }
}

function matches(allowed: string, email: string): boolean {
  if (!isEmail(email)) return false
  const [wanted, given] = [allowed.toLowerCase(), email.toLowerCase()]
  return wanted.startsWith('*') ? given.endsWith(wanted.slice(1)) : wanted === given
}

export function presentCoupon(shop: Shop, coupon: Coupon) {
  return {
    id: coupon.id,
    code: coupon.code,
    amount: decimal(coupon.amountMinor),
    status: coupon.status,
    ...bothTexts('date_created', coupon.createdAt),
    ...bothTexts('date_modified', coupon.modifiedAt),
    discount_type: coupon.discountType,
    description: coupon.description,
    ...bothTexts('date_expires', coupon.expiresAt),
    usage_count: coupon.usageCount,
    individual_use: coupon.individualUse,
    product_ids: coupon.productIds,
    excluded_product_ids: coupon.excludedProductIds,
    usage_limit: coupon.usageLimit,
    usage_limit_per_user: coupon.usageLimitPerUser,
    limit_usage_to_x_items: coupon.limitToItems,
    free_shipping: coupon.freeShipping,
    product_categories: coupon.categoryIds,
    excluded_product_categories: coupon.excludedCategoryIds,
    exclude_sale_items: coupon.excludeSaleItems,
    minimum_amount: decimal(coupon.minimumMinor),
    maximum_amount: decimal(coupon.maximumMinor),
    email_restrictions: coupon.emails,
    used_by: coupon.usedBy,
    meta_data: coupon.meta,
    _links: linksOf(shop, 'coupons', coupon.id),
  }
}

function read(row: { doc: string } | undefined): Coupon | undefined {
  return row && (JSON.parse(row.doc) as Coupon)
}
