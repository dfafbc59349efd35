import type { StoreNet } from '../platform/access.ts'
import type { OrderPage, OrderQuery, PlatformOrder } from '../platform/platform.ts'
import { readRows } from '../platform/row.ts'
import { StoreProblem } from '../platform/store-problem.ts'
import { parseId } from '../platform/text.ts'
import { ordersByBulk } from './bulk.ts'
import { at, formatGid, parseGid } from './fields.ts'
import type { Graph } from './graph.ts'
import { type LinesQuery, withAllLines } from './lines.ts'
import { readChunks } from './lists.ts'
import { readDiscounts, readOrder } from './order-wire.ts'
import { changedSince, ORDER_BY_ID, ORDER_DISCOUNTS, ORDER_ITEMS, ORDERS, ORDERS_COUNT } from './queries.ts'

// The order pull. Orders are listed by time of change. A cursor stands for a time and an id: an order that changes
// during the pull moves to the end and is returned once more.

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
  const variables = { query: changedSince(modifiedSince), limit: MANY + 1 }
  const { data } = await graph.read(ORDERS_COUNT, variables, signal)
  const count = at(data.ordersCount, 'count')
  return typeof count === 'number' && count > MANY
}

interface Pull {
  query: OrderQuery
  /** Where it begins, and the number of earlier pages. */
  place: { modifiedSince: string; page: number }
}

async function* pullPages(graph: Graph, net: StoreNet, { query, place }: Pull): AsyncGenerator<OrderPage> {
  const most = Math.min(Math.max(Math.trunc(query.pageSize ?? 100), 1), 100)
  const since = instantOf(new Date(Date.parse(place.modifiedSince) - LAG_MS).toISOString())
  const list = {
    ...{ document: ORDERS, root: 'orders', signal: query.signal },
    variables: { query: changedSince(since) },
    sizes: { first: Math.min(most, 10), most },
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
  const settled = instantOf(new Date(now.getTime() - SETTLED_MS).toISOString())
  return times.findLast((time) => time <= settled) ?? times[0] ?? null
}

const instantOf = (instant: string): string => `${new Date(instant).toISOString().slice(0, 19)}Z`

const linesOf = (graph: Graph, signal: AbortSignal | undefined): LinesQuery => ({
  ...{ graph, signal, document: ORDER_ITEMS },
  ...{ root: 'order', type: 'Order' },
})

async function wholeOrders(graph: Graph, nodes: readonly unknown[], signal: AbortSignal | undefined) {
  const whole: unknown[] = []
  for (const node of nodes) whole.push(await withAllLines(linesOf(graph, signal), node))
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
      const node = nodes.find((each) => parseGid(at(each, 'id')) === order.orderId)
      // With more lines than were returned, the discount is unknown.
      if (node && at(node, 'lineItems', 'pageInfo', 'hasNextPage') !== true) {
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
  const reading = readOrder(await withAllLines(linesOf(graph, signal), data.order))
  if ('skipped' in reading) throw new StoreProblem('shopify_bad_answer', `order ${id}: ${reading.skipped.reason}`)
  await addDiscounts(graph, [reading.row], signal)
  return reading.row
}
