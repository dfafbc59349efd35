// Coupon records. Only the status publish is valid; any other status makes the coupon unusable and leaves its code
// free.
import { formatBothTimes } from './clock.ts'
import { formatAmount } from './pricing.ts'
import { buildLinks } from './rest.ts'
import { readSeconds, type Shop } from './shop.ts'
import { run, selectAll, selectOne, takeNextId } from './sqlite.ts'
import { announce } from './webhooks.ts'

export type Coupon = {
  id: number
  code: string
  /** Any text: WooCommerce 10.4.4 does not validate it. */
  status: string
  discountType: 'percent' | 'fixed_cart' | 'fixed_product'
  /** Hundredths of a percent, or minor units of the currency. */
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

type FreshCoupon = Partial<Coupon> & { code: string }

export function addCoupon(shop: Shop, fresh: FreshCoupon): Coupon {
  const coupon = insertCoupon(shop, fresh)
  announce(shop, 'coupon.created', coupon.id)
  return coupon
}

/** Inserts a coupon without webhooks, for history. */
export function insertCoupon(shop: Shop, fresh: FreshCoupon): Coupon {
  const createdAt = fresh.createdAt ?? readSeconds(shop)
  const id = takeNextId(shop.db, 'post')
  const own = { id, code: fresh.code.toLowerCase(), createdAt, modifiedAt: fresh.modifiedAt ?? createdAt }
  const coupon: Coupon = { ...newCoupon, ...fresh, ...own }
  const sql = 'insert into coupons values (?, ?, ?, ?, ?, ?)'
  run(shop.db, sql, id, coupon.code, coupon.status, createdAt, coupon.modifiedAt, JSON.stringify(coupon))
  return coupon
}

export function saveCoupon(shop: Shop, changed: Coupon): Coupon {
  const meta = trashMeta(shop, changed)
  const coupon = { ...changed, meta, code: changed.code.toLowerCase(), modifiedAt: readSeconds(shop) }
  const sql = 'update coupons set code = ?, status = ?, modified = ?, doc = ? where id = ?'
  run(shop.db, sql, coupon.code, coupon.status, coupon.modifiedAt, JSON.stringify(coupon), coupon.id)
  announce(shop, coupon.status === 'trash' ? 'coupon.deleted' : 'coupon.updated', coupon.id)
  return coupon
}

export function trashCoupon(shop: Shop, coupon: Coupon): Coupon {
  const facts = { _wp_trash_meta_status: coupon.status, _wp_trash_meta_time: String(readSeconds(shop)) }
  const added = Object.entries(facts).map(([key, value]) => ({ id: takeNextId(shop.db, 'meta'), key, value }))
  return saveCoupon(shop, { ...coupon, status: 'trash', meta: [...coupon.meta, ...added] })
}

// Meta data that WordPress writes when a record is trashed or restored (coupon-status.json, "PUT status trash").
function trashMeta(shop: Shop, { id, status, meta }: Coupon): Coupon['meta'] {
  const before = findCoupon(shop, id)
  if (!before || (before.status === 'trash') === (status === 'trash')) return meta
  const sql = 'select count(*) as n from coupons where code = ? and id < ?'
  const { n } = selectOne<{ n: number }>(shop.db, sql, before.code, id)!
  const slug = n ? `${before.code}-${n + 1}` : before.code
  const isGoing = status === 'trash'
  const [key, value] = isGoing ? ['_wp_desired_post_slug', slug] : ['_wp_old_slug', `${slug}__trashed`]
  return [
    ...meta.filter((existing) => isGoing || existing.key !== '_wp_desired_post_slug'),
    { id: takeNextId(shop.db, 'meta'), key: key!, value },
  ]
}

export function removeCoupon(shop: Shop, id: number) {
  run(shop.db, 'delete from coupons where id = ?', id)
}

export function findCoupon(shop: Shop, id: number): Coupon | undefined {
  return readCoupon(selectOne<{ doc: string }>(shop.db, 'select doc from coupons where id = ?', id))
}

/** Finds the published coupon. If two share a code, the later one wins (coupon-status.json, "code= with two"). */
export function findCouponByCode(shop: Shop, code: string): Coupon | undefined {
  const sql = `select doc from coupons where code = ? and status = 'publish' order by created desc, id desc limit 1`
  return readCoupon(selectOne<{ doc: string }>(shop.db, sql, code.toLowerCase()))
}

export function listCoupons(shop: Shop): Coupon[] {
  return selectAll<{ doc: string }>(shop.db, 'select doc from coupons order by created desc, id desc').map(
    (row) => readCoupon(row)!,
  )
}

/** A use does not change date_modified and sends no webhook (coupon-status.json, "date_modified after a use"). */
export function countUse(shop: Shop, couponId: number, email: string) {
  const coupon = findCoupon(shop, couponId)
  if (!coupon) return
  writeDoc(shop, { ...coupon, usageCount: coupon.usageCount + 1, usedBy: [...coupon.usedBy, email] })
}

export function releaseUse(shop: Shop, couponId: number, email: string) {
  const coupon = findCoupon(shop, couponId)
  if (!coupon) return
  const usedBy = [...coupon.usedBy]
  const at = usedBy.indexOf(email)
  if (at >= 0) usedBy.splice(at, 1)
  writeDoc(shop, { ...coupon, usageCount: Math.max(0, coupon.usageCount - 1), usedBy })
}

function writeDoc(shop: Shop, coupon: Coupon) {
  run(shop.db, 'update coupons set doc = ? where id = ?', JSON.stringify(coupon), coupon.id)
}

export function presentCoupon(shop: Shop, coupon: Coupon) {
  return {
    id: coupon.id,
    code: coupon.code,
    amount: coupon.discountType === 'percent' ? getPercentText(shop, coupon) : formatAmount(shop, coupon.amountMinor),
    status: coupon.status,
    ...formatBothTimes('date_created', coupon.createdAt),
    ...formatBothTimes('date_modified', coupon.modifiedAt),
    discount_type: coupon.discountType,
    description: coupon.description,
    ...formatBothTimes('date_expires', coupon.expiresAt),
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
    minimum_amount: formatAmount(shop, coupon.minimumMinor),
    maximum_amount: formatAmount(shop, coupon.maximumMinor),
    email_restrictions: coupon.emails,
    used_by: coupon.usedBy,
    meta_data: coupon.meta,
    _links: buildLinks(shop, 'coupons', coupon.id),
  }
}

/** The amount that the owner entered, as in an order's coupon line. */
export function computeNominalAmount({ pricing }: Shop, { discountType, amountMinor }: Coupon): number {
  return discountType === 'percent' ? amountMinor / 100 : amountMinor / 10 ** pricing.decimals
}

// Percentages have as many digits as prices.
function getPercentText({ pricing }: Shop, { amountMinor }: Coupon): string {
  return (amountMinor / 100).toFixed(pricing.decimals)
}

function readCoupon(row: { doc: string } | undefined): Coupon | undefined {
  return row && (JSON.parse(row.doc) as Coupon)
}
