import { isRecord } from '../platform/public.ts'
import { connection, formatGid, getPath, parseGid } from './fields.ts'
import type { Graph } from './graph.ts'

// Carts and orders with more lines than were returned: the rest is read for each of them, which is rare.

const MAX_PAGES = 20

export interface LinesQuery {
  graph: Graph
  document: string
  /** Name of the record in the response. */
  root: 'order' | 'node'
  type: 'Order' | 'AbandonedCheckout'
  signal?: AbortSignal | undefined
}

/** The record with all its lines; a complete one is returned unchanged. */
export async function loadAllLines(query: LinesQuery, raw: unknown): Promise<unknown> {
  const first = connection(getPath(raw, 'lineItems'))
  const id = parseGid(getPath(raw, 'id'))
  if (!isRecord(raw) || !first.hasNext || !id) return raw
  const nodes = [...first.nodes]
  let last = first
  for (let page = 0; page < MAX_PAGES && last.hasNext; page += 1) {
    const variables = { id: formatGid(query.type, id), after: last.endCursor }
    const { data } = await query.graph.read(query.document, variables, query.signal)
    last = connection(getPath(data[query.root], 'lineItems'))
    nodes.push(...last.nodes)
  }
  return { ...raw, lineItems: { nodes } }
}
