import type { z } from 'zod'
import type { CartView, listAbandonedCarts, sortColumns } from '../../../shared/carts/carts.ts'
import { MAX_PRODUCT_ID_LENGTH, readReachFilter, readStage, type StageFilter } from '../../../shared/carts/reach.ts'
import { createListAddress, type Paged } from '../../core/ui/listQuery.ts'

// Address of the cart list, and derived values of carts and decisions. Pure.

export type SortColumn = (typeof sortColumns)[number]

/** Filters; the rest of a query is order and page. */
export interface ListFilter {
  status?: string
  search?: string
  /** Reachable by email, or the reason why not (shared/carts/reach.ts). */
  reach?: string
  /** Abandoned within this many days. */
  days?: number
  /** The shopper's country, alpha-2; `none` if unknown. */
  country?: string
  /** Store id of a product in the cart. */
  product?: string
  /** Stage of the conversion funnel (shared/carts/reach.ts). */
  stage?: string
}

export type ListQuery = ListFilter & Paged<SortColumn>

type CartListReply = z.output<typeof listAbandonedCarts.reply>

/** B 3: carts with pagination, or a plain array, which is then complete. */
export function toCartList(answer: CartListReply | CartView[]): CartListReply {
  if (!Array.isArray(answer)) return answer
  const total = answer.length
  return {
    carts: answer,
    pagination: { page: 1, limit: total, total, pages: Math.min(total, 1) },
    syncAgeSeconds: null,
  }
}

/** Parses the list's address; invalid values count as not given. */
export const cartsAddress = createListAddress<ListFilter, SortColumn>({
  filters: ['status', 'search', 'reach', 'days', 'country', 'product', 'stage'],
  readFilter: (search) => {
    const [status, text, reach] = [search.get('status'), search.get('search'), search.get('reach') ?? '']
    const days = Number(search.get('days'))
    const country = search.get('country') ?? ''
    const [product, stage] = [search.get('product') ?? '', search.get('stage') ?? '']
    return {
      ...(status && { status }),
      ...(text && { search: text.slice(0, 200) }),
      ...(readReachFilter(reach) && { reach }),
      ...(Number.isInteger(days) && days >= 1 && days <= 366 && { days }),
      ...(/^([A-Z]{2}|none)$/.test(country) && { country }),
      ...(product && product.length <= MAX_PRODUCT_ID_LENGTH && { product }),
      ...(readStage(stage) && { stage }),
    }
  },
  sorts: ['timestamp', 'value', 'customer', 'email', 'phone', 'items', 'status'],
  largestFirst: ['timestamp', 'value', 'items'],
})
export const { read: readListQuery, write: writeListQuery, sortBy: nextSort } = cartsAddress

/** Query parameters shared by all calls about these carts. */
export const toFilterParams = ({ status, search, reach, days, country, product, stage }: ListFilter): ListFilter => ({
  ...(status && { status }),
  ...(search && { search }),
  ...(reach && { reach }),
  ...(days && { days }),
  ...(country && { country }),
  ...(product && { product }),
  ...(stage && { stage }),
})

const stageSubjects = { email: 'Email', sms: 'SMS', whatsapp: 'WhatsApp message', push: 'Notification' } as const
const stageChannels = { email: 'email', sms: 'SMS', whatsapp: 'WhatsApp', push: 'push' } as const

/** `Email clicked`, `Recovered by SMS`. */
export function formatStage({ stage, channel }: StageFilter): string {
  if (stage === 'converted') return channel ? `Recovered by ${stageChannels[channel]}` : 'Recovered'
  return `${channel ? stageSubjects[channel] : 'Message'} ${stage}`
}

/** Shown after following an analytics link: the list may be shorter than the figure. */
export const BEHIND_NUMBER = 'This list does not include carts bought without a message.'

/** Filters used by analytics links. Reachability counts the list's own carts. */
export const isFromFigure = ({ days, country, product, stage, reach }: ListQuery): boolean =>
  !reach && Boolean(days || country || product || stage)

export const countItems = (items: CartView['items']) => items.reduce((sum, { quantity }) => sum + quantity, 0)

const openStates = ['scheduled', 'held', 'claimed', 'sending']
export const hasOpenMessage = (messages: { state: string }[]) =>
  messages.some(({ state }) => openStates.includes(state))

export interface InputEntry {
  label: string
  value: string | number | boolean | null
}

/** A decision's inputs as a flat list of names and plain values, in recorded order. */
export function readInputs(inputs: Record<string, unknown>, prefix = ''): InputEntry[] {
  return Object.entries(inputs).flatMap(([key, value]) => {
    const text = formatKey(key)
    const label = prefix ? `${prefix} · ${text.toLowerCase()}` : text
    if (Array.isArray(value)) return [{ label, value: value.map(formatValue).join(', ') || 'none' }]
    if (typeof value === 'object' && value !== null) return readInputs(value as Record<string, unknown>, label)
    return [{ label, value: value as InputEntry['value'] }]
  })
}

/** `orderCheckStartedAt` and `order_check_started_at` → "Order check started at". */
export function formatKey(key: string): string {
  const text = key
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[_.-]+/g, ' ')
    .trim()
    .toLowerCase()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

export const isInstant = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(value) && !Number.isNaN(Date.parse(value))

const formatValue = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))
