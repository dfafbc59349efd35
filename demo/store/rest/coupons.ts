// wc/v3 coupons with the traps a coupon app falls into: lower-cased codes, dates in store time, bad dates taken as 1970,
// date_expires_gmt ignored.
import { parseStoreTime } from '../clock.ts'
import {
  addCoupon,
  type Coupon,
  findCoupon,
  findCouponByCode,
  listCoupons,
  newCoupon,
  presentCoupon,
  removeCoupon,
  saveCoupon,
} from '../coupons.ts'
import { asText, isEmail, minorOf } from '../php.ts'
import {
  type Body,
  checkParams,
  isTrue,
  objectsOf,
  paged,
  pagingRules,
  type RestReply,
  type RestRequest,
  type Route,
  typeProblem,
} from '../rest.ts'
import { invalidId, invalidParams, missingParams, RestError } from '../rest-error.ts'
import type { Shop } from '../shop.ts'
import { nextId } from '../sqlite.ts'
import { created } from './orders.ts'

const discountTypes = ['percent', 'fixed_cart', 'fixed_product']

export const couponRoutes: Route[] = [
  {
    pattern: /^\/wc\/v3\/coupons$/,
    GET: { can: 'list', rules: pagingRules, run: getCoupons },
    POST: { can: 'create', run: postCoupon },
  },
  { pattern: /^\/wc\/v3\/coupons\/batch$/, PUT: { can: 'batch', run: batchCoupons } },
  {
    pattern: /^\/wc\/v3\/coupons\/(\d+)$/,
    GET: { can: 'view', run: ({ shop, ids }) => ({ body: presentCoupon(shop, couponOf(shop, ids[0]!)) }) },
    PUT: {
      can: 'edit',
      run: ({ shop, ids, body }) => ({ body: presentCoupon(shop, editCoupon(shop, ids[0]!, body)) }),
    },
    DELETE: { can: 'delete', run: deleteCoupon },
  },
]

function getCoupons(request: RestRequest): RestReply {
  const code = asText(request.query.code)?.toLowerCase()
  const search = asText(request.query.search)?.toLowerCase()
  const matches = listCoupons(request.shop)
    .filter((coupon) => coupon.status === 'publish')
    .filter((coupon) => (code === undefined || coupon.code === code) && (!search || coupon.code.includes(search)))
  return paged(request, matches, (coupon) => presentCoupon(request.shop, coupon))
}

function postCoupon(request: RestRequest): RestReply {
  const coupon = createCoupon(request.shop, request.body)
  return created(request, `coupons/${coupon.id}`, presentCoupon(request.shop, coupon))
}

function deleteCoupon({ shop, ids, query, body }: RestRequest): RestReply {
  return { body: dropCoupon(shop, ids[0]!, isTrue(query.force ?? body.force)) }
}

function batchCoupons({ shop, body }: RestRequest): RestReply {
  const reply: Record<string, unknown[]> = {}
  const create = (item: Body) => presentCoupon(shop, createCoupon(shop, item))
  const update = (item: Body) => presentCoupon(shop, editCoupon(shop, Number(item.id), item))
  if (body.create) reply.create = objectsOf(body.create).map((item) => attempt(0, () => create(item)))
  if (body.update) reply.update = objectsOf(body.update).map((item) => attempt(item.id, () => update(item)))
  if (Array.isArray(body.delete)) {
    reply.delete = body.delete.map((id: unknown) => attempt(id, () => dropCoupon(shop, Number(id), true)))
  }
  return { body: reply }
}

function attempt(id: unknown, work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    if (error instanceof RestError) return { id, error: error.body() }
    throw error
  }
}

function createCoupon(shop: Shop, body: Body): Coupon {
  checkTypes(body)
  if (body.code === undefined) throw missingParams(['code'])
  const wanted = fieldsOf(shop, body, newCoupon)
  checkCode(shop, String(body.code), 0)
  checkAmount({ ...newCoupon, ...wanted })
  return addCoupon(shop, { ...wanted, code: String(body.code) })
}

function editCoupon(shop: Shop, id: number, body: Body): Coupon {
  const coupon = couponOf(shop, id)
  checkTypes(body)
  if (body.code !== undefined) checkCode(shop, String(body.code), id)
  const changed = {
    ...coupon,
    ...fieldsOf(shop, body, coupon),
    ...(body.code === undefined ? {} : { code: String(body.code) }),
  }
  checkAmount(changed)
  return saveCoupon(shop, changed)
}

