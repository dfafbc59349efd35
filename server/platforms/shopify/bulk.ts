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
import { discountsOf, readOrder } from './order-wire.ts'
import { userErrors } from './problems.ts'
import { BULK_BY_ID, BULK_RECENT, changedSince, ORDERS, ordersInBulk } from './queries.ts'
import { pause } from './throttle.ts'

// Very many orders: Shopify runs the query by itself, without points, and lays the result down as a file. Orders that change while it
// runs are in the pull that follows. Whatever goes wrong with it, that pull reads everything.

const POLL_MS = 3_000
const LONGEST_RUN_MS = 12 * 3_600_000
/** What a pull that broke off had asked for is good for so long. */
const KEPT_MS = 24 * 3_600_000
/** An operation sees the store as it was when it began, or a little before. */
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

/** Where the pull of pages goes on. */
interface Place {
  modifiedSince: string
  page: number
}

/** Pages in no order of time, so nothing is said of where to go on until the last of them was read. */
export async function* ordersByBulk(graph: Graph, net: StoreNet, query: OrderQuery): AsyncGenerator<OrderPage, Place> {
  let page = 0
  try {
    const operation = await operationFor(graph, net, query)
    for await (const { rows, skipped } of rowsOf(graph, net, { operation, query })) {
      page += 1
      yield { rows, skipped, page, totalPages: page + 1, isLast: false, resumeFrom: null }
    }
    return { modifiedSince: from(operation.createdAt, query), page }
  } catch (error) {
    if (!(error instanceof StoreProblem) || query.signal?.aborted) throw error
    return { modifiedSince: query.modifiedSince, page }
  }
}

function from(createdAt: string, { modifiedSince }: OrderQuery): string {
  const after = new Date(Date.parse(createdAt) - OVERLAP_MS).toISOString()
  return after > new Date(modifiedSince).toISOString() ? after : modifiedSince
}

/** One that runs or ran for an earlier try of the same; else a new one. */
async function operationFor(graph: Graph, net: StoreNet, query: OrderQuery): Promise<Operation> {
  // What the app may not read is found out by asking; the operation itself would only fail.
  await graph.read(ORDERS, { query: changedSince(query.modifiedSince), first: 1, after: null }, query.signal)
  const recent = await graph.read(BULK_RECENT, {}, query.signal)
  const nodes = at(recent.data.bulkOperations, 'nodes')
  const known = (Array.isArray(nodes) ? nodes.slice(0, 10) : []).map(operationOf)
  const kept = known.filter((each) => each !== null).find((each) => isGood(each, { net, query, graph }))
  if (kept) return kept
  const text = ordersInBulk(changedSince(query.modifiedSince), graph.flags)
  const { data } = await graph.write(BULK_RUN, { query: text })
  const [refusal] = userErrors(data.bulkOperationRunQuery)
  if (refusal) throw new StoreProblem('shopify_bad_answer', refusal.words)
  const made = operationOf(at(data.bulkOperationRunQuery, 'bulkOperation'))
  if (!made) throw new StoreProblem('shopify_bad_answer', 'no operation was begun')
  return made
}

interface Wanted {
  graph: Graph
  net: StoreNet
  query: OrderQuery
}

/** It reached at least as far back, asked for the same, and is young. */
function isGood({ status, createdAt, query: text }: Operation, { graph, net, query }: Wanted): boolean {
  if (!['CREATED', 'RUNNING', 'COMPLETED'].includes(status ?? '')) return false
  const since = /updated_at:>='([^']{1,40})'/.exec(text)?.[1]
  if (!since || Number.isNaN(Date.parse(since)) || Date.parse(since) > Date.parse(query.modifiedSince)) return false
  const isSame = squeezed(text) === squeezed(ordersInBulk(changedSince(since), graph.flags))
  return isSame && net.now().getTime() - Date.parse(createdAt) < KEPT_MS
}

const squeezed = (text: string): string => text.replace(/\s+/g, ' ').trim()

function operationOf(raw: unknown): Operation | null {
  const parsed = Operation.safeParse(raw)
  return parsed.success ? parsed.data : null
}

interface Rows {
  rows: PlatformOrder[]
  skipped: SkippedRow[]
}

/** None while it runs, so that whoever waits knows that somebody is at work; then those of its file. */
async function* rowsOf(
  graph: Graph,
  net: StoreNet,
  { operation, query }: { operation: Operation; query: OrderQuery },
): AsyncGenerator<Rows> {
  const since = net.now().getTime()
  let state: Operation | null = operation
  while (state?.status === 'CREATED' || state?.status === 'RUNNING') {
    if (net.now().getTime() - since > LONGEST_RUN_MS) break
    yield { rows: [], skipped: [] }
    await pause(net, POLL_MS, query.signal)
    const { data } = await graph.read(BULK_BY_ID, { id: operation.id }, query.signal)
    state = operationOf(data.bulkOperation)
  }
  if (state?.status !== 'COMPLETED') throw new StoreProblem('shopify_bad_answer', 'the operation did not end well')
  // Where nothing was found there is no file.
  if (state.url) yield* pagesIn(readJsonLines(net, { url: state.url, signal: query.signal }))
}

/** Each order's lines follow it. */
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
    reading.row.discounts = discountsOf(raw, reading.row.currency)
  }
  return reading
}
