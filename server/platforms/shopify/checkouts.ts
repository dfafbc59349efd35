import type { CheckoutPage, CheckoutQuery, PlatformCheckout } from '../platform/platform.ts'
import { readRows } from '../platform/row.ts'
import { StoreProblem } from '../platform/store-problem.ts'
import { parseId } from '../platform/text.ts'
import { readCheckout } from './checkout-wire.ts'
import { formatGid } from './fields.ts'
import type { Graph } from './graph.ts'
import { type LinesQuery, withAllLines } from './lines.ts'
import { readChunks } from './lists.ts'
import { CHECKOUT_BY_ID, CHECKOUT_ITEMS, CHECKOUTS, changedSince } from './queries.ts'

// Reads started checkouts with a contact, with or without an order. They are listed by id, so there is no position to
// continue from: an interrupted pull starts over.

export async function* pullCheckouts(
  graph: Graph,
  { modifiedSince, signal }: CheckoutQuery,
): AsyncGenerator<CheckoutPage> {
  const list = {
    ...{ document: CHECKOUTS, root: 'abandonedCheckouts', signal },
    variables: { query: changedSince(modifiedSince) },
    sizes: { first: 10, most: 100 },
  }
  let page = 0
  for await (const { nodes, hasNext } of readChunks(graph, list)) {
    const whole: unknown[] = []
    for (const node of nodes) whole.push(await withAllLines(linesOf(graph, signal), node))
    page += 1
    const place = { page, totalPages: page + (hasNext ? 1 : 0), isLast: !hasNext, resumeFrom: null }
    yield { ...readRows(whole, readCheckout), ...place }
  }
}

const linesOf = (graph: Graph, signal: AbortSignal | undefined): LinesQuery => ({
  ...{ graph, signal, document: CHECKOUT_ITEMS },
  ...{ root: 'node', type: 'AbandonedCheckout' },
})

export async function readSingleCheckout(
  graph: Graph,
  checkoutId: string,
  signal?: AbortSignal,
): Promise<PlatformCheckout | null> {
  const id = parseId(checkoutId)
  if (!id) return null
  const { data } = await graph.read(CHECKOUT_BY_ID, { id: formatGid('AbandonedCheckout', id) }, signal)
  if (data.node === null || data.node === undefined) return null
  const reading = readCheckout(await withAllLines(linesOf(graph, signal), data.node))
  if ('row' in reading && reading.row.checkoutId === id) return reading.row
  throw new StoreProblem(
    'shopify_bad_answer',
    `checkout ${id}: ${'skipped' in reading ? reading.skipped.reason : 'another one'}`,
  )
}
