import { parseCurrency, parseMinor } from '../../../shared/core/money.ts'
import { field, isRecord, parseId } from '../platform/public.ts'

// Readers for fields of Shopify's responses. All values are untrusted: missing, of another type, or enormous.

const GID = /^gid:\/\/shopify\/\w{1,60}\/(\d{1,19})$/

/** `gid://shopify/Order/123` → `123`; null for anything else. */
export const parseGid = (input: unknown): string | null =>
  typeof input === 'string' ? parseId(GID.exec(input)?.[1]) : null

export const formatGid = (type: string, id: string): string => `gid://shopify/${type}/${id}`

export const wireGid = field(parseGid)
export const wireFlag = field((input) => input === true)
export const wireStrings = field((input) =>
  Array.isArray(input) ? input.slice(0, 50).filter((each) => typeof each === 'string') : [],
)

/** Parses an instant with a zone, as in GraphQL (`Z`) and webhooks (`-05:00`). → UTC, whole seconds. */
export function instant(input: unknown): string | null {
  if (typeof input !== 'string') return null
  const match = /^(\d{4})-\d\d-(\d\d)T\d\d:\d\d:\d\d(?:\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.exec(input)
  const time = match ? Date.parse(input) : Number.NaN
  if (!match || Number.isNaN(time)) return null
  const year = Number(match[1])
  // 31 February would have become a day in March.
  if (year < 1990 || year > 2200 || (match[3] === 'Z' && new Date(time).getUTCDate() !== Number(match[2]))) return null
  return `${new Date(time).toISOString().slice(0, 19)}Z`
}

export const wireInstant = field(instant)

export interface Amount {
  amountMinor: number
  currency: string
}

/** `{ amount, currencyCode }`; null when invalid. */
export function parseAmount(input: unknown): Amount | null {
  if (!isRecord(input)) return null
  const currency = parseCurrency(input.currencyCode ?? input.currency_code)
  const amountMinor = currency ? parseMinor(input.amount, currency) : null
  return currency && amountMinor !== null ? { amountMinor, currency } : null
}

/** The amount of a `MoneyBag` in the shop's currency. */
export const parseShopMoney = (input: unknown): Amount | null => (isRecord(input) ? parseAmount(input.shopMoney) : null)

export const wireMoney = field(parseShopMoney)

/** Minor units, if the amount has this currency. */
export const toMinor = (amount: Amount | null, currency: string): number | null =>
  amount?.currency === currency ? amount.amountMinor : null

export interface Connection {
  nodes: unknown[]
  endCursor: string | null
  hasNext: boolean
}

const MAX_NODES = 1_000

/** A GraphQL connection; empty when missing. An invalid cursor ends it. */
export function connection(input: unknown): Connection {
  if (!isRecord(input)) return { nodes: [], endCursor: null, hasNext: false }
  const place = isRecord(input.pageInfo) ? input.pageInfo : {}
  const endCursor = typeof place.endCursor === 'string' && place.endCursor.length < 4_000 ? place.endCursor : null
  return {
    nodes: Array.isArray(input.nodes) ? input.nodes.slice(0, MAX_NODES) : [],
    endCursor,
    hasNext: place.hasNextPage === true && endCursor !== null,
  }
}

export const wireConnection = field(connection)

/** The value at a path of names; undefined when any part is missing. */
export function getPath(input: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), input)
}
