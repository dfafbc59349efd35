import { z } from 'zod'
import { normalizeEmail } from '../../../shared/core/contact.ts'
import { getCurrencyExponent } from '../../../shared/core/money.ts'
import {
  type CouponChange,
  type CouponChangeResult,
  type CouponDraft,
  type CouponLimits,
  type CouponResult,
  type CouponsById,
  field,
  type Page,
  type PlatformCoupon,
  parseId,
  type RowReading,
  type StoreNet,
  StoreProblem,
  skip,
  toPlainText,
  wirePart,
  wireText,
} from '../platform/public.ts'
import { connection, formatGid, getPath, parseAmount, parseGid, toMinor, wireFlag, wireInstant } from './fields.ts'
import type { Graph } from './graph.ts'
import { numberedPages } from './lists.ts'
import { DISCOUNT_CREATE, DISCOUNT_DELETE, DISCOUNT_UPDATE } from './mutations.ts'
import { type UserError, userErrors } from './problems.ts'
import {
  buildChangedSince,
  CUSTOMER_BY_EMAIL,
  DISCOUNT_BY_CODE,
  DISCOUNTS,
  DISCOUNTS_BY_ID,
  DISCOUNTS_PAST,
} from './queries.ts'

// Coupons: discounts with one code each. A mutation returns only the discount's id, and the result is read separately.
// Withheld fields therefore never lead to a second discount.

const PAGE_SIZE = 100
/** Number of discounts per query. */
const BATCH_SIZE = 8

/** The admin page of a discount. */
export function buildCouponUrl(storeUrl: string, couponId: string): string {
  const { hostname } = new URL(storeUrl)
  const id = parseId(couponId) ?? '0'
  const shop = /^([a-z0-9][a-z0-9-]*)\.myshopify\.com$/.exec(hostname)?.[1]
  return shop ? `https://admin.shopify.com/store/${shop}/discounts/${id}` : `${storeUrl}/admin/discounts/${id}`
}

interface CouponQuery {
  currency: string
  signal?: AbortSignal
}

export function pullCoupons(
  graph: Graph,
  { currency, modifiedSince, firstPage, signal }: CouponQuery & { modifiedSince?: string; firstPage?: number },
): AsyncGenerator<Page<PlatformCoupon>> {
  const changed = modifiedSince === undefined ? [] : [buildChangedSince(modifiedSince)]
  const variables = { query: ['method:code', ...changed].join(' AND ') }
  const root = 'discountNodes'
  return numberedPages(graph, {
    firstPage,
    pageSize: PAGE_SIZE,
    read: (raw) => readCoupon(raw, currency),
    query: { document: DISCOUNTS, root, variables, sizes: { first: BATCH_SIZE, max: PAGE_SIZE }, signal },
    past: { document: DISCOUNTS_PAST, root, variables, sizes: { first: 250, max: 250 }, signal },
  })
}

/** An id that is neither in the rows nor skipped is gone. */
export async function readCouponsById(
  graph: Graph,
  { ids, currency, signal }: CouponQuery & { ids: readonly string[] },
): Promise<CouponsById> {
  const read: CouponsById = { rows: [], skipped: [] }
  for (const some of chunks([...new Set(ids.filter((id) => parseId(id)))])) {
    const { data } = await graph.read(
      DISCOUNTS_BY_ID,
      { ids: some.map((id) => formatGid('DiscountCodeNode', id)) },
      signal,
    )
    if (!Array.isArray(data.nodes)) throw new StoreProblem('shopify_bad_answer', 'a list of discounts was expected')
    for (const node of data.nodes) {
      const reading = readCoupon(node, currency)
      if (!reading) continue
      if ('row' in reading && some.includes(reading.row.couponId)) read.rows.push(reading.row)
      if ('skipped' in reading && reading.skipped.id && some.includes(reading.skipped.id)) {
        read.skipped.push({ id: reading.skipped.id, reason: reading.skipped.reason })
      }
    }
  }
  return read
}

/** Case-insensitive; a discount with many codes is found by each of them. */
export async function findCoupon(graph: Graph, code: string, currency: string): Promise<PlatformCoupon | null> {
  const { data } = await graph.read(DISCOUNT_BY_CODE, { code })
  if (data.codeDiscountNodeByCode === null || data.codeDiscountNodeByCode === undefined) return null
  const reading = readCoupon(data.codeDiscountNodeByCode, currency, code)
  if (reading && 'row' in reading) return reading.row
  throw new StoreProblem('shopify_bad_answer', `discount ${code}: ${reading?.skipped.reason ?? 'not one with a code'}`)
}

