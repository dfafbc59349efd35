import { z } from 'zod'
import { FetchProblem, type GuardedAnswer } from '../../core/net/public.ts'
import {
  field,
  isRecord,
  type OrderPage,
  type OrderQuery,
  type PlatformOrder,
  parseId,
  parseWebAddress,
  type RowReading,
  readRows,
  type SkippedRow,
  type StoreNet,
  StoreProblem,
  toFetchProblem,
  wireText,
} from '../platform/public.ts'
import { formatGid, getPath, parseGid, wireInstant } from './fields.ts'
import type { Graph } from './graph.ts'
import { type LinesQuery, loadAllLines } from './lines.ts'
import { readChunks } from './lists.ts'
import { BULK_RUN } from './mutations.ts'
import { readDiscounts, readOrder } from './order-wire.ts'
import { userErrors } from './problems.ts'
import {
  BULK_BY_ID,
  BULK_RECENT,
  buildBulkOrders,
  buildChangedSince,
  ORDER_BY_ID,
  ORDER_DISCOUNTS,
  ORDER_ITEMS,
  ORDERS,
  ORDERS_COUNT,
} from './queries.ts'
import { pause } from './throttle.ts'

// The order pull. Orders are listed by time of change. A cursor holds a time and an id: an order that changes
// during the pull moves to the end and is returned again.

/** Above this number a bulk operation reads them, which costs no points. */
const MANY = 5_000
/** A pull over a shorter period skips the count: the order check is one query. */
const RECENT_MS = 3 * 86_400_000
/** The search index lags: very recent changes are returned by the next pull. */
const LAG_MS = 3 * 60_000
const MAX_DISCOUNTED = 6

export async function* pullOrders(graph: Graph, net: StoreNet, query: OrderQuery): AsyncGenerator<OrderPage> {
  // Shopify has no trash: a deleted order is in no list. No order is pending either (`orderKind`).
  if (query.list === 'trash' || query.list === 'pending')
    return yield { rows: [], skipped: [], page: 1, totalPages: 1, isLast: true, resumeFrom: null }
  let place = { modifiedSince: query.modifiedSince, page: 0 }
  if (await isMany(graph, net, query)) place = yield* ordersByBulk(graph, net, query)
  yield* pullPages(graph, net, { query, place })
}

async function isMany(graph: Graph, net: StoreNet, { modifiedSince, signal }: OrderQuery): Promise<boolean> {
  if (net.now().getTime() - Date.parse(modifiedSince) < RECENT_MS) return false
  const variables = { query: buildChangedSince(modifiedSince), limit: MANY + 1 }
  const { data } = await graph.read(ORDERS_COUNT, variables, signal)
  const count = getPath(data.ordersCount, 'count')
  return typeof count === 'number' && count > MANY
}

interface Pull {
  query: OrderQuery
  /** Where it begins, and the number of earlier pages. */
  place: { modifiedSince: string; page: number }
}

async function* pullPages(graph: Graph, net: StoreNet, { query, place }: Pull): AsyncGenerator<OrderPage> {
  const max = Math.min(Math.max(Math.trunc(query.pageSize ?? 100), 1), 100)
  const since = formatInstant(new Date(Date.parse(place.modifiedSince) - LAG_MS).toISOString())
  const list = {
    document: ORDERS,
    root: 'orders',
    signal: query.signal,
    variables: { query: buildChangedSince(since) },
    sizes: { first: Math.min(max, 10), max },
  }
  let { page } = place
  let earliest = since
  for await (const { nodes, hasNext } of readChunks(graph, list)) {
    const { rows, skipped } = readRows(await wholeOrders(graph, nodes, query.signal), readOrder)
    await addDiscounts(graph, rows, query.signal)
    page += 1
    const times = rows.map(({ modifiedAt }) => modifiedAt).sort()
    // Otherwise a pull that continues there would miss some.
    if ((times[0] ?? earliest) < earliest) {
      throw new StoreProblem('shopify_bad_answer', 'orders are not listed by time of change')
    }
    earliest = times[0] ?? earliest
    const position = { page, totalPages: page + (hasNext ? 1 : 0), isLast: !hasNext }
    yield { rows, skipped, ...position, resumeFrom: settledAt(times, net.now()) }
  }
}

