import type { CustomerSort } from '../../../shared/customers.ts'
import { type RawBuilder, type StoreDb, sql } from '../../core/db/db.ts'
import { pageWindow } from '../../core/db/paging.ts'
import { countListed, dayAt, type IsRegistered } from './counts-sql.ts'
import { CUSTOMER_COLUMNS } from './fragments.ts'

// The list of customers, after the model of that of carts (`carts/list-sql.ts`). Registered ones and guests are two stretches of every
// index (`customer_list_…`): a filter reads one, the whole list reads both side by side in the order of the list.

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

type Way = 'asc' | 'desc' | 'asc nulls first'
const OPPOSITE = { asc: 'desc', desc: 'asc', 'asc nulls first': 'desc nulls last' } as const

/** As the indexes are made; the other direction reads them from the end. Missing values sort first. */
const ORDERS: Record<Exclude<CustomerSort, 'registered'>, [RawBuilder<unknown>, Way]> = {
  since: [sql`s.first_seen_at`, 'desc'],
  name: [sql`s.customer_name collate "C"`, 'asc'],
  email: [sql`s.customer_email collate "C"`, 'asc nulls first'],
  phone: [sql`s.customer_phone collate "C"`, 'asc nulls first'],
  company: [sql`lower(s.company) collate "C"`, 'asc nulls first'],
  last_login: [sql`s.last_login_at`, 'asc nulls first'],
}

/** Which way the index of a sort goes. */
const wayOf = (sort: CustomerSort): Way => (sort === 'registered' ? 'asc' : ORDERS[sort][1])

/** `as`: of rows that already have the column under this name. */
function orderBy(sort: CustomerSort, isForwards: boolean, as?: RawBuilder<unknown>) {
  const turned = (way: Way) => sql.raw(isForwards ? way : OPPOSITE[way])
  if (sort === 'registered') {
    return sql`s.is_registered ${turned('asc')}, s.first_seen_at ${turned('desc')}, s.id ${turned('desc')}`
  }
  const [column, way] = ORDERS[sort]
  return sql`${as ?? column} ${turned(way)}, s.id ${turned(way === 'desc' ? 'desc' : 'asc')}`
}

/** Totals of searches are exact up to here. */
const MOST_COUNTED = 1_000
/** So many matches are gathered and sorted; where there are more, they are met soon enough on the way through the list in its order. */
const MOST_GATHERED = 5_000
/** Where nothing begins with a text it is looked for anywhere in so many of the newest customers. */
export const MOST_LOOKED_THROUGH = 10_000

export interface CustomerTotal {
  total: number
  /** There are more than `total`. */
  isCapped: boolean
  /** There are more than can be gathered. */
  isMany: boolean
  /** Nothing begins with what is searched for, so it is looked for anywhere in name, email and phone of the newest. */
  isAnywhere: boolean
  /** There were more customers than could be looked through. */
  isPartial: boolean
}

const NONE: CustomerTotal = { total: 0, isCapped: false, isMany: false, isAnywhere: false, isPartial: false }

/** Without search from the counters; with search by counting, as far as anybody reads. */
export async function countCustomers(store: StoreDb, filter: CustomerFilter): Promise<CustomerTotal> {
  if (!filter.search) return { ...NONE, total: await countListed(store, filter.isRegistered) }
  const { storeId } = store
  const begun = await countFound(store, beginning(storeId, filter, MOST_GATHERED))
  // Whether a text is looked for anywhere must not depend on the filter.
  const others = { ...filter, isRegistered: null }
  if (begun > 0 || (filter.isRegistered !== null && (await countFound(store, beginning(storeId, others, 1))) > 0)) {
    return { ...NONE, ...capped(begun) }
  }
  const [found, listed] = await Promise.all([
    countFound(store, anywhere(storeId, filter)),
    countListed(store, filter.isRegistered),
  ])
  return { ...NONE, ...capped(found), isAnywhere: true, isPartial: listed > MOST_LOOKED_THROUGH }
}

const capped = (found: number) => ({
  total: Math.min(found, MOST_COUNTED),
  isCapped: found > MOST_COUNTED,
  isMany: found > MOST_GATHERED,
})

async function countFound({ db }: StoreDb, found: RawBuilder<unknown>) {
  const { rows } = await sql<{ total: number }>`
    select count(*)::int as total from (${found} limit ${MOST_GATHERED + 1}) found`.execute(db)
  return rows[0]!.total
}

/** So many entries of an index are passed over in a few milliseconds; beyond them it pays to know at which day to begin. */
const FAR = 2_000