/** Results in order. If the store changes a value, the discount is deleted again and reported (decision 32). */
export async function createCoupons(
  graph: Graph,
  net: StoreNet,
  drafts: readonly CouponDraft[],
): Promise<CouponResult[]> {
  const results: CouponResult[] = []
  for (const draft of drafts) results.push(await createCoupon(graph, net, draft))
  return results
}

async function createCoupon(graph: Graph, net: StoreNet, draft: CouponDraft): Promise<CouponResult> {
  const owner = await findOwner(graph, draft.email)
  if (owner === 'unknown') return { refusal: 'refused', detail: UNKNOWN_CUSTOMER }
  const input = couponInput(draft, { now: net.now(), customerId: owner })
  const { data } = await graph.write(DISCOUNT_CREATE, { input })
  const errors = userErrors(data.discountCodeBasicCreate)
  if (errors.length > 0) return toRefusal(errors)
  const id = parseGid(getPath(data.discountCodeBasicCreate, 'codeDiscountNode', 'id'))
  if (!id) throw new StoreProblem('shopify_bad_answer', 'the answer names no discount')
  const stored = await readBack(graph, { id, draft })
  if ('coupon' in stored) return stored
  await deleteCoupons(graph, [id])
  return stored
}

const UNKNOWN_CUSTOMER = 'The store has no customer with this email address, so the code cannot be theirs alone.'

/** null: everyone. */
async function findOwner(graph: Graph, email: string | null | undefined): Promise<string | null | 'unknown'> {
  if (email == null) return null
  const address = normalizeEmail(email)
  if (!address || !graph.flags.customers || !graph.flags.emails) return 'unknown'
  const { data } = await graph.read(CUSTOMER_BY_EMAIL, { query: `email:${JSON.stringify(address)}` })
  const nodes = connection(data.customers).nodes
  const isSame = (node: unknown) => normalizeEmail(getPath(node, 'defaultEmailAddress', 'emailAddress')) === address
  return parseGid(getPath(nodes.find(isSame), 'id')) ?? 'unknown'
}

interface SentDiscount {
  id: string
  draft: CouponChange['draft']
}

/** The stored discount, or the value that differs from what was sent. */
async function readBack(
  graph: Graph,
  { id, draft }: SentDiscount,
): Promise<{ coupon: PlatformCoupon } | { refusal: 'refused'; detail: string }> {
  const { rows, skipped } = await readCouponsById(graph, { ids: [id], currency: draft.currency })
  const [coupon] = rows
  if (!coupon)
    return { refusal: 'refused', detail: `The store’s answer cannot be read: ${skipped[0]?.reason ?? 'it is gone'}.` }
  const wrong = findChange(draft, coupon)
  return wrong ? { refusal: 'refused', detail: `The store did not keep what was sent (${wrong}).` } : { coupon }
}

const DUPLICATES = new Set(['TAKEN', 'DUPLICATE', 'IMPLICIT_DUPLICATE'])

function toRefusal(errors: readonly UserError[]): { refusal: 'duplicate' | 'refused'; detail: string } {
  const duplicate = errors.find(({ code }) => DUPLICATES.has(code))
  return { refusal: duplicate ? 'duplicate' : 'refused', detail: (duplicate ?? errors[0]!).message }
}

/** Changes only the given fields. */
export async function updateCoupon(
  graph: Graph,
  net: StoreNet,
  { id, draft }: CouponChange,
): Promise<CouponChangeResult> {
  const missing: CouponChangeResult = { refusal: 'gone', detail: 'The store has no such discount.' }
  if (!parseId(id)) return missing
  const owner = await findOwner(graph, draft.email)
  if (owner === 'unknown') return { refusal: 'refused', detail: UNKNOWN_CUSTOMER }
  const input = couponInput(draft, { now: net.now(), customerId: owner })
  const { data } = await graph.write(DISCOUNT_UPDATE, { id: formatGid('DiscountCodeNode', id), input })
  const errors = userErrors(data.discountCodeBasicUpdate)
  if (errors.length === 0) return readBack(graph, { id, draft })
  return (await exists(graph, id)) ? toRefusal(errors) : missing
}