/** A row may change after the list was sorted; one this old has not. */
const SETTLED_MS = 5 * 60_000

/** The latest time of a page in ascending order before which no order can be missing. */
function settledAt(times: readonly string[], now: Date): string | null {
  const settled = formatInstant(new Date(now.getTime() - SETTLED_MS).toISOString())
  return times.findLast((time) => time <= settled) ?? times[0] ?? null
}

const formatInstant = (instant: string): string => `${new Date(instant).toISOString().slice(0, 19)}Z`

const buildLinesQuery = (graph: Graph, signal: AbortSignal | undefined): LinesQuery => ({
  graph,
  signal,
  document: ORDER_ITEMS,
  root: 'order',
  type: 'Order',
})

async function wholeOrders(graph: Graph, nodes: readonly unknown[], signal: AbortSignal | undefined) {
  const whole: unknown[] = []
  for (const node of nodes) whole.push(await loadAllLines(buildLinesQuery(graph, signal), node))
  return whole
}

/** Few orders have a code, so discounts are read for those alone. */
async function addDiscounts(graph: Graph, rows: readonly PlatformOrder[], signal: AbortSignal | undefined) {
  const discounted = rows.filter(({ coupons }) => coupons.length > 0)
  for (let start = 0; start < discounted.length; start += MAX_DISCOUNTED) {
    const some = discounted.slice(start, start + MAX_DISCOUNTED)
    const ids = some.map(({ orderId }) => formatGid('Order', orderId))
    const { data } = await graph.read(ORDER_DISCOUNTS, { ids }, signal)
    const nodes = Array.isArray(data.nodes) ? data.nodes : []
    for (const order of some) {
      const node = nodes.find((each) => parseGid(getPath(each, 'id')) === order.orderId)
      // With more lines than were returned, the discount is unknown.
      if (node && getPath(node, 'lineItems', 'pageInfo', 'hasNextPage') !== true) {
        order.discounts = readDiscounts(node, order.currency)
      }
    }
  }
}

export async function readSingleOrder(
  graph: Graph,
  orderId: string,
  signal?: AbortSignal,
): Promise<PlatformOrder | null> {
  const id = parseId(orderId)
  if (!id) return null
  const { data } = await graph.read(ORDER_BY_ID, { id: formatGid('Order', id) }, signal)
  if (data.order === null || data.order === undefined) return null
  const reading = readOrder(await loadAllLines(buildLinesQuery(graph, signal), data.order))
  if ('skipped' in reading) throw new StoreProblem('shopify_bad_answer', `order ${id}: ${reading.skipped.reason}`)
  await addDiscounts(graph, [reading.row], signal)
  return reading.row
}

// Reads very many orders by a bulk operation: Shopify runs the query without using points and stores the result as a
// file. A normal pull follows and reads changes made meanwhile, or everything after a failure.

const POLL_MS = 3_000
const MAX_RUN_MS = 12 * 3_600_000
/** How long an operation of an interrupted pull can be reused. */
const REUSE_MS = 24 * 3_600_000
/** An operation sees the store as of its start or slightly earlier. */
const OVERLAP_MS = 5 * 60_000
const PAGE = 100
const MAX_LINES = 500

const Operation = z.object({
  id: z.string().max(200),
  status: wireText(40),
  createdAt: wireInstant.pipe(z.string()),
  query: field((input) => (typeof input === 'string' ? input.slice(0, 20_000) : '')),
  url: field(parseWebAddress),
})

type Operation = z.infer<typeof Operation>

/** Where the page pull continues. */
interface Place {
  modifiedSince: string
  page: number
}

/** These pages have no time order, so no position is reported before the last one. */
async function* ordersByBulk(graph: Graph, net: StoreNet, query: OrderQuery): AsyncGenerator<OrderPage, Place> {
  let page = 0
  try {
    const operation = await findOrStartOperation(graph, net, query)
    for await (const { rows, skipped } of operationRows(graph, net, { operation, query })) {
      page += 1
      yield { rows, skipped, page, totalPages: page + 1, isLast: false, resumeFrom: null }
    }
    return { modifiedSince: startTime(operation.createdAt, query), page }
  } catch (error) {
    if (!(error instanceof StoreProblem) || query.signal?.aborted) throw error
    return { modifiedSince: query.modifiedSince, page }
  }
}

