import type { CustomerSort } from '../../../shared/marketing/customers.ts'
import { findPageWindow, type RawBuilder, type StoreDb, sql } from '../../core/db/public.ts'

import { CUSTOMER_COLUMNS } from './fragments.ts'

// The customer list, modelled on the cart list (`carts/list-sql.ts`). Registered customers and guests are two ranges of
// every index (`customer_list_…`). A filter reads one range; the whole list merges both in list order.

export interface CustomerFilter {
  search: string
  isRegistered: IsRegistered
}

export interface CustomerQuery extends CustomerFilter {
  page: number
  limit: number
  sort: CustomerSort
  order: 'asc' | 'desc'
}

export interface ListedCustomer {
  id: string
  first_name: string | null
  last_name: string | null
  email: string | null
  phone: string | null
  company: string | null
  is_registered: boolean
  last_login_at: Date | null
  first_seen_at: Date
}

type SortDirection = 'asc' | 'desc' | 'asc nulls first'
const OPPOSITE = { asc: 'desc', desc: 'asc', 'asc nulls first': 'desc nulls last' } as const

/** The order of the indexes; the other direction scans backwards. Missing values sort first. */
const ORDERS: Record<Exclude<CustomerSort, 'registered'>, [RawBuilder<unknown>, SortDirection]> = {
  since: [sql`s.first_seen_at`, 'desc'],
  name: [sql`s.customer_name collate "C"`, 'asc'],
  email: [sql`s.customer_email collate "C"`, 'asc nulls first'],
  phone: [sql`s.customer_phone collate "C"`, 'asc nulls first'],
  company: [sql`lower(s.company) collate "C"`, 'asc nulls first'],
  last_login: [sql`s.last_login_at`, 'asc nulls first'],
}

/** Scan direction of a sort's index. */
const getDirection = (sort: CustomerSort): SortDirection => (sort === 'registered' ? 'asc' : ORDERS[sort][1])

/** `as`: for rows that already have the sort column under this name. */
function orderBy(sort: CustomerSort, isForwards: boolean, as?: RawBuilder<unknown>) {
  const turned = (direction: SortDirection) => sql.raw(isForwards ? direction : OPPOSITE[direction])
  if (sort === 'registered') {
    return sql`s.is_registered ${turned('asc')}, s.first_seen_at ${turned('desc')}, s.id ${turned('desc')}`
  }
  const [column, direction] = ORDERS[sort]
  return sql`${as ?? column} ${turned(direction)}, s.id ${turned(direction === 'desc' ? 'desc' : 'asc')}`
}

/** Totals of searches are exact up to this number. */
const MAX_COUNTED = 1_000
/**
 * Up to this many matches are collected and sorted. If there are more, scanning the list in order finds a page soon
 * enough.
 */
const MAX_COLLECTED = 5_000
/** If no customer has the prefix, a substring search reads this many of the newest customers. */
export const MAX_SEARCHED = 10_000

export interface CustomerTotal {
  total: number
  /** There are more than `total`. */
  isCapped: boolean
  /** There are more than `MAX_COLLECTED`. */
  isMany: boolean
  /** No name, email or phone begins with the text, so the newest customers are searched for it as a substring. */
  isAnywhere: boolean
  /** The substring search did not cover all customers. */
  isPartial: boolean
}

const NO_CUSTOMERS: CustomerTotal = { total: 0, isCapped: false, isMany: false, isAnywhere: false, isPartial: false }

/** Without a search, from the counters; with one, counted up to `MAX_COUNTED`. */
export async function countCustomers(store: StoreDb, filter: CustomerFilter): Promise<CustomerTotal> {
  if (!filter.search) return { ...NO_CUSTOMERS, total: await countListed(store, filter.isRegistered) }
  const { storeId } = store
  const begun = await countFound(store, matchPrefix(storeId, filter, MAX_COLLECTED))
  // The choice between prefix and substring search must not depend on the filter.
  const others = { ...filter, isRegistered: null }
  if (begun > 0 || (filter.isRegistered !== null && (await countFound(store, matchPrefix(storeId, others, 1))) > 0)) {
    return { ...NO_CUSTOMERS, ...capTotal(begun) }
  }
  const [found, listedCount] = await Promise.all([
    countFound(store, matchAnywhere(storeId, filter)),
    countListed(store, filter.isRegistered),
  ])
  return { ...NO_CUSTOMERS, ...capTotal(found), isAnywhere: true, isPartial: listedCount > MAX_SEARCHED }
}

const capTotal = (found: number) => ({
  total: Math.min(found, MAX_COUNTED),
  isCapped: found > MAX_COUNTED,
  isMany: found > MAX_COLLECTED,
})