export async function updateCoupons(
  graph: Graph,
  net: StoreNet,
  changes: readonly CouponChange[],
): Promise<CouponChangeResult[]> {
  const changed: CouponChangeResult[] = []
  for (const change of changes) changed.push(await updateCoupon(graph, net, change))
  return changed
}

/** Deletes permanently. Returns the ids that no longer exist, including those deleted before. */
export async function deleteCoupons(graph: Graph, ids: readonly string[]): Promise<string[]> {
  const deletedIds: string[] = []
  for (const id of ids.filter((each) => parseId(each))) {
    const { data } = await graph.write(DISCOUNT_DELETE, { id: formatGid('DiscountCodeNode', id) })
    const deleted = parseGid(getPath(data.discountCodeDelete, 'deletedCodeDiscountId'))
    if (deleted === id || !(await exists(graph, id))) deletedIds.push(id)
  }
  return deletedIds
}

async function exists(graph: Graph, id: string): Promise<boolean> {
  const { rows, skipped } = await readCouponsById(graph, { ids: [id], currency: 'USD' })
  return rows.length + skipped.length > 0
}

function chunks<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / BATCH_SIZE) }, (_, n) =>
    items.slice(n * BATCH_SIZE, (n + 1) * BATCH_SIZE),
  )
}

// Reads and writes discounts with a code. Shoppers see the title, so our mark is stored in the tags, in chunks, because
// a tag is short.

const MARK_TAG = /^recoup-(\d{1,2}):([\x21-\x7e]{1,60})$/
const MARK_CHUNK = 25
const MAX_USES = 2_000_000_000
/** Stands for an unreadable restriction: no address matches two stars. */
const UNKNOWN_RECIPIENT = '*?*'

const uses = field((input) => (typeof input === 'number' && input > 0 ? Math.min(Math.trunc(input), MAX_USES) : null))

const Discount = z.object({
  __typename: wireText(60),
  title: wireText(300),
  status: wireText(40),
  startsAt: wireInstant,
  endsAt: wireInstant,
  createdAt: wireInstant,
  updatedAt: wireInstant,
  tags: field((input) => (Array.isArray(input) ? input.slice(0, 300) : [])),
  usageLimit: uses,
  asyncUsageCount: uses,
  appliesOncePerCustomer: wireFlag,
  codes: z.unknown().optional(),
  combinesWith: wirePart,
  context: wirePart,
  minimumRequirement: wirePart,
  customerGets: wirePart,
})

type WireDiscount = z.infer<typeof Discount>

/** null: an automatic discount without a code. `code`: the one it was found by. */
export function readCoupon(raw: unknown, currency: string, code?: string): RowReading<PlatformCoupon> | null {
  const id = parseGid(getPath(raw, 'id'))
  const parsed = Discount.safeParse(getPath(raw, 'codeDiscount'))
  if (!id || !parsed.success) return skip(raw, 'not a discount')
  const wire = parsed.data
  if (!wire.__typename?.startsWith('DiscountCode')) return null
  const without = (reason: string) => ({ skipped: { id, reason } })
  const first = code ?? toPlainText(getPath(connection(wire.codes).nodes[0], 'code'), 200)
  if (!first) return without('no code')
  const minSpendMinor = readMinimum(wire, currency)
  const terms =
    minSpendMinor === 'other' ? { ...NO_TERMS, platformType: 'minimum_quantity' } : readTerms(wire, currency)
  if (!terms) return without('no amount')
  const limits = readLimits(wire)
  if (!limits) return without('too many restrictions')
  const { orderDiscounts, productDiscounts, shippingDiscounts } = wire.combinesWith
  return {
    row: {
      couponId: id,
      code: first,
      ...terms,
      minSpendMinor: minSpendMinor === 'other' ? null : minSpendMinor,
      maxSpendMinor: null,
      expiresAt: wire.endsAt,
      usageLimit: wire.usageLimit,
      usageLimitPerUser: wire.appliesOncePerCustomer ? 1 : null,
      usageCount: wire.asyncUsageCount ?? 0,
      // `endsAt` expresses the end; a later start means not yet active.
      isPublished: wire.status !== 'SCHEDULED',
      isIndividual: orderDiscounts === false && productDiscounts === false && shippingDiscounts === false,
      excludesSaleItems: false,
      limits,
      createdAt: wire.createdAt,
      modifiedAt: wire.updatedAt,
      mark: readMark(wire.tags),
    },
  }
}

