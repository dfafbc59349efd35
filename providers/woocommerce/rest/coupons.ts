// wc/v3 coupons with WooCommerce's pitfalls: lower-cased codes, dates in store time, invalid dates as 1970,
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
  trashCoupon,
} from '../coupons.ts'
import { asList, asText, isEmail } from '../php.ts'
import { parseAmount } from '../pricing.ts'
import {
  type Body,
  checkParams,
  isTrue,
  listObjects,
  paginate,
  pagingRules,
  type RestReply,
  type RestRequest,
  type Route,
  type Rule,
  typeProblem,
} from '../rest.ts'
import { createInvalidIdError, createInvalidParamsError, createMissingParamsError, RestError } from '../rest-error.ts'
import { isOldVersion, type Shop } from '../shop.ts'
import { takeNextId } from '../sqlite.ts'
import { buildCreatedReply } from './orders.ts'

const discountTypes = ['percent', 'fixed_cart', 'fixed_product']
const batchLimit = 100
const listRules: Record<string, Rule> = {
  ...pagingRules,
  orderby: { kind: 'enum', values: ['date', 'id', 'include', 'title', 'slug', 'modified'] },
  after: { kind: 'date' },
  before: { kind: 'date' },
  modified_after: { kind: 'date' },
  modified_before: { kind: 'date' },
  dates_are_gmt: { kind: 'boolean' },
}

export const couponRoutes: Route[] = [
  {
    pattern: /^\/wc\/v3\/coupons$/,
    GET: { can: 'list', rules: listRules, run: getCoupons },
    POST: { can: 'create', run: postCoupon },
  },
  { pattern: /^\/wc\/v3\/coupons\/batch$/, PUT: { can: 'batch', run: applyCouponBatch } },
  {
    pattern: /^\/wc\/v3\/coupons\/(\d+)$/,
    GET: { can: 'view', run: ({ shop, ids }) => ({ body: presentCoupon(shop, findOrThrow(shop, ids[0]!)) }) },
    PUT: { can: 'edit', run: putCoupon },
    DELETE: { can: 'delete', run: deleteCoupon },
  },
]

function getCoupons(request: RestRequest): RestReply {
  const { shop, query } = request
  const code = asText(query.code)?.toLowerCase()
  const search = asText(query.search)?.toLowerCase()
  const [include, exclude] = [asList(query.include), asList(query.exclude)]
  const one = code === undefined ? undefined : findCouponByCode(shop, code)
  const matches = listCoupons(shop)
    .filter((coupon) => (code === undefined ? isListed(coupon.status, asText(query.status)) : coupon.id === one?.id))
    .filter((coupon) => !search || coupon.code.includes(search) || coupon.description.toLowerCase().includes(search))
    .filter(({ id }) => (!include.length || include.includes(String(id))) && !exclude.includes(String(id)))
    .filter((coupon) => isInTime(query, coupon))
  return paginate(request, sort(query, matches), (coupon) => presentCoupon(shop, coupon))
}

// Without a status the owner's key sees published and private coupons; `any` excludes the trash.
function isListed(status: string, fields: string | undefined): boolean {
  if (fields === undefined) return status === 'publish' || status === 'private'
  return fields === 'any' ? status !== 'trash' : status === fields
}

function isInTime(query: RestRequest['query'], { createdAt, modifiedAt }: Coupon): boolean {
  const bound = (name: string, otherwise: number) => {
    const text = asText(query[name])
    return text ? (parseStoreTime(text, isTrue(query.dates_are_gmt)) ?? 0) : otherwise
  }
  const [never, always] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  if (createdAt <= bound('after', never) || createdAt >= bound('before', always)) return false
  return modifiedAt > bound('modified_after', never) && modifiedAt < bound('modified_before', always)
}

function sort(query: RestRequest['query'], coupons: Coupon[]): Coupon[] {
  const direction = query.order === 'asc' ? 1 : -1
  const by = asText(query.orderby) ?? 'date'
  if (by === 'title' || by === 'slug') {
    return coupons.toSorted((a, b) => direction * (a.code < b.code ? -1 : a.code > b.code ? 1 : a.id - b.id))
  }
  const getSortValue = ({ id, createdAt, modifiedAt }: Coupon) =>
    by === 'modified' ? modifiedAt : by === 'date' ? createdAt : id
  return coupons.toSorted((a, b) => direction * (getSortValue(a) - getSortValue(b) || a.id - b.id))
}

