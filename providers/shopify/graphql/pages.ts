// Connections: cursor pagination over database rows or a list.
import { GraphQLError } from 'graphql'
import type { Kind, Records } from '../model.ts'
import { type Db, selectAll, selectOne } from '../records.ts'

export interface PageArgs {
  first?: number | null
  last?: number | null
  after?: string | null
  before?: string | null
  reverse?: boolean | null
  /** In a bulk operation: all rows. */
  isWhole?: boolean
  /** In a bulk operation: no offset limit. */
  isDeep?: boolean
}

type Source = Record<string, unknown>

const MAX_OFFSET = 25_000

/** Validates `first` and `last`; returns the page size. */
export function readPageSize({ first, last, isWhole }: PageArgs): number {
  if (isWhole) return Number.MAX_SAFE_INTEGER - 1
  if (first == null && last == null) throw createBadRequestError('you must provide one of first or last')
  if (first != null && last != null) throw createBadRequestError('providing both first and last is not supported')
  const size = (first ?? last)!
  const name = first == null ? 'last' : 'first'
  if (size < 0) throw createBadRequestError(`${name} cannot be negative`)
  if (size > 250) throw createBadRequestError(`${name} cannot exceed 250`)
  return size
}

const createBadRequestError = (message: string) => new GraphQLError(message, { extensions: { code: 'BAD_REQUEST' } })

/** Pages over a list in memory. */
export function paginateList<T>(rows: readonly T[], args: PageArgs, present: (row: T) => Source): Source {
  const size = readPageSize(args)
  const ordered = args.reverse ? rows.toReversed() : rows
  const start = args.after ? readPosition(args.after) + 1 : 0
  const end = args.before ? readPosition(args.before) : ordered.length
  const range = ordered.slice(start, end)
  const from = args.first == null ? Math.max(0, range.length - size) : 0
  const pageRows = range.slice(from, from + size)
  const cursor = (index: number) => encodeCursor({ last_id: start + from + index })
  return buildConnection(
    pageRows.map((row, index) => ({ node: () => present(row), cursor: cursor(index) })),
    {
      hasNextPage: start + from + pageRows.length < ordered.length,
      hasPreviousPage: start + from > 0,
    },
  )
}

const readPosition = (cursor: string) => decodeCursor(cursor).last_id

export interface RowQuery<K extends Kind> {
  db: Db
  kind: K
  /** SQL ` and (…)`; trusted text only. */
  condition: { sql: string; values: (string | number)[] }
  /** A column or expression of the table. */
  order: string
  present: (doc: Records[K]) => Source
}

export function paginateRows<K extends Kind>(query: RowQuery<K>, args: PageArgs): Source {
  const size = readPageSize(args)
  if (args.last != null || args.before) throw createUnsupportedError('last and before')
  const { db, kind, condition, order } = query
  const isDown = args.reverse === true
  const base = { sql: `kind = ?${condition.sql}`, values: [kind, ...condition.values] }
  const after = args.after ? buildCursorCondition(args.after, order, isDown) : null
  if (after && !args.isDeep) refuseDepth(db, base, order, args.after!, isDown)
  const direction = isDown ? 'desc' : 'asc'
  const rows = selectAll<{ id: number; place: string | number; doc: string }>(
    db,
    `select id, ${order} as place, doc from records where ${base.sql}${after?.sql ?? ''} order by ${order} ${direction}, id ${direction} limit ?`,
    ...base.values,
    ...(after?.values ?? []),
    size + 1,
  )
  const pageRows = rows.slice(0, size)
  return buildConnection(
    pageRows.map(({ id, place, doc }) => ({
      node: () => query.present(JSON.parse(doc) as Records[K]),
      cursor: encodeCursor({ last_id: id, last_value: place }),
    })),
    { hasNextPage: rows.length > size, hasPreviousPage: after !== null },
  )
}

export function countRows(
  db: Db,
  kind: Kind,
  condition: { sql: string; values: (string | number)[] },
  limit?: number | null,
): Source {
  const most = limit ?? 10_000
  const sql = `select count(*) as n from records where kind = ?${condition.sql}`
  const { n } = selectOne<{ n: number }>(db, sql, kind, ...condition.values)!
  return n > most ? { count: most, precision: 'AT_LEAST' } : { count: n, precision: 'EXACT' }
}

function buildCursorCondition(cursor: string, order: string, isDown: boolean) {
  const { last_id, last_value } = decodeCursor(cursor)
  return { sql: ` and (${order}, id) ${isDown ? '<' : '>'} (?, ?)`, values: [last_value ?? last_id, last_id] }
}

function refuseDepth(
  db: Db,
  base: { sql: string; values: (string | number)[] },
  order: string,
  cursor: string,
  isDown: boolean,
) {
  const { last_id, last_value } = decodeCursor(cursor)
  const sql = `select count(*) as n from (select 1 from records where ${base.sql} and (${order}, id) ${isDown ? '>=' : '<='} (?, ?) limit ?)`
  const { n } = selectOne<{ n: number }>(db, sql, ...base.values, last_value ?? last_id, last_id, MAX_OFFSET)!
  if (n >= MAX_OFFSET)
    throw createBadRequestError(`Pagination is limited to ${MAX_OFFSET} objects. Add filters to the query.`)
}

function buildConnection(
  edges: { node: () => Source; cursor: string }[],
  info: { hasNextPage: boolean; hasPreviousPage: boolean },
): Source {
  return {
    nodes: () => edges.map(({ node }) => node()),
    edges: () => edges,
    pageInfo: { ...info, startCursor: edges[0]?.cursor ?? null, endCursor: edges.at(-1)?.cursor ?? null },
  }
}

interface Cursor {
  last_id: number
  last_value?: string | number
}

const encodeCursor = (cursor: Cursor) => Buffer.from(JSON.stringify(cursor)).toString('base64url')

function decodeCursor(text: string): Cursor {
  try {
    const cursor = JSON.parse(Buffer.from(text, 'base64url').toString()) as Cursor
    if (Number.isSafeInteger(cursor.last_id)) return cursor
  } catch {
    // Rejected below like any other invalid cursor.
  }
  throw createBadRequestError(`Invalid cursor: ${text.slice(0, 40)}`)
}

export const createUnsupportedError = (what: string) =>
  new GraphQLError(`This server does not model ${what}.`, { extensions: { code: 'NOT_MODELLED' } })
