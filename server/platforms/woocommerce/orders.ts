import {
  isRecord,
  type OrderPage,
  type OrderQuery,
  type PlatformOrder,
  parseGmt,
  readRows,
  StoreProblem,
} from '../platform/public.ts'
import { getErrorCode, isSuccess, type WooAnswer, type WooHttp, type WooQuery } from './http.ts'
import { ORDER_FIELDS, readOrder } from './wire.ts'

// The order pull. It sends no `status`: the default (`any`) lists drafts and custom statuses, while a status unknown to
// the store fails the whole request. Every store knows `pending`, and `trash`, which is in no such list.
//
// Paging. The list ascends by modification, and an order changed during the pull moves to its end: with page=2, 3 …
// every such move shifts an unread order back across the page boundary, where it is missed. So a full page is followed
// by a new first page that starts at its last second (`modified_after` is exclusive, with a resolution of one second).
// Only when one second alone fills a page (bulk edits) is that second paged by id, and again if it shrank meanwhile.

const MAX_PAGES = 20_000
const SECOND_ATTEMPTS = 3

interface Listing {
  answer: WooAnswer
  raw: unknown[]
  isLast: boolean
  total: number | null
  totalPages: number
  /** The latest modification second on the page. */
  latest: number | null
}

interface Pull {
  http: WooHttp
  query: OrderQuery
  pageSize: number
  /** Orders of the boundary second that were already returned, so that each is returned once. */
  counts: Map<string, number>
  page: number
}

export async function* pullOrders(http: WooHttp, query: OrderQuery): AsyncGenerator<OrderPage> {
  const pull: Pull = { http, query, pageSize: boundedSize(query.pageSize), counts: new Map(), page: 0 }
  // Exclusive bound: one second earlier to include the given one, one more for stores that round up.
  let after = toSecond(query.modifiedSince) - 2
  while (pull.page < MAX_PAGES) {
    const listing = await listOrders(pull, [['modified_after', wallTime(after)], ...ORDER_BY_TIME], 1)
    yield nextPage(pull, listing, listing.isLast)
    if (listing.isLast) return
    after = yield* advance(pull, listing, after)
    await http.pause(query.signal)
  }
  throw new StoreProblem('bad_answer', 'the list of orders does not end')
}

const ORDER_BY_TIME: WooQuery = [
  ['orderby', 'modified'],
  ['order', 'asc'],
]

/** The bound for the page after a full one. */
async function* advance(pull: Pull, listing: Listing, after: number): AsyncGenerator<OrderPage, number> {
  if (listing.latest === null || listing.latest <= after) {
    throw new StoreProblem('bad_answer', 'orders are not listed by time of modification')
  }
  if (listing.latest - 1 > after) return listing.latest - 1
  yield* pullSecond(pull, listing.latest)
  return listing.latest
}

async function* pullSecond(pull: Pull, second: number): AsyncGenerator<OrderPage> {
  const window: WooQuery = [
    ['modified_after', wallTime(second - 1)],
    ['modified_before', wallTime(second + 1)],
    ['orderby', 'id'],
    ['order', 'asc'],
  ]
  for (let attempt = 0; attempt < SECOND_ATTEMPTS; attempt += 1) {
    let total: number | null = null
    let hasShrunk = false
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      await pull.http.pause(pull.query.signal)
      const listing: Listing = await listOrders(pull, window, page)
      hasShrunk ||= total !== null && listing.total !== null && listing.total < total
      total = listing.total
      yield nextPage(pull, listing, false)
      if (listing.isLast) break
    }
    if (!hasShrunk) return
  }
}

