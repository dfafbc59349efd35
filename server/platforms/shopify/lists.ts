import { type Page, type RowReading, readRows, StoreProblem } from '../platform/public.ts'
import { type Connection, connection, getPath } from './fields.ts'
import { type Graph, type GraphAnswer, TooCostly } from './graph.ts'

// Lists with cursors. The page size adapts to the query's cost.

/** A query may cost 1,000 points; this is the target. */
const TARGET_COST = 900
const MAX_PAGES = 50_000

export interface ListQuery {
  document: string
  /** Name of the list in the response. */
  root: string
  variables?: Readonly<Record<string, unknown>>
  /** First and maximum page size. */
  sizes: { first: number; max: number }
  after?: string | null
  signal?: AbortSignal | undefined
}

export interface ListChunk extends Connection {
  answer: GraphAnswer
}

/** Ends after the last chunk; yields at least one. */
export async function* readChunks(graph: Graph, query: ListQuery): AsyncGenerator<ListChunk> {
  let after = query.after ?? null
  let size = query.sizes.first
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { chunk, asked } = await readChunk(graph, query, { after, size })
    yield chunk
    if (!chunk.hasNext) return
    if (chunk.endCursor === after) break
    after = chunk.endCursor
    size = nextSize(asked, chunk.answer.requestedCost, query.sizes.max)
  }
  throw new StoreProblem('shopify_bad_answer', `the list of ${query.root} does not end`)
}

async function readChunk(graph: Graph, query: ListQuery, { after, size }: { after: string | null; size: number }) {
  for (let requested = size; ; requested = Math.floor(requested / 2)) {
    try {
      const answer = await graph.read(query.document, { ...query.variables, first: requested, after }, query.signal)
      return { asked: requested, chunk: { ...connection(findList(answer, query.root)), answer } }
    } catch (error) {
      if (!(error instanceof TooCostly) || requested < 2) throw error
    }
  }
}

function findList({ data }: GraphAnswer, root: string): unknown {
  const list = data[root]
  if (!Array.isArray(getPath(list, 'nodes')))
    throw new StoreProblem('shopify_bad_answer', `a list of ${root} was expected`)
  return list
}

function nextSize(requested: number, cost: number | null, max: number): number {
  if (!cost) return requested
  return Math.max(1, Math.min(max, Math.floor((requested * TARGET_COST) / cost)))
}

interface NumberedPage<Row> {
  firstPage?: number | undefined
  /** Rows per page, the same for each. */
  pageSize: number
  /** The same list without its contents. */
  past: ListQuery
  query: ListQuery
  read(raw: unknown, answer: GraphAnswer): RowReading<Row> | null
}

/** Numbered pages of a list by ascending id. A later first page is reached by skipping the rows before it. */
export async function* numberedPages<Row>(graph: Graph, list: NumberedPage<Row>): AsyncGenerator<Page<Row>> {
  const firstPage = Math.max(Math.trunc(list.firstPage ?? 1), 1)
  const start = await findCursor(graph, list.past, (firstPage - 1) * list.pageSize)
  let page = firstPage
  let pending: RowReading<Row>[] = []
  let count = 0
  if (start !== 'end') {
    for await (const chunk of readChunks(graph, { ...list.query, after: start })) {
      for (const raw of chunk.nodes) {
        const reading = list.read(raw, chunk.answer)
        if (reading) pending.push(reading)
        count += 1
        if (count === list.pageSize) {
          yield toPage(pending, page, false)
          page += 1
          ;[pending, count] = [[], 0]
        }
      }
    }
  }
  yield toPage(pending, page, true)
}

/** null: the beginning. */
async function findCursor(graph: Graph, past: ListQuery, rows: number): Promise<string | null | 'end'> {
  let cursor: string | null = null
  for (let remaining = rows; remaining > 0; ) {
    const size = Math.min(remaining, past.sizes.max)
    const { chunk, asked } = await readChunk(graph, past, { after: cursor, size })
    if (!chunk.hasNext) return 'end'
    cursor = chunk.endCursor
    remaining -= asked
  }
  return cursor
}

function toPage<Row>(readings: readonly RowReading<Row>[], page: number, isLast: boolean): Page<Row> {
  const { rows, skipped } = readRows(readings, (reading: unknown) => reading as RowReading<Row>)
  return { rows, skipped, page, totalPages: page + (isLast ? 0 : 1), isLast }
}