async function countFound({ db }: StoreDb, found: RawBuilder<unknown>) {
  const { rows } = await sql<{ total: number }>`
    select count(*)::int as total from (${found} limit ${MAX_COLLECTED + 1}) found`.execute(db)
  return rows[0]!.total
}

/** Skipping this many index entries takes a few milliseconds; beyond, the counters give a day to start from. */
const FAR_OFFSET = 2_000

/** Reads ids by an index-only scan, from the nearer end or from a day, and only then the rows. */
export async function listCustomers(
  store: StoreDb,
  query: CustomerQuery,
  counted: CustomerTotal,
): Promise<ListedCustomer[]> {
  const { db, storeId } = store
  const { sort } = query
  const window = findPageWindow(query, counted.total, !query.search)
  if (!window) return []
  const { offset, limit, isFromEnd } = window
  const isSameDirection = getDirection(sort).startsWith(query.order)
  const isForwards = isSameDirection !== isFromEnd
  const isFar = !query.search && sort === 'since' && offset > FAR_OFFSET
  const begin = isFar ? await boundAt(store, query, offset, isForwards) : { passed: 0, bound: sql`` }
  const place = { sort, isForwards, bound: begin.bound, limit, offset: offset - begin.passed }
  const { rows } = await sql<ListedCustomer>`
    select ${CUSTOMER_COLUMNS} from (${idsAt(storeId, query, counted, place)}) wanted
    join shoppers s on s.store_id = ${storeId} and s.id = wanted.id
    order by ${orderBy(sort, isSameDirection)}`.execute(db)
  return rows
}

const DAY_MS = 86_400_000

async function boundAt(store: StoreDb, { isRegistered }: CustomerFilter, offset: number, isNewest: boolean) {
  const day = await dayAt(store, { isRegistered, offset, isNewest })
  if (!day) return { passed: 0, bound: sql`` }
  const bound = isNewest
    ? sql`and s.first_seen_at < ${new Date(day.midnight + DAY_MS)}`
    : sql`and s.first_seen_at >= ${new Date(day.midnight)}`
  return { passed: day.passed, bound }
}

/** All customers of a filter, newest first. One statement per page, so a slow download holds no cursor. */
export async function* pagesOfCustomers(
  { db, storeId }: StoreDb,
  filter: CustomerFilter,
  counted: CustomerTotal,
  size: number,
): AsyncGenerator<ListedCustomer[]> {
  let last: ListedCustomer | undefined
  for (;;) {
    const below = last ? sql`and (s.first_seen_at, s.id) < (${last.first_seen_at}, ${last.id}::uuid)` : sql``
    const place = { sort: 'since' as const, isForwards: true, bound: below, limit: size, offset: 0 }
    const { rows } = await sql<ListedCustomer>`
      select ${CUSTOMER_COLUMNS} from (${idsAt(storeId, filter, counted, place)}) wanted
      join shoppers s on s.store_id = ${storeId} and s.id = wanted.id
      order by ${orderBy('since', true)}`.execute(db)
    yield rows
    if (rows.length < size) return
    last = rows.at(-1)
  }
}

interface PageWindow {
  sort: CustomerSort
  isForwards: boolean
  /** Where the scan starts. */
  bound: RawBuilder<unknown>
  limit: number
  offset: number
}

/**
 * The ids of a page. Few matches are collected and sorted; many are found by scanning the list in order.
 * Both kinds are separate sorted subqueries with limits, which lets the planner merge two indexes.
 */
function idsAt(storeId: string, filter: CustomerFilter, { isMany, isAnywhere }: CustomerTotal, place: PageWindow) {
  const { search, isRegistered } = filter
  const { sort, isForwards, bound, limit, offset } = place
  const order = orderBy(sort, isForwards)
  const part = sql`limit ${limit} offset ${offset}`
  if (search && !isMany) {
    const found = isAnywhere ? matchAnywhere(storeId, filter) : matchPrefix(storeId, filter, MAX_COLLECTED)
    // The default order is available from the searched indexes.
    if (sort === 'since') return sql`select s.id from (${found}) s where true ${bound} order by ${order} ${part}`
    return sql`select s.id from shoppers s where s.store_id = ${storeId} and s.id = any(array(select id from (${found}) found))
      order by ${order} ${part}`
  }
  const matching = search ? sql`and ${beginsWith(search)}` : sql``
  const stretch = (of: IsRegistered) =>
    sql`from shoppers s where ${isListed(storeId, of)} ${matching} ${bound} order by ${order}`
  if (isRegistered !== null || sort === 'registered') return sql`select s.id ${stretch(isRegistered)} ${part}`
  const key = ORDERS[sort][0]
  const each = [true, false].map((of) => sql`(select s.id, ${key} as key ${stretch(of)} limit ${limit + offset})`)
  return sql`select s.id from (${sql.join(each, sql` union all `)}) s order by ${orderBy(sort, isForwards, sql`s.key`)} ${part}`
}