type Terms = Pick<PlatformCoupon, 'type' | 'platformType' | 'percent' | 'amountMinor'>

const NO_TERMS = { type: 'other', percent: null, amountMinor: null } as const

/** null: an unreadable discount. */
function readTerms({ __typename: type, customerGets }: WireDiscount, currency: string): Terms | null {
  const value = getPath(customerGets, 'value')
  if (type !== 'DiscountCodeBasic') return { ...NO_TERMS, platformType: KINDS.get(type) ?? 'unknown' }
  if (getPath(value, '__typename') === 'DiscountPercentage') {
    const share = getPath(value, 'percentage')
    const percent = typeof share === 'number' ? Math.round(share * 10_000) : Number.NaN
    if (!(percent >= 0 && percent <= 10_000)) return null
    return { type: 'percentage', platformType: 'percentage', percent, amountMinor: null }
  }
  if (getPath(value, '__typename') !== 'DiscountAmount') return { ...NO_TERMS, platformType: 'on_quantity' }
  const amountMinor = toMinor(parseAmount(getPath(value, 'amount')), currency)
  if (amountMinor === null || amountMinor < 0) return null
  const isWhole = getPath(value, 'appliesOnEachItem') === false
  return {
    type: isWhole ? 'fixed' : 'other',
    platformType: isWhole ? 'fixed_amount' : 'fixed_each',
    percent: null,
    amountMinor,
  }
}

const KINDS = new Map<string | null, string>([
  ['DiscountCodeFreeShipping', 'free_shipping'],
  ['DiscountCodeBxgy', 'buy_x_get_y'],
  ['DiscountCodeApp', 'app'],
])

/** other: a minimum quantity, or an amount in another currency, so that the effect on a cart is unknown. */
function readMinimum({ minimumRequirement }: WireDiscount, currency: string): number | null | 'other' {
  if (minimumRequirement.__typename === undefined) return null
  const minor = toMinor(parseAmount(minimumRequirement.greaterThanOrEqualToSubtotal), currency)
  return minor === null ? 'other' : minor > 0 ? minor : null
}

/** null: more entries than were returned. A truncated restriction would be a different one. */
function readLimits({ customerGets, context }: WireDiscount): CouponLimits | null {
  const items = getPath(customerGets, 'items')
  const [products, variants, collections] = ['products', 'productVariants', 'collections'].map((name) =>
    connection(getPath(items, name)),
  )
  if (products!.hasNext || variants!.hasNext || collections!.hasNext) return null
  const ids = (nodes: readonly unknown[]) =>
    nodes.map((node) => parseGid(getPath(node, 'id'))).filter((id) => id !== null)
  return {
    productIds: ids([...products!.nodes, ...variants!.nodes]),
    excludedProductIds: [],
    categoryIds: ids(collections!.nodes),
    excludedCategoryIds: [],
    emails: readEmails(context),
    items: null,
  }
}

/** For customers with a hidden address, segments and markets: unknown restricted recipients. */
function readEmails(context: Record<string, unknown>): string[] {
  const type = context.__typename
  if (type === undefined || type === 'DiscountBuyerSelectionAll') return []
  const customers = Array.isArray(context.customers) ? context.customers.slice(0, 500) : [null]
  return customers.map(
    (each) => normalizeEmail(getPath(each, 'defaultEmailAddress', 'emailAddress')) ?? UNKNOWN_RECIPIENT,
  )
}

/** Reassembles the mark from its numbered chunks; null: not ours. */
function readMark(tags: readonly unknown[]): string | null {
  const chunks = tags.flatMap((tag) => {
    const match = typeof tag === 'string' ? MARK_TAG.exec(tag) : null
    return match ? [[Number(match[1]), match[2]!] as const] : []
  })
  const ordered = chunks.sort(([a], [b]) => a - b)
  const isWhole = ordered.length > 0 && ordered.every(([place], index) => place === index + 1)
  return isWhole
    ? ordered
        .map(([, chunk]) => chunk)
        .join('')
        .slice(0, 200)
    : null
}

function toTags(mark: string): string[] {
  const chunks = mark.match(new RegExp(`.{1,${MARK_CHUNK}}`, 'g')) ?? []
  return ['Recoup', ...chunks.map((chunk, index) => `recoup-${index + 1}:${chunk}`)]
}

