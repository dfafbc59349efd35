import { formatCount } from './format.ts'

// The address of a list: what it is filtered by, its order and page. Pure.

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

/** What was found; `isCapped`: there are more than were counted. */
export interface Total {
  total: number
  isCapped: boolean
}

interface Shape<Filter, Sort extends string> {
  /** In the order of the address. */
  filters: readonly (keyof Filter & string)[]
  /** The filters an address asks for; nonsense counts as not given, and what is empty is left out. */
  readFilter: (search: URLSearchParams) => Filter
  /** The first is the usual order, newest or largest first. */
  sorts: readonly [Sort, ...Sort[]]
  /** Begin with the newest or largest when their column is pressed; the others from A. */
  largestFirst: readonly Sort[]
  /** Rows on a page where the address says nothing; by itself `PAGE_SIZE`. */
  limit?: PageSize
}

export interface ListAddress<Query, Sort extends string> {
  read: (search: URLSearchParams) => Query
  write: (query: Query, change: Partial<Query>, address?: URLSearchParams) => URLSearchParams
  /** A column pressed again turns round; another one starts as people expect it: newest and largest first, names from A. */
  turn: (query: Query, column: Sort) => Sorted<Sort>
}

type Sorted<Sort extends string> = Pick<Paged<Sort>, 'sort' | 'order'>

/** Reads and writes the address of a list. Defaults are left out of it, and whatever else stands in it stays. */
export function listAddress<Filter extends object, Sort extends string>(
  shape: Shape<Filter, Sort>,
): ListAddress<Filter & Paged<Sort>, Sort> {
  const { filters, readFilter, sorts, largestFirst, limit: usual = PAGE_SIZE } = shape
  const ours: readonly string[] = [...filters, 'sort', 'order', 'limit', 'page']
  return {
    read: (search) => ({ ...readFilter(search), ...readPaged(search, sorts, usual) }),
    write: (query, change, address = new URLSearchParams()) => {
      // Anything but turning the page starts at page 1.
      const next = { ...query, page: 1, ...change }
      const search = new URLSearchParams([...address].filter(([key]) => !ours.includes(key)))
      // Some filters stand for nothing without others.
      const filter = readFilter(new URLSearchParams(filters.flatMap((name) => pairOf(name, next[name]))))
      for (const name of filters) for (const [key, text] of pairOf(name, filter[name])) search.set(key!, text!)
      if (next.sort !== sorts[0]) search.set('sort', next.sort)
      if (next.order !== 'desc') search.set('order', next.order)
      if (next.limit !== usual) search.set('limit', String(next.limit))
      if (next.page > 1) search.set('page', String(next.page))
      return search
    },
    turn: ({ sort, order }, column) => {
      if (sort === column) return { sort: column, order: order === 'desc' ? 'asc' : 'desc' }
      return { sort: column, order: largestFirst.includes(column) ? 'desc' : 'asc' }
    },
  }
}

const pairOf = (name: string, value: unknown): string[][] => (value ? [[name, String(value)]] : [])

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

export function showingText(page: number, limit: number, { total, isCapped }: Total): string {
  const from = (page - 1) * limit + 1
  return `Showing ${formatCount(from)} to ${formatCount(Math.min(page * limit, total))} of ${totalText({ total, isCapped })} entries`
}

/** 1,234, and 1,000+ where nobody counted on. */
export const totalText = ({ total, isCapped }: Total) => `${formatCount(total)}${isCapped ? '+' : ''}`
