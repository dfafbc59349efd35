import { formatCount } from './format.ts'

// Reads and writes a list's address: filters, order and page. Pure.

export const PAGE_SIZE = 10
export const PAGE_SIZES = [10, 25, 50, 100] as const
type PageSize = (typeof PAGE_SIZES)[number]

export type Order = 'asc' | 'desc'

export interface Paged<Sort extends string> {
  page: number
  limit: number
  sort: Sort
  order: Order
}

/** Number of matches; `isCapped`: counting stopped there. */
export interface Total {
  total: number
  isCapped: boolean
}

interface Shape<Filter, Sort extends string> {
  /** In the order of the address. */
  filters: readonly (keyof Filter & string)[]
  /** Parses filters from an address. Invalid values count as not given; empty ones are omitted. */
  readFilter: (search: URLSearchParams) => Filter
  /** The first is the default, newest or largest first. */
  sorts: readonly [Sort, ...Sort[]]
  /** Columns whose first click sorts newest or largest first; others start with A. */
  largestFirst: readonly Sort[]
  /** Default page size; `PAGE_SIZE` if not set. */
  limit?: PageSize
}

export interface ListAddress<Query, Sort extends string> {
  read: (search: URLSearchParams) => Query
  write: (query: Query, change: Partial<Query>, address?: URLSearchParams) => URLSearchParams
  /** A second click reverses the order; a new column starts newest or largest first, names from A. */
  sortBy: (query: Query, column: Sort) => Sorted<Sort>
}

type Sorted<Sort extends string> = Pick<Paged<Sort>, 'sort' | 'order'>

/** Codec of a list's address. Defaults are omitted; unrelated parameters stay. */
export function createListAddress<Filter extends object, Sort extends string>(
  shape: Shape<Filter, Sort>,
): ListAddress<Filter & Paged<Sort>, Sort> {
  const { filters, readFilter, sorts, largestFirst, limit: usual = PAGE_SIZE } = shape
  const ours: readonly string[] = [...filters, 'sort', 'order', 'limit', 'page']
  return {
    read: (search) => ({ ...readFilter(search), ...readPaged(search, sorts, usual) }),
    write: (query, change, address = new URLSearchParams()) => {
      // Any change but the page resets to page 1.
      const next = { ...query, page: 1, ...change }
      const search = new URLSearchParams([...address].filter(([key]) => !ours.includes(key)))
      // Some filters mean nothing without others.
      const filter = readFilter(new URLSearchParams(filters.flatMap((name) => toPair(name, next[name]))))
      for (const name of filters) for (const [key, text] of toPair(name, filter[name])) search.set(key!, text!)
      if (next.sort !== sorts[0]) search.set('sort', next.sort)
      if (next.order !== 'desc') search.set('order', next.order)
      if (next.limit !== usual) search.set('limit', String(next.limit))
      if (next.page > 1) search.set('page', String(next.page))
      return search
    },
    sortBy: ({ sort, order }, column) => {
      if (sort === column) return { sort: column, order: order === 'desc' ? 'asc' : 'desc' }
      return { sort: column, order: largestFirst.includes(column) ? 'desc' : 'asc' }
    },
  }
}

const toPair = (name: string, value: unknown): string[][] => (value ? [[name, String(value)]] : [])

function readPaged<Sort extends string>(
  search: URLSearchParams,
  sorts: Shape<object, Sort>['sorts'],
  usual: PageSize,
): Paged<Sort> {
  const page = Number(search.get('page'))
  return {
    page: Number.isInteger(page) && page >= 1 ? page : 1,
    limit: PAGE_SIZES.find((size) => size === Number(search.get('limit'))) ?? usual,
    sort: sorts.find((sort) => sort === search.get('sort')) ?? sorts[0],
    order: search.get('order') === 'asc' ? 'asc' : 'desc',
  }
}

export function describeShowing(page: number, limit: number, { total, isCapped }: Total): string {
  const from = (page - 1) * limit + 1
  return `Showing ${formatCount(from)} to ${formatCount(Math.min(page * limit, total))} of ${formatTotal({ total, isCapped })} entries`
}

/** 1,234, or 1,000+ if counting stopped. */
export const formatTotal = ({ total, isCapped }: Total) => `${formatCount(total)}${isCapped ? '+' : ''}`
