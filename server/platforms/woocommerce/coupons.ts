import { z } from 'zod'
import { getCurrencyExponent, parseMinor } from '../../../shared/core/money.ts'
import {
  type CouponChange,
  type CouponChangeResult,
  type CouponDraft,
  type CouponLimits,
  type CouponResult,
  type CouponsById,
  field,
  isRecord,
  type Page,
  type PlatformCoupon,
  parseId,
  type RowReading,
  readRows,
  StoreProblem,
  skip,
  toPlainText,
  wireId,
  wireList,
  wireRaw,
  wireText,
  wireTime,
} from '../platform/public.ts'
import { buildModifiedAfter, pullList } from './catalogue.ts'
import { getErrorCode, isSuccess, type WooAnswer, type WooHttp, type WooQuery, type WooRequest } from './http.ts'
import { countHeader, readList } from './orders.ts'
import { fieldNames } from './wire.ts'

// Reads and writes coupons. `used_by` is never requested: it names people (S7).

/** Our mark in a coupon's meta data. The underscore hides it from the shop's screens. */
const MARK = '_recoup_mark'

/** A truncated restriction would be a different one, so a coupon with more is skipped. */
const MAX_LIMITS = 2_000
const MAX_USES = 2_000_000_000

const limitList = (read: (input: unknown) => string | null) =>
  field((input) => {
    if (!Array.isArray(input)) return []
    if (input.length > MAX_LIMITS) return null
    return input.map(read).filter((each) => each !== null)
  })
const limitIds = limitList(parseId)
const uses = field((input) => (typeof input === 'number' && input > 0 ? Math.min(Math.trunc(input), MAX_USES) : null))
const flag = field((input) => input === true)

const Coupon = z.object({
  id: wireId,
  code: wireText(200),
  status: wireText(40),
  discount_type: wireText(60),
  amount: wireRaw,
  minimum_amount: wireRaw,
  maximum_amount: wireRaw,
  date_expires_gmt: wireTime,
  usage_count: uses,
  usage_limit: uses,
  usage_limit_per_user: uses,
  limit_usage_to_x_items: uses,
  individual_use: flag,
  exclude_sale_items: flag,
  free_shipping: flag,
  product_ids: limitIds,
  excluded_product_ids: limitIds,
  product_categories: limitIds,
  excluded_product_categories: limitIds,
  email_restrictions: limitList((input) => toPlainText(input, 254)?.toLowerCase() ?? null),
  meta_data: wireList,
  date_created_gmt: wireTime,
  date_modified_gmt: wireTime,
})

type WireCoupon = z.infer<typeof Coupon>

const COUPON_FIELDS = fieldNames(Coupon.shape)

const TYPES: Readonly<Record<string, 'percentage' | 'fixed'>> = { percent: 'percentage', fixed_cart: 'fixed' }

export function readCoupon(raw: unknown, currency: string): RowReading<PlatformCoupon> {
  const parsed = Coupon.safeParse(raw)
  if (!parsed.success) return skip(raw, 'not a coupon')
  const wire = parsed.data
  if (!wire.id) return skip(raw, 'no id')
  if (!wire.code) return skip(raw, 'no code')
  const limits = readLimits(wire)
  if (!limits) return skip(raw, 'too many restrictions')
  const known = Object.hasOwn(TYPES, wire.discount_type ?? '') ? TYPES[wire.discount_type!]! : 'other'
  const amounts = readAmounts(known, wire, currency)
  if (!amounts) return skip(raw, 'no amount')
  // Free shipping without a discount on the goods is a type of its own.
  const isShipping = wire.free_shipping && !amounts.percent && !amounts.amountMinor
  return {
    row: {
      couponId: wire.id,
      code: wire.code,
      type: isShipping ? 'other' : known,
      platformType: isShipping ? 'free_shipping' : (wire.discount_type ?? 'unknown'),
      ...amounts,
      minSpendMinor: readBound(wire.minimum_amount, currency),
      maxSpendMinor: readBound(wire.maximum_amount, currency),
      expiresAt: wire.date_expires_gmt,
      usageLimit: wire.usage_limit,
      usageLimitPerUser: wire.usage_limit_per_user,
      usageCount: wire.usage_count ?? 0,
      // Stores without a status field publish all coupons.
      isPublished: wire.status === null || wire.status === 'publish',
      isIndividual: wire.individual_use,
      excludesSaleItems: wire.exclude_sale_items,
      limits,
      createdAt: wire.date_created_gmt,
      modifiedAt: wire.date_modified_gmt,
      mark: toPlainText(wire.meta_data.find(({ key }) => key === MARK)?.value, 200),
    },
  }
}