async function listOrders(pull: Pull, bounds: WooQuery, page: number): Promise<Listing> {
  const { list = 'all' } = pull.query
  const query: WooQuery = [
    ...bounds,
    ...(list === 'all' ? [] : ([['status', list]] as const)),
    ['dates_are_gmt', 'true'],
    ['per_page', String(pull.pageSize)],
    ['page', String(page)],
    ['_fields', ORDER_FIELDS],
  ]
  const answer = await pull.http.send({ path: '/orders', query, signal: pull.query.signal })
  const raw = readList(answer)
  const totalPages = countHeader(answer, 'x-wp-totalpages')
  return {
    answer,
    raw,
    // A short page may not be the last: rows hidden from the key are removed after counting.
    isLast: totalPages === null ? raw.length < pull.pageSize : page >= totalPages,
    total: countHeader(answer, 'x-wp-total'),
    totalPages: totalPages ?? 1,
    latest: latestSecond(raw),
  }
}

function nextPage(pull: Pull, listing: Listing, isLast: boolean): OrderPage {
  const { rows, skipped } = readRows(listing.raw, readOrder)
  const fresh = rows.filter((row) => pull.counts.get(row.orderId) !== toSecond(row.modifiedAt))
  for (const row of fresh) pull.counts.set(row.orderId, toSecond(row.modifiedAt))
  forgetBefore(pull.counts, listing.latest)
  pull.page += 1
  return {
    rows: fresh,
    skipped,
    page: pull.page,
    totalPages: pull.page + (isLast ? 0 : Math.max(listing.totalPages - 1, 1)),
    isLast,
    resumeFrom: listing.latest === null ? null : `${wallTime(listing.latest)}Z`,
  }
}

function forgetBefore(counts: Map<string, number>, second: number | null): void {
  if (second === null) return
  for (const [id, modified] of counts) if (modified < second) counts.delete(id)
}

export async function readSingleOrder(
  http: WooHttp,
  orderId: string,
  signal?: AbortSignal,
): Promise<PlatformOrder | null> {
  const path = `/orders/${orderId}`
  const answer = await http.ask({ path, query: [['_fields', ORDER_FIELDS]], ...(signal && { signal }) })
  if (answer.status === 404 && isRecord(answer.body) && getErrorCode(answer) !== 'rest_no_route') return null
  if (!isSuccess(answer)) throw http.problem(answer)
  const reading = readOrder(answer.body)
  if ('row' in reading) return reading.row
  throw new StoreProblem('bad_answer', `order ${orderId}: ${reading.skipped.reason}`)
}

/** A page has 100 rows at most. Millions of small rows in a 25 MB response would block this process for a minute. */
const MAX_ROWS = 1_000

export function readList(answer: WooAnswer): unknown[] {
  const list = Array.isArray(answer.body) ? answer.body : listWithGaps(answer.body)
  if (list === null) throw new StoreProblem('bad_answer', 'a list was expected')
  if (list.length > MAX_ROWS) throw new StoreProblem('bad_answer', `a list of ${list.length} rows`)
  return list
}

/** PHP turns a list with gaps in its keys into an object; some plugins that filter lists cause this. */
function listWithGaps(body: unknown): unknown[] | null {
  if (!isRecord(body)) return null
  const entries = Object.entries(body)
  return entries.length > MAX_ROWS || entries.every(([key]) => /^\d+$/.test(key)) ? Object.values(body) : null
}

export function countHeader(answer: WooAnswer, name: string): number | null {
  const value = answer.headers[name]
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : null
}

export function latestSecond(raw: readonly unknown[]): number | null {
  const seconds = raw.map((one) => (isRecord(one) ? parseGmt(one.date_modified_gmt) : null)).filter((at) => at !== null)
  return seconds.length === 0 ? null : seconds.reduce((latest, at) => Math.max(latest, toSecond(at)), 0)
}

function toSecond(instant: string): number {
  return Math.floor(Date.parse(instant) / 1000)
}

/**
 * UTC without a zone: with `dates_are_gmt` WooCommerce reads it as UTC; a "Z" without it would be read as store time.
 */
function wallTime(second: number): string {
  return new Date(second * 1000).toISOString().slice(0, 19)
}

function boundedSize(size = 100): number {
  return Math.min(Math.max(Math.trunc(size), 1), 100)
}