function startTime(createdAt: string, { modifiedSince }: OrderQuery): string {
  const after = new Date(Date.parse(createdAt) - OVERLAP_MS).toISOString()
  return after > new Date(modifiedSince).toISOString() ? after : modifiedSince
}

/** The operation of an earlier attempt with the same query, else a new one. */
async function findOrStartOperation(graph: Graph, net: StoreNet, query: OrderQuery): Promise<Operation> {
  // Missing permissions show up in a small query; the operation itself would only fail.
  await graph.read(ORDERS, { query: buildChangedSince(query.modifiedSince), first: 1, after: null }, query.signal)
  const recent = await graph.read(BULK_RECENT, {}, query.signal)
  const nodes = getPath(recent.data.bulkOperations, 'nodes')
  const known = (Array.isArray(nodes) ? nodes.slice(0, 10) : []).map(parseOperation)
  const reusable = known.filter((each) => each !== null).find((each) => isReusable(each, { net, query, graph }))
  if (reusable) return reusable
  const text = buildBulkOrders(buildChangedSince(query.modifiedSince), graph.flags)
  const { data } = await graph.write(BULK_RUN, { query: text })
  const [refusal] = userErrors(data.bulkOperationRunQuery)
  if (refusal) throw new StoreProblem('shopify_bad_answer', refusal.message)
  const operation = parseOperation(getPath(data.bulkOperationRunQuery, 'bulkOperation'))
  if (!operation) throw new StoreProblem('shopify_bad_answer', 'no operation was begun')
  return operation
}

interface OperationQuery {
  graph: Graph
  net: StoreNet
  query: OrderQuery
}

/** The operation covers the period, has the same query and is recent. */
function isReusable({ status, createdAt, query: text }: Operation, { graph, net, query }: OperationQuery): boolean {
  if (!['CREATED', 'RUNNING', 'COMPLETED'].includes(status ?? '')) return false
  const since = /updated_at:>='([^']{1,40})'/.exec(text)?.[1]
  if (!since || Number.isNaN(Date.parse(since)) || Date.parse(since) > Date.parse(query.modifiedSince)) return false
  const isSame = collapseSpaces(text) === collapseSpaces(buildBulkOrders(buildChangedSince(since), graph.flags))
  return isSame && net.now().getTime() - Date.parse(createdAt) < REUSE_MS
}

const collapseSpaces = (text: string): string => text.replace(/\s+/g, ' ').trim()

function parseOperation(raw: unknown): Operation | null {
  const parsed = Operation.safeParse(raw)
  return parsed.success ? parsed.data : null
}

interface Rows {
  rows: PlatformOrder[]
  skipped: SkippedRow[]
}

/** Yields empty pages while the operation runs, as a sign of progress, then those of its file. */
async function* operationRows(
  graph: Graph,
  net: StoreNet,
  { operation, query }: { operation: Operation; query: OrderQuery },
): AsyncGenerator<Rows> {
  const since = net.now().getTime()
  let state: Operation | null = operation
  while (state?.status === 'CREATED' || state?.status === 'RUNNING') {
    if (net.now().getTime() - since > MAX_RUN_MS) break
    yield { rows: [], skipped: [] }
    await pause(net, POLL_MS, query.signal)
    const { data } = await graph.read(BULK_BY_ID, { id: operation.id }, query.signal)
    state = parseOperation(data.bulkOperation)
  }
  if (state?.status !== 'COMPLETED') throw new StoreProblem('shopify_bad_answer', 'the operation did not end well')
  // An empty result has no file.
  if (state.url) yield* pagesIn(readJsonLines(net, { url: state.url, signal: query.signal }))
}

/** Each order is followed by its lines. */
async function* pagesIn(values: AsyncIterable<unknown>): AsyncGenerator<Rows> {
  let open: Record<string, unknown> | null = null
  let pending: unknown[] = []
  for await (const value of values) {
    if (isRecord(value) && value.__typename === 'Order') {
      if (open) pending.push(open)
      open = { ...value, lineItems: { nodes: [] }, discountApplications: { nodes: [] } }
    } else addTo(open, value)
    if (pending.length === PAGE) {
      yield readRows(pending, readWhole)
      pending = []
    }
  }
  if (open) pending.push(open)
  yield readRows(pending, readWhole)
}