function readLimits(wire: WireCoupon): CouponLimits | null {
  const { product_ids, excluded_product_ids, product_categories, excluded_product_categories, email_restrictions } =
    wire
  if (!product_ids || !excluded_product_ids || !product_categories || !excluded_product_categories) return null
  if (!email_restrictions) return null
  return {
    productIds: product_ids,
    excludedProductIds: excluded_product_ids,
    categoryIds: product_categories,
    excludedCategoryIds: excluded_product_categories,
    emails: email_restrictions,
    items: wire.limit_usage_to_x_items,
  }
}

/** null: an unreadable discount. In a custom type the amount may mean anything. */
function readAmounts(type: PlatformCoupon['type'], { amount, discount_type }: WireCoupon, currency: string) {
  if (type === 'percentage') {
    const percent = parseHundredths(amount)
    return percent === null || percent < 0 || percent > 10_000 ? null : { percent, amountMinor: null }
  }
  const minor = type === 'fixed' || discount_type?.startsWith('fixed') ? parseMinor(amount, currency) : null
  if (type === 'fixed' && (minor === null || minor < 0)) return null
  return { percent: null, amountMinor: minor === null ? null : Math.max(minor, 0) }
}

const parseHundredths = (amount: unknown) => parseMinor(amount, 'USD')

/** "0.00" means none. */
function readBound(amount: unknown, currency: string): number | null {
  const minor = parseMinor(amount, currency)
  return minor !== null && minor > 0 ? minor : null
}

type Change = Partial<CouponDraft> & Pick<CouponDraft, 'currency'>

/** The request body. Amounts are decimal text. `date_expires` is UTC with a Z; "" clears it, null is ignored. */
function couponBody(draft: Change): Record<string, unknown> {
  const {
    code,
    type,
    percent,
    amountMinor,
    currency,
    minSpendMinor,
    expiresAt,
    usageLimit,
    isIndividual,
    email,
    mark,
  } = draft
  const isPercentage = type === 'percentage' || (type === undefined && percent != null)
  const hasAmount = type !== undefined || percent != null || amountMinor != null
  const amount = isPercentage ? decimalText(percent ?? 0, 2) : formatMinor(amountMinor ?? null, currency)
  return {
    ...(code !== undefined && { code }),
    ...(type !== undefined && { discount_type: type === 'percentage' ? 'percent' : 'fixed_cart' }),
    ...(hasAmount && { amount }),
    ...(minSpendMinor !== undefined && { minimum_amount: formatMinor(minSpendMinor, currency) }),
    ...(expiresAt !== undefined && { date_expires: expiresAt === null ? '' : `${truncateToSecond(expiresAt)}Z` }),
    ...(usageLimit !== undefined && { usage_limit: usageLimit ?? 0 }),
    ...(isIndividual !== undefined && { individual_use: isIndividual }),
    ...(email !== undefined && { email_restrictions: email === null ? [] : [email] }),
    ...(mark !== undefined && { meta_data: [{ key: MARK, value: mark }] }),
  }
}