function postCoupon(request: RestRequest): RestReply {
  const { shop, body } = request
  checkTypes(body)
  if (body.code === undefined) throw createMissingParamsError(['code'])
  const coupon = createCoupon(shop, body)
  return buildCreatedReply(request, `coupons/${coupon.id}`, presentCoupon(shop, coupon))
}

function putCoupon({ shop, ids, body }: RestRequest): RestReply {
  checkTypes(body)
  return { body: presentCoupon(shop, editCoupon(shop, ids[0]!, body)) }
}

function deleteCoupon({ shop, ids, query, body }: RestRequest): RestReply {
  return { body: deleteOrTrashCoupon(shop, ids[0]!, isTrue(query.force ?? body.force)) }
}

/** Batch rows skip the parameter checks of single writes. Each row returns its own error. */
function applyCouponBatch({ shop, body }: RestRequest): RestReply {
  const rows = [body.create, body.update, body.delete].map((list) => (Array.isArray(list) ? list.length : 0))
  if (rows.reduce((sum, count) => sum + count, 0) > batchLimit) {
    const text = `Unable to accept more than ${batchLimit} items for this request.`
    throw new RestError(413, 'woocommerce_rest_request_entity_too_large', text)
  }
  const reply: Record<string, unknown[]> = {}
  const create = (item: Body) => presentCoupon(shop, createCoupon(shop, item))
  const update = (item: Body) => presentCoupon(shop, editCoupon(shop, Number(item.id), item))
  if (body.create) reply.create = listObjects(body.create).map((item) => attempt(0, () => create(item)))
  if (body.update) reply.update = listObjects(body.update).map((item) => attempt(item.id, () => update(item)))
  if (Array.isArray(body.delete)) {
    reply.delete = body.delete.map((id: unknown) => attempt(id, () => deleteOrTrashCoupon(shop, Number(id), true)))
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
  const code = String(body.code ?? '').trim()
  if (!code) throw new RestError(400, 'woocommerce_rest_empty_coupon_code', 'The coupon code cannot be empty.')
  const fields = parseFields(shop, body, newCoupon)
  checkCode(shop, code, 0)
  checkKind({ ...newCoupon, ...fields })
  return addCoupon(shop, { ...fields, code })
}

function editCoupon(shop: Shop, id: number, body: Body): Coupon {
  const coupon = findCoupon(shop, id)
  // The error of a batch row (coupon-status.json, "batch update").
  if (!coupon) throw new RestError(400, 'woocommerce_rest_shop_coupon_invalid_id', 'Invalid ID.')
  if (body.code !== undefined) checkCode(shop, String(body.code), id)
  const changed = {
    ...coupon,
    ...parseFields(shop, body, coupon),
    ...(body.code === undefined ? {} : { code: String(body.code) }),
  }
  checkKind(changed)
  return saveCoupon(shop, changed)
}

function deleteOrTrashCoupon(shop: Shop, id: number, isForced: boolean) {
  const coupon = findOrThrow(shop, id)
  const before = presentCoupon(shop, coupon)
  if (isForced) {
    removeCoupon(shop, id)
  } else if (coupon.status === 'trash') {
    throw new RestError(410, 'woocommerce_rest_already_trashed', 'The shop_coupon has already been deleted.')
  } else {
    trashCoupon(shop, coupon)
  }
  return before
}

function checkTypes(body: Body) {
  checkParams(body, { discount_type: { kind: 'enum', values: discountTypes } })
  const date = body.date_expires
  if (date === undefined || date === null || typeof date === 'string') return
  throw createInvalidParamsError({ date_expires: typeProblem('date_expires', 'null,string') })
}

// Only a published coupon reserves its code.
function checkCode(shop: Shop, code: string, ownId: number) {
  const existing = findCouponByCode(shop, code)
  if (!existing || existing.id === ownId) return
  throw new RestError(400, 'woocommerce_rest_coupon_code_already_exists', 'The coupon code already exists')
}

function checkKind({ amountMinor, discountType }: Pick<Coupon, 'amountMinor' | 'discountType'>) {
  if (!discountTypes.includes(discountType)) {
    throw new RestError(400, 'coupon_invalid_discount_type', 'Invalid discount type.')
  }
  if (amountMinor >= 0 && !(discountType === 'percent' && amountMinor > 10_000)) return
  throw new RestError(400, 'coupon_invalid_amount', 'Invalid discount amount.')
}

function parseFields(
  shop: Shop,
  body: Body,
  existing: Omit<Coupon, 'id' | 'code' | 'createdAt' | 'modifiedAt'>,
): Partial<Coupon> {
  const has = (name: string) => body[name] !== undefined
  const ids = (name: string, before: number[]) =>
    Array.isArray(body[name]) ? (body[name] as unknown[]).map(Number) : before
  const count = (name: string, before: number | null) => (has(name) ? Number(body[name]) || null : before)
  const flag = (name: string, before: boolean) => (has(name) ? isTrue(body[name]) : before)
  const formatMoney = (name: string, before: number) => (has(name) ? (parseAmount(shop, body[name]) ?? 0) : before)
  const discountType = (body.discount_type as Coupon['discountType']) ?? existing.discountType
  return {
    status: parseStatus(shop, body, existing.status),
    discountType,
    amountMinor:
      discountType === 'percent' && has('amount')
        ? parsePercent(body.amount)
        : formatMoney('amount', existing.amountMinor),
    description: has('description') ? String(body.description) : existing.description,
    // null is ignored; an empty text removes the expiry (coupon-status.json, "date_expires null").
    expiresAt: has('date_expires') && body.date_expires !== null ? parseExpiry(body.date_expires) : existing.expiresAt,
    individualUse: flag('individual_use', existing.individualUse),
    productIds: ids('product_ids', existing.productIds),
    excludedProductIds: ids('excluded_product_ids', existing.excludedProductIds),
    usageLimit: count('usage_limit', existing.usageLimit),
    usageLimitPerUser: count('usage_limit_per_user', existing.usageLimitPerUser),
    limitToItems: count('limit_usage_to_x_items', existing.limitToItems),
    freeShipping: flag('free_shipping', existing.freeShipping),
    categoryIds: ids('product_categories', existing.categoryIds),
    excludedCategoryIds: ids('excluded_product_categories', existing.excludedCategoryIds),
    excludeSaleItems: flag('exclude_sale_items', existing.excludeSaleItems),
    minimumMinor: formatMoney('minimum_amount', existing.minimumMinor),
    maximumMinor: formatMoney('maximum_amount', existing.maximumMinor),
    // Invalid addresses are dropped silently.
    emails: Array.isArray(body.email_restrictions) ? body.email_restrictions.filter(isRestriction) : existing.emails,
    meta: body.meta_data ? listObjects(body.meta_data).map((meta) => buildMeta(shop, meta)) : existing.meta,
  }
}

function isRestriction(email: unknown): email is string {
  return isEmail(email) || (typeof email === 'string' && /^\*@[\w.-]+\.\w+$/.test(email))
}

/** 10.4.4 accepts any text and publishes `future` at once; versions before 10 ignore the field. */
function parseStatus(shop: Shop, body: Body, existing: string): string {
  if (body.status === undefined || isOldVersion(shop)) return existing
  return body.status === 'future' ? 'publish' : String(body.status)
}

/** Hundredths of a percent. */
function parsePercent(amount: unknown): number {
  const shaped = /^\s*-?\d+(\.\d+)?\s*$/.test(String(amount))
  return shaped ? Math.round(Number(amount) * 100) : 0
}

function parseExpiry(value: unknown): number | null {
  if (value === '') return null
  // An invalid date becomes local midnight of the epoch, so the coupon is expired at once.
  return parseStoreTime(String(value)) ?? parseStoreTime('1970-01-01T00:00:00')
}

function buildMeta(shop: Shop, { key, value }: Body) {
  return { id: takeNextId(shop.db, 'meta'), key: String(key), value }
}

function findOrThrow(shop: Shop, id: number): Coupon {
  const coupon = findCoupon(shop, id)
  if (!coupon) throw createInvalidIdError('coupon')
  return coupon
}