/** The page's ids come from an index alone, read from its nearer end or from its day; only then are rows looked at. */
export async function listCustomersOf(
  store: StoreDb,
  query: CustomerQuery,
  counted: CustomerTotal,
): Promise<ListedCustomer[]> {
  const { db, storeId } = store
  const { sort } = query
  const window = pageWindow(query, counted.total, !query.search)
  if (!window) return []
  const { offset, limit, isFromEnd } = window
  const isWanted = wayOf(sort).startsWith(query.order)
  const isForwards = isWanted !== isFromEnd
  const isFar = !query.search && sort === 'since' && offset > FAR
  const begin = isFar ? await boundAt(store, query, offset, isForwards) : { passed: 0, bound: sql`` }
  const place = { sort, isForwards, bound: begin.bound, limit, offset: offset - begin.passed }
  const { rows } = await sql<ListedCustomer>`
    select ${CUSTOMER_COLUMNS} from (${idsAt(storeId, query, counted, place)}) wanted
    join shoppers s on s.store_id = ${storeId} and s.id = wanted.id
    order by ${orderBy(sort, isWanted)}`.execute(db)
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

/** All customers of a filter, newest first, in pages: one statement each, so that nothing is held while somebody downloads. */
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

interface Place {
  sort: CustomerSort
  isForwards: boolean
  /** Begins there. */
  bound: RawBuilder<unknown>
  limit: number
  offset: number
}

/**
 * The ids of a page. Few matches are gathered and sorted; many are met soon enough on the way through the list in its order. Both kinds are
 * read side by side, each as far as it may be needed: that each is sorted and ends is what lets the planner read two indexes at once.
 */
function idsAt(storeId: string, filter: CustomerFilter, { isMany, isAnywhere }: CustomerTotal, place: Place) {
  const { search, isRegistered } = filter
  const { sort, isForwards, bound, limit, offset } = place
  const order = orderBy(sort, isForwards)
  const part = sql`limit ${limit} offset ${offset}`
  if (search && !isMany) {
    const found = isAnywhere ? anywhere(storeId, filter) : beginning(storeId, filter, MOST_GATHERED)
    // The usual order is known from the indexes that were searched.
    if (sort === 'since') return sql`select s.id from (${found}) s where true ${bound} order by ${order} ${part}`
    return sql`select s.id from shoppers s where s.store_id = ${storeId} and s.id = any(array(select id from (${found}) found))
      order by ${order} ${part}`
  }
  const matching = search ? sql`and ${beginsWith(search)}` : sql``
  const stretch = (of: IsRegistered) =>
    sql`from shoppers s where ${listed(storeId, of)} ${matching} ${bound} order by ${order}`
  if (isRegistered !== null || sort === 'registered') return sql`select s.id ${stretch(isRegistered)} ${part}`
  const key = ORDERS[sort][0]
  const each = [true, false].map((of) => sql`(select s.id, ${key} as key ${stretch(of)} limit ${limit + offset})`)
  return sql`select s.id from (${sql.join(each, sql` union all `)}) s order by ${orderBy(sort, isForwards, sql`s.key`)} ${part}`
}

const listed = (storeId: string, isRegistered: IsRegistered) => sql`s.store_id = ${storeId} and s.is_customer
  ${isRegistered === null ? sql`` : sql`and s.is_registered = ${sql.raw(String(isRegistered))}`}`

/** Ids, of as many as stand in the newest: reading all texts of a large store through would take seconds. */
function anywhere(storeId: string, { search, isRegistered }: CustomerFilter) {
  const like = `%${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
  const newest = (of: boolean) => sql`
    (select s.id, s.first_seen_at, concat_ws(' ', s.customer_name, s.customer_email, s.customer_phone) as text from shoppers s
      where ${listed(storeId, of)} order by s.first_seen_at desc, s.id desc limit ${MOST_LOOKED_THROUGH})`
  // Numbers are kept without what people put between their digits.
  const digits = isNumber(search) ? search.replace(/\D/g, '') : ''
  const kinds = isRegistered === null ? [true, false] : [isRegistered]
  return sql`select n.id, n.first_seen_at from (
      select * from (${sql.join(kinds.map(newest), sql` union all `)}) both_kinds
      order by first_seen_at desc, id desc limit ${MOST_LOOKED_THROUGH}) n
    where (n.text collate "C" like ${like} ${digits ? sql`or n.text collate "C" like ${`%${digits}%`}` : sql``})`
}

/** Ids by one look into each index for each kind, so many that more need not be counted. */
function beginning(storeId: string, { search, isRegistered }: CustomerFilter, most: number) {
  const kinds = isRegistered === null ? [true, false] : [isRegistered]
  const looks = kinds.flatMap((of) =>
    beginnings(search).map(
      (begins) => sql`(select s.id, s.first_seen_at from shoppers s
        where ${listed(storeId, of)} and ${begins} limit ${most + 1})`,
    ),
  )
  return sql.join(looks, sql` union `)
}

/** Of a shopper `s`: something of them begins with the text. */
export const beginsWith = (search: string) => sql`(${sql.join(beginnings(search), sql` or `)})`

/** The whole name, which begins with the first, the last name, the email, or the number with or without its plus sign. */
function beginnings(search: string) {
  const text = search.toLowerCase()
  const number = isNumber(search) ? `+${search.replace(/\D/g, '')}` : '+'
  return [
    between(sql`s.customer_name collate "C"`, text),
    between(sql`lower(s.customer_last_name) collate "C"`, text),
    between(sql`s.customer_email collate "C"`, text),
    ...(number === '+' ? [] : [between(sql`s.customer_phone collate "C"`, number)]),
  ]
}

const isNumber = (search: string) => /^[+(0-9][0-9 ()./-]*$/.test(search.trim())

/** Not LIKE: as a range it is known to be one before the planner knows the text. */
const between = (column: RawBuilder<unknown>, text: string) =>
  sql`(${column} >= ${text} and ${column} < ${`${text}\u{10ffff}`})`