/** The first value that the store changed; null: none. */
function findChange(draft: Change, stored: PlatformCoupon): string | null {
  const emails = draft.email === undefined ? undefined : draft.email === null ? [] : [draft.email.toLowerCase()]
  const expiry = draft.expiresAt ? `${truncateToSecond(draft.expiresAt)}Z` : draft.expiresAt
  const pairs: [string, unknown, unknown][] = [
    ['code', draft.code?.toLowerCase(), stored.code.toLowerCase()],
    ['type', draft.type, stored.type],
    ['amount', draft.percent ?? draft.amountMinor ?? undefined, stored.percent ?? stored.amountMinor],
    ['minimum spend', draft.minSpendMinor, stored.minSpendMinor],
    ['expiry date', expiry, stored.expiresAt],
    ['usage limit', draft.usageLimit, stored.usageLimit],
    ['individual use', draft.isIndividual, stored.isIndividual],
    ['email restriction', emails?.join(), stored.limits.emails.join()],
    ['mark', draft.mark, stored.mark],
    // On a change the store decides about the status.
    ['status', draft.mark === undefined ? undefined : true, stored.isPublished],
  ]
  return pairs.find(([, sent, current]) => sent !== undefined && sent !== current)?.[0] ?? null
}

const truncateToSecond = (instant: string) => new Date(instant).toISOString().slice(0, 19)

const formatMinor = (minor: number | null, currency: string) => decimalText(minor ?? 0, getCurrencyExponent(currency))

/** 1050 with 2 digits: "10.50". */
function decimalText(units: number, digits: number): string {
  const text = String(units).padStart(digits + 1, '0')
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
}

// Coupons. Only a list with `status=any` contains drafts, and the store's own duplicate check ignores them.

/** Maximum size of a page or batch. */
const BATCH_SIZE = 100
const ANY_STATUS: WooQuery = [['status', 'any']]
const FIELDS: WooQuery = [['_fields', COUPON_FIELDS]]
const SEARCH_PAGES = 5

/** The admin page of a coupon. */
export const buildCouponUrl = (homeUrl: string, couponId: string): string =>
  `${homeUrl}/wp-admin/post.php?post=${parseId(couponId) ?? 0}&action=edit`

interface CouponQuery {
  currency: string
  signal?: AbortSignal
}

export async function* pullCoupons(
  http: WooHttp,
  { currency, modifiedSince, firstPage, signal }: CouponQuery & { modifiedSince?: string; firstPage?: number },
): AsyncGenerator<Page<PlatformCoupon>> {
  const list = {
    path: '/coupons',
    query: [...ANY_STATUS, ...buildModifiedAfter(modifiedSince), ...FIELDS],
    firstPage,
    signal,
  }
  for await (const { raw, ...place } of pullList(http, list)) {
    yield { ...readRows(raw, (one) => readCoupon(one, currency)), ...place }
  }
}

/** A missing or trashed id is gone. An unreadable row without an id may be any of them. */
export async function readCouponsById(
  http: WooHttp,
  { ids, currency, signal }: CouponQuery & { ids: readonly string[] },
): Promise<CouponsById> {
  const read: CouponsById = { rows: [], skipped: [] }
  for (const some of chunks([...new Set(ids.filter((id) => parseId(id)))])) {
    const query: WooQuery = [['include', some.join(',')], ...ANY_STATUS, ...FIELDS, ['per_page', String(BATCH_SIZE)]]
    const answer = await http.send({ path: '/coupons', query, signal })
    const { rows, skipped } = readRows(readList(answer), (one) => readCoupon(one, currency))
    // A store that ignores `include` returns others.
    read.rows.push(...rows.filter(({ couponId }) => some.includes(couponId)))
    const named = new Set([...rows.map(({ couponId }) => couponId), ...skipped.map(({ id }) => id)])
    const nameless = skipped.find(({ id }) => id === null)
    const unread = nameless ? some.filter((id) => !named.has(id)).map((id) => ({ id, reason: nameless.reason })) : []
    read.skipped.push(
      ...skipped.flatMap(({ id, reason }) => (id && some.includes(id) ? [{ id, reason }] : [])),
      ...unread,
    )
  }
  return read
}