const HOUR_MS = 3_600_000
/** Shopify's clock may be behind ours, so a code for now starts a little earlier. */
const LEAD_MS = 5 * 60_000

interface InputContext {
  now: Date
  /** The customer who may use the code; null: everyone. */
  customerId?: string | null
}

/** The mutation's input: only the given fields. A new discount has all of them. */
function couponInput(draft: CouponChange['draft'], { now, customerId }: InputContext): Record<string, unknown> {
  const { code, currency, minSpendMinor, expiresAt, usageLimit, isIndividual, email, mark } = draft
  const value = discountInput(draft)
  const start = chooseStart(draft, now)
  return {
    // Shoppers see the title.
    ...(code !== undefined && { code, title: code }),
    ...(value && { customerGets: { value, ...(mark !== undefined && { items: { all: true } }) } }),
    ...(minSpendMinor !== undefined && { minimumRequirement: minimumInput(minSpendMinor, currency) }),
    ...(start && { startsAt: start }),
    ...(expiresAt !== undefined && { endsAt: expiresAt === null ? null : formatSeconds(Date.parse(expiresAt)) }),
    ...(usageLimit !== undefined && { usageLimit }),
    ...(isIndividual !== undefined && { combinesWith: combining(!isIndividual) }),
    ...(email !== undefined && {
      context: customerId ? { customers: { add: [toCustomerGid(customerId)] } } : { all: 'ALL' },
    }),
    ...(mark !== undefined && { appliesOncePerCustomer: false, tags: toTags(mark) }),
  }
}

const toCustomerGid = (id: string) => `gid://shopify/Customer/${id}`

const combining = (may: boolean) => ({ orderDiscounts: may, productDiscounts: may, shippingDiscounts: may })

function minimumInput(minor: number | null, currency: string) {
  return minor ? { subtotal: { greaterThanOrEqualToSubtotal: decimalText(minor, currency) } } : null
}

function discountInput({ type, percent, amountMinor, currency }: CouponChange['draft']) {
  const isPercentage = type === 'percentage' || (type === undefined && percent != null)
  if (isPercentage && percent != null) return { percentage: percent / 10_000 }
  if (amountMinor == null) return null
  return { discountAmount: { amount: decimalText(amountMinor, currency), appliesOnEachItem: false } }
}

/** Start of a new discount: as given, else now. An ended discount must start before its end. */
function chooseStart({ startsAt, expiresAt, mark }: CouponChange['draft'], now: Date): string | null {
  const end = expiresAt ? Date.parse(expiresAt) : Number.POSITIVE_INFINITY
  const startTime = startsAt ? Date.parse(startsAt) : now.getTime() - LEAD_MS
  if (end <= startTime) return formatSeconds(end - HOUR_MS)
  return mark === undefined && startsAt === undefined ? null : formatSeconds(startTime)
}

const formatSeconds = (time: number): string => `${new Date(time).toISOString().slice(0, 19)}Z`

/** The first value that the store changed; null: none. */
function findChange(draft: CouponChange['draft'], stored: PlatformCoupon): string | null {
  const emails = draft.email === undefined ? undefined : draft.email === null ? [] : [draft.email.toLowerCase()]
  const expiry = draft.expiresAt ? formatSeconds(Date.parse(draft.expiresAt)) : draft.expiresAt
  const pairs: [string, unknown, unknown][] = [
    ['code', draft.code?.toLowerCase(), stored.code.toLowerCase()],
    ['type', draft.type, stored.type],
    ['amount', draft.percent ?? draft.amountMinor ?? undefined, stored.percent ?? stored.amountMinor],
    ['minimum spend', draft.minSpendMinor, stored.minSpendMinor],
    ['end date', expiry, stored.expiresAt],
    ['usage limit', draft.usageLimit, stored.usageLimit],
    ['individual use', draft.isIndividual, stored.isIndividual],
    ['customer', emails?.join(), stored.limits.emails.join()],
    ['tags', draft.mark, stored.mark],
    // A later start is intended, not a difference.
    ['status', draft.mark === undefined || draft.startsAt ? undefined : true, stored.isPublished],
  ]
  return pairs.find(([, sent, current]) => sent !== undefined && sent !== current)?.[0] ?? null
}

/** 1050 in a currency with cents: "10.50". */
function decimalText(minor: number, currency: string): string {
  const digits = getCurrencyExponent(currency)
  const text = String(minor).padStart(digits + 1, '0')
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
}