function dropCoupon(shop: Shop, id: number, isForced: boolean) {
  const coupon = couponOf(shop, id)
  const before = presentCoupon(shop, coupon)
  if (isForced) {
    removeCoupon(shop, id)
  } else if (coupon.status === 'trash') {
    throw new RestError(410, 'woocommerce_rest_already_trashed', 'The shop_coupon has already been deleted.')
  } else {
    saveCoupon(shop, { ...coupon, status: 'trash' })
  }
  return before
}

function checkTypes(body: Body) {
  checkParams(body, { discount_type: { kind: 'enum', values: discountTypes } })
  const date = body.date_expires
  if (date === undefined || date === null || typeof date === 'string') return
  throw invalidParams({ date_expires: typeProblem('date_expires', 'null,string') })
}

function checkCode(shop: Shop, code: string, ownId: number) {
  const taken = findCouponByCode(shop, code)
  if (!taken || taken.id === ownId || taken.status === 'trash') return
  throw new RestError(400, 'woocommerce_rest_coupon_code_already_exists', 'The coupon code already exists')
}

function checkAmount({ amountMinor, discountType }: Pick<Coupon, 'amountMinor' | 'discountType'>) {
  if (amountMinor >= 0 && !(discountType === 'percent' && amountMinor > 10_000)) return
  throw new RestError(400, 'coupon_invalid_amount', 'Invalid discount amount.')
}

function fieldsOf(
  shop: Shop,
  body: Body,
  known: Omit<Coupon, 'id' | 'code' | 'createdAt' | 'modifiedAt'>,
): Partial<Coupon> {
  const has = (name: string) => body[name] !== undefined
  const ids = (name: string, before: number[]) =>
    Array.isArray(body[name]) ? (body[name] as unknown[]).map(Number) : before
  const count = (name: string, before: number | null) => (has(name) ? Number(body[name]) || null : before)
  const flag = (name: string, before: boolean) => (has(name) ? isTrue(body[name]) : before)
  const money = (name: string, before: number) => (has(name) ? (minorOf(body[name]) ?? 0) : before)
  return {
    discountType: (body.discount_type as Coupon['discountType']) ?? known.discountType,
    amountMinor: money('amount', known.amountMinor),
    description: has('description') ? String(body.description) : known.description,
    expiresAt: has('date_expires') ? expiryOf(body.date_expires) : known.expiresAt,
    individualUse: flag('individual_use', known.individualUse),
    productIds: ids('product_ids', known.productIds),
    excludedProductIds: ids('excluded_product_ids', known.excludedProductIds),
    usageLimit: count('usage_limit', known.usageLimit),
    usageLimitPerUser: count('usage_limit_per_user', known.usageLimitPerUser),
    limitToItems: count('limit_usage_to_x_items', known.limitToItems),
    freeShipping: flag('free_shipping', known.freeShipping),
    categoryIds: ids('product_categories', known.categoryIds),
    excludedCategoryIds: ids('excluded_product_categories', known.excludedCategoryIds),
    excludeSaleItems: flag('exclude_sale_items', known.excludeSaleItems),
    minimumMinor: money('minimum_amount', known.minimumMinor),
    maximumMinor: money('maximum_amount', known.maximumMinor),
    // Addresses that are none are dropped without a word.
    emails: Array.isArray(body.email_restrictions) ? body.email_restrictions.filter(isRestriction) : known.emails,
    meta: body.meta_data ? objectsOf(body.meta_data).map((meta) => metaOf(shop, meta)) : known.meta,
  }
}

function isRestriction(email: unknown): email is string {
  return isEmail(email) || (typeof email === 'string' && /^\*@[\w.-]+\.\w+$/.test(email))
}

function expiryOf(value: unknown): number | null {
  if (value === null || value === '') return null
  // A text that is no date becomes local midnight of the epoch: the coupon is expired from its first second.
  return parseStoreTime(String(value)) ?? parseStoreTime('1970-01-01T00:00:00')
}

function metaOf(shop: Shop, { key, value }: Body) {
  return { id: nextId(shop.db, 'meta'), key: String(key), value }
}

function couponOf(shop: Shop, id: number): Coupon {
  const coupon = findCoupon(shop, id)
  if (!coupon) throw invalidId('coupon')
  return coupon
}