/** `code=` finds published coupons only; the search finds a draft with that code. */
export async function findCoupon(http: WooHttp, code: string, currency: string): Promise<PlatformCoupon | null> {
  const isSame = (coupon: PlatformCoupon) => coupon.code.toLowerCase() === code.toLowerCase()
  const read = (answer: WooAnswer) => readRows(readList(answer), (one) => readCoupon(one, currency)).rows.find(isSame)
  const published = read(await http.send({ path: '/coupons', query: [['code', code], ...FIELDS] }))
  if (published) return published
  for (let page = 1; page <= SEARCH_PAGES; page += 1) {
    const query: WooQuery = [
      ['search', code],
      ...ANY_STATUS,
      ...FIELDS,
      ['per_page', String(BATCH_SIZE)],
      ['page', String(page)],
    ]
    const answer = await http.send({ path: '/coupons', query })
    const found = read(answer)
    if (found) return found
    if (page >= (countHeader(answer, 'x-wp-totalpages') ?? 1)) break
    await http.pause()
  }
  return null
}

/** Results in order. If the store changes a value, the coupon is deleted again and reported (decision 32). */
export async function createCoupons(http: WooHttp, drafts: readonly CouponDraft[]): Promise<CouponResult[]> {
  const results: CouponResult[] = []
  for (const some of chunks(drafts)) {
    const answer = await write(http, {
      method: 'POST',
      path: '/coupons/batch',
      body: { create: some.map((draft) => ({ ...couponBody(draft), description: 'Made by Recoup' })) },
    })
    const items = isRecord(answer.body) && Array.isArray(answer.body.create) ? answer.body.create : []
    if (items.length !== some.length) throw new StoreProblem('bad_answer', 'the answer does not fit the coupons sent')
    results.push(...(await deleteChanged(http, some, items)))
  }
  return results
}

async function deleteChanged(http: WooHttp, drafts: readonly CouponDraft[], items: readonly unknown[]) {
  const results: CouponResult[] = []
  const unwanted: string[] = []
  for (const [index, draft] of drafts.entries()) {
    const result = toResult(draft, items[index])
    results.push(result.result)
    if (result.unwantedId) unwanted.push(result.unwantedId)
  }
  if (unwanted.length > 0) await deleteCoupons(http, unwanted)
  return results
}

function toResult(draft: CouponDraft, item: unknown): { result: CouponResult; unwantedId?: string | null } {
  if (isRecord(item) && isRecord(item.error)) return { result: toRefusal(item.error.code, item.error.message) }
  const reading = readCoupon(item, draft.currency)
  if ('skipped' in reading) {
    const { id, reason } = reading.skipped
    return { result: { refusal: 'refused', detail: unreadableText(reason) }, unwantedId: id }
  }
  const wrong = findChange(draft, reading.row)
  if (!wrong) return { result: { coupon: reading.row } }
  return { result: { refusal: 'refused', detail: changedText(wrong) }, unwantedId: reading.row.couponId }
}

const unreadableText = (reason: string) => `The store’s answer cannot be read: ${reason}.`
const changedText = (what: string) => `The store did not keep what was sent (${what}).`

/** Changes only the given fields. */
export async function updateCoupon(
  http: WooHttp,
  id: string,
  draft: CouponChange['draft'],
): Promise<CouponChangeResult> {
  const path = `/coupons/${parseId(id) ?? 0}`
  const answer = await http.ask({ method: 'PUT', path, query: FIELDS, body: couponBody(draft) })
  if (isMissing(answer)) return { refusal: 'gone', detail: toPlainText(readMessage(answer.body)) ?? 'Invalid ID.' }
  if (answer.status === 400) return toRefusal(getErrorCode(answer), readMessage(answer.body))
  if (!isSuccess(answer)) throw await writeProblem(http, answer)
  const reading = readCoupon(answer.body, draft.currency)
  if ('skipped' in reading) throw new StoreProblem('bad_answer', `coupon ${id}: ${reading.skipped.reason}`)
  const wrong = findChange(draft, reading.row)
  return wrong ? { refusal: 'refused', detail: changedText(wrong) } : { coupon: reading.row }
}