function addTo(open: Record<string, unknown> | null, value: unknown): void {
  if (!open || !isRecord(value) || value.__parentId !== open.id) {
    throw new StoreProblem('shopify_bad_answer', 'a line in the file of orders belongs to no order')
  }
  const list = value.__typename === 'LineItem' ? open.lineItems : open.discountApplications
  const nodes = getPath(list, 'nodes') as unknown[]
  if (nodes.length < MAX_LINES) nodes.push(value)
}

function readWhole(raw: unknown): RowReading<PlatformOrder> {
  const reading = readOrder(raw)
  if ('row' in reading && reading.row.coupons.length > 0) {
    reading.row.discounts = readDiscounts(raw, reading.row.currency)
  }
  return reading
}

// Reads a JSONL file of any length in chunks. Memory holds one chunk and one line.

const PIECE = 4 * 1024 * 1024
const MAX_LINE_BYTES = 4 * 1024 * 1024
const MAX_CHUNKS = 5_000
const NEWLINE = 0x0a

interface LinesFile {
  url: string
  pieceBytes?: number
  signal?: AbortSignal | undefined
}

/** Values in order; an invalid line is `undefined`. The URL is public, so no key is sent. */
export async function* readJsonLines(net: StoreNet, file: LinesFile): AsyncGenerator<unknown> {
  const size = file.pieceBytes ?? PIECE
  let rest = Buffer.alloc(0)
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk += 1) {
    const { bytes, isLast } = await readChunk(net, file, { from: chunk * size, size })
    const text = Buffer.concat([rest, bytes])
    const end = text.lastIndexOf(NEWLINE) + 1
    yield* valuesIn(text.subarray(0, end))
    rest = text.subarray(end)
    if (isLast) return yield* valuesIn(rest)
    if (rest.length > MAX_LINE_BYTES) break
  }
  throw new StoreProblem('shopify_bad_answer', 'a file of orders that does not end')
}

function* valuesIn(text: Buffer): Generator<unknown> {
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf(NEWLINE, start)
    const end = found < 0 ? text.length : found
    const line = text.toString('utf8', start, end).trim()
    if (line !== '') yield parse(line)
    start = end + 1
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

async function readChunk(net: StoreNet, { url, signal }: LinesFile, { from, size }: { from: number; size: number }) {
  const answer = await ask(net, url, {
    // A range of a compressed file would be a range of other bytes.
    headers: { range: `bytes=${from}-${from + size - 1}`, 'accept-encoding': 'identity' },
    ...(signal ? { signal } : {}),
  })
  // Beyond the end: the previous chunk ended exactly there.
  if (answer.status === 416 && from > 0) return { bytes: Buffer.alloc(0), isLast: true }
  // No range support: this is the whole file.
  if (answer.status === 200 && from === 0) return { bytes: answer.body, isLast: true }
  if (answer.status !== 206)
    throw new StoreProblem('shopify_bad_answer', `status ${answer.status} for a file of orders`)
  const total = /^bytes \d{1,15}-\d{1,15}\/(\d{1,15})$/.exec(answer.headers['content-range'] ?? '')?.[1]
  const isLast = total === undefined ? answer.body.length < size : from + answer.body.length >= Number(total)
  if (answer.body.length === 0 && !isLast)
    throw new StoreProblem('shopify_bad_answer', 'an empty piece of a file of orders')
  return { bytes: answer.body.subarray(0, size), isLast }
}

async function ask(net: StoreNet, url: string, request: Parameters<StoreNet['fetch']>[1]): Promise<GuardedAnswer> {
  try {
    return await net.fetch(url, request)
  } catch (error) {
    if (!(error instanceof FetchProblem) || error.kind !== 'connection_lost') throw toFetchProblem(error)
  }
  try {
    return await net.fetch(url, request)
  } catch (error) {
    throw toFetchProblem(error)
  }
}
