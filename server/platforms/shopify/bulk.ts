import { z } from 'zod'
import type { StoreNet } from '../platform/access.ts'
import type { OrderPage, OrderQuery, PlatformOrder, SkippedRow } from '../platform/platform.ts'
import { field, type RowReading, readRows, wireText } from '../platform/row.ts'
import { StoreProblem } from '../platform/store-problem.ts'
import { isRecord, webAddress } from '../platform/text.ts'
import { at, wireInstant } from './fields.ts'
import type { Graph } from './graph.ts'
import { readJsonLines } from './jsonl.ts'
import { BULK_RUN } from './mutations.ts'
import { readDiscounts, readOrder } from './order-wire.ts'
import { userErrors } from './problems.ts'
import { BULK_BY_ID, BULK_RECENT, changedSince, ORDERS, ordersInBulk } from './queries.ts'
import { pause } from './throttle.ts'

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
  url: field(webAddress),
})

type Operation = z.infer<typeof Operation>

/** Where the page pull continues. */
interface Place {
  modifiedSince: string
  page: number
}

/** These pages have no time order, so no position is reported before the last one. */
export async function* ordersByBulk(graph: Graph, net: StoreNet, query: OrderQuery): AsyncGenerator<OrderPage, Place> {
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
  await graph.read(ORDERS, { query: changedSince(query.modifiedSince), first: 1, after: null }, query.signal)
  const recent = await graph.read(BULK_RECENT, {}, query.signal)
  const nodes = at(recent.data.bulkOperations, 'nodes')
  const known = (Array.isArray(nodes) ? nodes.slice(0, 10) : []).map(parseOperation)
  const kept = known.filter((each) => each !== null).find((each) => isReusable(each, { net, query, graph }))
  if (kept) return kept
  const text = ordersInBulk(changedSince(query.modifiedSince), graph.flags)
  const { data } = await graph.write(BULK_RUN, { query: text })
  const [refusal] = userErrors(data.bulkOperationRunQuery)
  if (refusal) throw new StoreProblem('shopify_bad_answer', refusal.words)
  const made = parseOperation(at(data.bulkOperationRunQuery, 'bulkOperation'))
  if (!made) throw new StoreProblem('shopify_bad_answer', 'no operation was begun')
  return made
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
  const isSame = collapseSpaces(text) === collapseSpaces(ordersInBulk(changedSince(since), graph.flags))
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
  const nodes = at(list, 'nodes') as unknown[]
  if (nodes.length < MAX_LINES) nodes.push(value)
}

function readWhole(raw: unknown): RowReading<PlatformOrder> {
  const reading = readOrder(raw)
  if ('row' in reading && reading.row.coupons.length > 0) {
    reading.row.discounts = readDiscounts(raw, reading.row.currency)
  }
  return reading
}