const isListed = (storeId: string, isRegistered: IsRegistered) => sql`s.store_id = ${storeId} and s.is_customer
  ${isRegistered === null ? sql`` : sql`and s.is_registered = ${sql.raw(String(isRegistered))}`}`

/** Searches only the newest customers: reading all texts of a large store would take seconds. */
function matchAnywhere(storeId: string, { search, isRegistered }: CustomerFilter) {
  const like = `%${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
  const newest = (of: boolean) => sql`
    (select s.id, s.first_seen_at, concat_ws(' ', s.customer_name, s.customer_email, s.customer_phone) as text from shoppers s
      where ${isListed(storeId, of)} order by s.first_seen_at desc, s.id desc limit ${MAX_SEARCHED})`
  // Phone numbers are stored as digits only.
  const digits = isNumber(search) ? search.replace(/\D/g, '') : ''
  const kinds = isRegistered === null ? [true, false] : [isRegistered]
  return sql`select n.id, n.first_seen_at from (
      select * from (${sql.join(kinds.map(newest), sql` union all `)}) both_kinds
      order by first_seen_at desc, id desc limit ${MAX_SEARCHED}) n
    where (n.text collate "C" like ${like} ${digits ? sql`or n.text collate "C" like ${`%${digits}%`}` : sql``})`
}

/** One index lookup per index and kind, up to `max` ids. */
function matchPrefix(storeId: string, { search, isRegistered }: CustomerFilter, max: number) {
  const kinds = isRegistered === null ? [true, false] : [isRegistered]
  const branches = kinds.flatMap((of) =>
    beginnings(search).map(
      (begins) => sql`(select s.id, s.first_seen_at from shoppers s
        where ${isListed(storeId, of)} and ${begins} limit ${max + 1})`,
    ),
  )
  return sql.join(branches, sql` union `)
}

/** For a shopper `s`: name, email or phone begins with the text. */
export const beginsWith = (search: string) => sql`(${sql.join(beginnings(search), sql` or `)})`

/** Full name, last name, email, or phone with or without its plus sign. */
function beginnings(search: string) {
  const text = search.toLowerCase()
  const number = isNumber(search) ? `+${search.replace(/\D/g, '')}` : '+'
  return [
    isPrefixedBy(sql`s.customer_name collate "C"`, text),
    isPrefixedBy(sql`lower(s.customer_last_name) collate "C"`, text),
    isPrefixedBy(sql`s.customer_email collate "C"`, text),
    ...(number === '+' ? [] : [isPrefixedBy(sql`s.customer_phone collate "C"`, number)]),
  ]
}

const isNumber = (search: string) => /^[+(0-9][0-9 ()./-]*$/.test(search.trim())

/** A range instead of LIKE: the planner recognizes it before it knows the text. */
const isPrefixedBy = (column: RawBuilder<unknown>, text: string) =>
  sql`(${column} >= ${text} and ${column} < ${`${text}\u{10ffff}`})`

/** null: both registered customers and guests. */
type IsRegistered = boolean | null

const isOfKind = (isRegistered: IsRegistered) =>
  isRegistered === null ? sql`` : sql`and is_registered = ${isRegistered}`

async function countListed({ db, storeId }: StoreDb, isRegistered: IsRegistered): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select coalesce(sum(change), 0)::int as total from customer_counts
    where store_id = ${storeId} ${isOfKind(isRegistered)}`.execute(db)
  return rows[0]!.total
}

/**
 * The day on which the running count passes `offset`, from the newest (`isNewest`) or the oldest, and how many come
 * before it.
 */
async function dayAt(
  { db, storeId }: StoreDb,
  { isRegistered, offset, isNewest }: { isRegistered: IsRegistered; offset: number; isNewest: boolean },
): Promise<{ midnight: number; passed: number } | undefined> {
  const [direction, back] = isNewest ? [sql`desc`, sql`asc`] : [sql`asc`, sql`desc`]
  const { rows } = await sql<{ day: string; passed: number }>`
    select day, passed::int from (
      select day, sum(customers) over (order by day ${direction}) - customers as passed from (
        select day, sum(change) as customers from customer_counts
        where store_id = ${storeId} ${isOfKind(isRegistered)} group by day having sum(change) > 0) days) sums
    where passed <= ${offset} order by day ${back} limit 1`.execute(db)
  const [row] = rows
  return row && { midnight: Date.parse(`${row.day}T00:00:00Z`), passed: row.passed }
}
