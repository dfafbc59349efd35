import { normalizeEmail } from '../../../shared/contact.ts'
import type { StoreNet } from '../platform/access.ts'
import type {
  CouponChange,
  CouponChangeResult,
  CouponDraft,
  CouponResult,
  CouponsById,
  PlatformCoupon,
} from '../platform/coupon.ts'
import type { Page } from '../platform/platform.ts'
import { StoreProblem } from '../platform/store-problem.ts'
import { parseId } from '../platform/text.ts'
import { couponInput, findChange, readCoupon } from './coupon-wire.ts'
import { at, connection, formatGid, parseGid } from './fields.ts'
import type { Graph } from './graph.ts'
import { numberedPages } from './lists.ts'
import { DISCOUNT_CREATE, DISCOUNT_DELETE, DISCOUNT_UPDATE } from './mutations.ts'
import { type UserError, userErrors } from './problems.ts'
import {
  CUSTOMER_BY_EMAIL,
  changedSince,
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
export function couponUrl(storeUrl: string, couponId: string): string {
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
  const changed = modifiedSince === undefined ? [] : [changedSince(modifiedSince)]
  const variables = { query: ['method:code', ...changed].join(' AND ') }
  const root = 'discountNodes'
  return numberedPages(graph, {
    ...{ firstPage, pageSize: PAGE_SIZE, read: (raw) => readCoupon(raw, currency) },
    query: { document: DISCOUNTS, root, variables, sizes: { first: BATCH_SIZE, most: PAGE_SIZE }, signal },
    past: { document: DISCOUNTS_PAST, root, variables, sizes: { first: 250, most: 250 }, signal },
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
  const made: CouponResult[] = []
  for (const draft of drafts) made.push(await createCoupon(graph, net, draft))
  return made
}

async function createCoupon(graph: Graph, net: StoreNet, draft: CouponDraft): Promise<CouponResult> {
  const owner = await findOwner(graph, draft.email)
  if (owner === 'unknown') return { refusal: 'refused', words: NOBODY }
  const input = couponInput(draft, { now: net.now(), customerId: owner })
  const { data } = await graph.write(DISCOUNT_CREATE, { input })
  const errors = userErrors(data.discountCodeBasicCreate)
  if (errors.length > 0) return toRefusal(errors)
  const id = parseGid(at(data.discountCodeBasicCreate, 'codeDiscountNode', 'id'))
  if (!id) throw new StoreProblem('shopify_bad_answer', 'the answer names no discount')
  const stored = await readBack(graph, { id, draft })
  if ('coupon' in stored) return stored
  await deleteCoupons(graph, [id])
  return stored
}

const NOBODY = 'The store has no customer with this email address, so the code cannot be theirs alone.'

/** null: everyone. */
async function findOwner(graph: Graph, email: string | null | undefined): Promise<string | null | 'unknown'> {
  if (email == null) return null
  const wanted = normalizeEmail(email)
  if (!wanted || !graph.flags.customers || !graph.flags.emails) return 'unknown'
  const { data } = await graph.read(CUSTOMER_BY_EMAIL, { query: `email:${JSON.stringify(wanted)}` })
  const nodes = connection(data.customers).nodes
  const isSame = (node: unknown) => normalizeEmail(at(node, 'defaultEmailAddress', 'emailAddress')) === wanted
  return parseGid(at(nodes.find(isSame), 'id')) ?? 'unknown'
}

interface SentDiscount {
  id: string
  draft: CouponChange['draft']
}

/** The stored discount, or the value that differs from what was sent. */
async function readBack(
  graph: Graph,
  { id, draft }: SentDiscount,
): Promise<{ coupon: PlatformCoupon } | { refusal: 'refused'; words: string }> {
  const { rows, skipped } = await readCouponsById(graph, { ids: [id], currency: draft.currency })
  const [coupon] = rows
  if (!coupon)
    return { refusal: 'refused', words: `The store’s answer cannot be read: ${skipped[0]?.reason ?? 'it is gone'}.` }
  const wrong = findChange(draft, coupon)
  return wrong ? { refusal: 'refused', words: `The store did not keep what was sent (${wrong}).` } : { coupon }
}

const DUPLICATES = new Set(['TAKEN', 'DUPLICATE', 'IMPLICIT_DUPLICATE'])

function toRefusal(errors: readonly UserError[]): { refusal: 'duplicate' | 'refused'; words: string } {
  const duplicate = errors.find(({ code }) => DUPLICATES.has(code))
  return { refusal: duplicate ? 'duplicate' : 'refused', words: (duplicate ?? errors[0]!).words }
}

/** Changes only the given fields. */
export async function updateCoupon(
  graph: Graph,
  net: StoreNet,
  { id, draft }: CouponChange,
): Promise<CouponChangeResult> {
  const gone: CouponChangeResult = { refusal: 'gone', words: 'The store has no such discount.' }
  if (!parseId(id)) return gone
  const owner = await findOwner(graph, draft.email)
  if (owner === 'unknown') return { refusal: 'refused', words: NOBODY }
  const input = couponInput(draft, { now: net.now(), customerId: owner })
  const { data } = await graph.write(DISCOUNT_UPDATE, { id: formatGid('DiscountCodeNode', id), input })
  const errors = userErrors(data.discountCodeBasicUpdate)
  if (errors.length === 0) return readBack(graph, { id, draft })
  return (await exists(graph, id)) ? toRefusal(errors) : gone
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
    const deleted = parseGid(at(data.discountCodeDelete, 'deletedCodeDiscountId'))
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
