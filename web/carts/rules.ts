import type { CartView, sortColumns } from '../../shared/carts.ts'
import { formatCount } from '../ui/format.ts'

// The cart list's address and the reading of carts and decisions. Pure.

export const PAGE_SIZE = 10

export type SortColumn = (typeof sortColumns)[number]

export interface ListQuery {
  page: number
  limit: number
  status?: string
  search?: string
  sort: SortColumn
  order: 'asc' | 'desc'
}

/** Of the total, where a search found more than are counted. */
export interface Total {
  total: number
  isCapped: boolean
}

const sortable: readonly string[] = ['timestamp', 'value', 'customer', 'email', 'phone', 'items', 'status']

/** What the address asks for; nonsense in it counts as not given. */
export function readListQuery(search: URLSearchParams): ListQuery {
  const page = Number(search.get('page'))
  const [status, text, sort] = [search.get('status'), search.get('search'), search.get('sort') ?? '']
  return {
    page: Number.isInteger(page) && page >= 1 ? page : 1,
    limit: PAGE_SIZE,
    ...(status && { status }),
    ...(text && { search: text.slice(0, 200) }),
    sort: sortable.includes(sort) ? (sort as SortColumn) : 'timestamp',
    order: search.get('order') === 'asc' ? 'asc' : 'desc',
  }
}

const listKeys = ['status', 'search', 'sort', 'order', 'page']

/**
 * The address of a list; defaults are left out. Anything but turning the page starts at page 1. What else stands in the address (an
 * open cart, a job) stays.
 */
export function writeListQuery(
  query: ListQuery,
  change: Partial<ListQuery>,
  address = new URLSearchParams(),
): URLSearchParams {
  const next = { ...query, page: 1, ...change }
  const search = new URLSearchParams([...address].filter(([key]) => !listKeys.includes(key)))
  if (next.status) search.set('status', next.status)
  if (next.search) search.set('search', next.search)
  if (next.sort !== 'timestamp') search.set('sort', next.sort)
  if (next.order !== 'desc') search.set('order', next.order)
  if (next.page > 1) search.set('page', String(next.page))
  return search
}

/** A column pressed again turns round; another one starts as people expect it: newest and largest first, names from A. */
export function nextSort(query: ListQuery, column: SortColumn): Pick<ListQuery, 'sort' | 'order'> {
  if (query.sort === column) return { sort: column, order: query.order === 'desc' ? 'asc' : 'desc' }
  return { sort: column, order: ['timestamp', 'value', 'items'].includes(column) ? 'desc' : 'asc' }
}

export function showingText(page: number, limit: number, { total, isCapped }: Total): string {
  const from = (page - 1) * limit + 1
  return `Showing ${formatCount(from)} to ${formatCount(Math.min(page * limit, total))} of ${totalText({ total, isCapped })} entries`
}

/** 1,234, and 1,000+ where nobody counted on. */
export const totalText = ({ total, isCapped }: Total) => `${formatCount(total)}${isCapped ? '+' : ''}`

export const itemCount = (items: CartView['items']) => items.reduce((sum, { quantity }) => sum + quantity, 0)

const openStates = ['scheduled', 'held', 'claimed', 'handed_over']
export const isSomethingOpen = (messages: { state: string }[]) =>
  messages.some(({ state }) => openStates.includes(state))

export interface Reading {
  label: string
  value: string | number | boolean | null
}

/** A decision's inputs as a flat list of names and plain values, in the order they were recorded. */
export function readInputs(inputs: Record<string, unknown>, prefix = ''): Reading[] {
  return Object.entries(inputs).flatMap(([key, value]) => {
    const words = wordsOfKey(key)
    const label = prefix ? `${prefix} · ${words.toLowerCase()}` : words
    if (Array.isArray(value)) return [{ label, value: value.map(asText).join(', ') || 'none' }]
    if (typeof value === 'object' && value !== null) return readInputs(value as Record<string, unknown>, label)
    return [{ label, value: value as Reading['value'] }]
  })
}

/** `fenceStartedAt` and `fence_started_at` → "Fence started at". */
export function wordsOfKey(key: string): string {
  const words = key
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[_.-]+/g, ' ')
    .trim()
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export const isInstant = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(value) && !Number.isNaN(Date.parse(value))

const asText = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))