/** A batch's rows have the form of single writes, with status 200. */
export async function updateCoupons(http: WooHttp, changes: readonly CouponChange[]): Promise<CouponChangeResult[]> {
  const changed: CouponChangeResult[] = []
  for (const some of chunks(changes)) {
    const update = some.map(({ id, draft }) => ({ ...couponBody(draft), id: Number(parseId(id) ?? 0) }))
    const answer = await write(http, { method: 'POST', path: '/coupons/batch', body: { update } })
    const items = isRecord(answer.body) && Array.isArray(answer.body.update) ? answer.body.update : []
    const isTheirs = some.every(({ id }, index) => isRecord(items[index]) && parseId(items[index].id) === parseId(id))
    if (items.length !== some.length || !isTheirs) {
      throw new StoreProblem('bad_answer', 'the answer does not fit the coupons sent')
    }
    changed.push(...some.map((change, index) => toChangeResult(change, items[index])))
  }
  return changed
}

function toChangeResult({ draft }: CouponChange, item: Record<string, unknown>): CouponChangeResult {
  if (isRecord(item.error)) {
    const { code, message } = item.error
    if (!isInvalidId(code)) return toRefusal(code, message)
    return { refusal: 'gone', detail: toPlainText(message) ?? 'Invalid ID.' }
  }
  const reading = readCoupon(item, draft.currency)
  if ('skipped' in reading) return { refusal: 'refused', detail: unreadableText(reading.skipped.reason) }
  const wrong = findChange(draft, reading.row)
  return wrong ? { refusal: 'refused', detail: changedText(wrong) } : { coupon: reading.row }
}

/**
 * Deletes permanently, because a code in the trash stays taken. Returns the ids that no longer exist, including those
 * deleted before.
 */
export async function deleteCoupons(http: WooHttp, ids: readonly string[]): Promise<string[]> {
  const deletedIds: string[] = []
  for (const some of chunks(ids.filter((id) => parseId(id)))) {
    const body = { delete: some, force: true }
    const answer = await write(http, { method: 'POST', path: '/coupons/batch', body })
    const items = isRecord(answer.body) && Array.isArray(answer.body.delete) ? answer.body.delete : []
    deletedIds.push(
      ...some.filter((id) => items.some((item) => isRecord(item) && parseId(item.id) === id && isDeleted(item))),
    )
  }
  return deletedIds
}

const isDeleted = ({ error }: Record<string, unknown>) => !isRecord(error) || isInvalidId(error.code)

const isInvalidId = (code: unknown) => typeof code === 'string' && code.endsWith('_invalid_id')

/** 404 for reads, 400 for changes. */
const isMissing = (answer: WooAnswer) => isInvalidId(getErrorCode(answer))

const readMessage = (body: unknown) => (isRecord(body) ? body.message : null)

function toRefusal(code: unknown, message: unknown) {
  const isDuplicate = code === 'woocommerce_rest_coupon_code_already_exists'
  const detail = toPlainText(message, 300) ?? 'The store refused it without a reason.'
  return { refusal: isDuplicate ? ('duplicate' as const) : ('refused' as const), detail }
}

async function write(http: WooHttp, request: WooRequest): Promise<WooAnswer> {
  const answer = await http.ask(request)
  if (isSuccess(answer)) return answer
  throw await writeProblem(http, answer)
}

/** Only an English message marks the refusal of a read-only key: where reading works, the key lacks write access. */
async function writeProblem(http: WooHttp, answer: WooAnswer): Promise<StoreProblem> {
  const problem = http.problem(answer)
  const isRefused = (answer.status === 401 || answer.status === 403) && problem.code !== 'api_blocked'
  if (!isRefused || problem.code === 'read_only_key') return problem
  const probe = await http.ask({
    path: '/coupons',
    query: [
      ['per_page', '1'],
      ['_fields', 'id'],
    ],
  })
  return isSuccess(probe) ? new StoreProblem('read_only_key', problem.detail) : problem
}

function chunks<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / BATCH_SIZE) }, (_, n) =>
    items.slice(n * BATCH_SIZE, (n + 1) * BATCH_SIZE),
  )
}
