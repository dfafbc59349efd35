import type { CartBadge } from '../../../shared/carts/carts.ts'
import { getCurrencyExponent } from '../../../shared/core/money.ts'
import { findPageWindow, type RawBuilder, type StoreDb, sql } from '../../core/db/public.ts'
import { BADGE, CART_COLUMNS } from './fragments.ts'

// Reads of the cart screens. Each sort order has an index that serves both directions. Carts of one badge are listed
// from `cart_badges` by last activity. For another order or a search, few matches are gathered and sorted. For many,
// the index of all carts is read in order and each cart is checked for the badge.

export interface CartFilter {
  page: number
  limit: number
  badge: CartBadge | null
  search: string
  sort: 'timestamp' | 'value' | 'customer' | 'email' | 'phone' | 'items' | 'status'
  order: 'asc' | 'desc'
}

/** Sort columns in index order; the other direction reads the index backwards. */
const ORDERS: Record<CartFilter['sort'], [RawBuilder<unknown>, 'asc' | 'desc' | 'asc nulls first'][]> = {
  timestamp: [
    [sql`last_activity_at`, 'desc'],
    [sql`id`, 'desc'],
  ],
  value: [
    [sql`value_minor`, 'desc'],
    [sql`id`, 'desc'],
  ],
  customer: [
    [sql`search collate "C"`, 'asc'],
    [sql`id`, 'asc'],
  ],
  email: [
    [sql`email collate "C"`, 'asc nulls first'],
    [sql`id`, 'asc'],
  ],
  phone: [
    [sql`phone collate "C"`, 'asc nulls first'],
    [sql`id`, 'asc'],
  ],
  items: [
    [sql`item_count`, 'asc'],
    [sql`id`, 'asc'],
  ],
  status: [
    [sql`badge`, 'asc'],
    [sql`last_activity_at`, 'desc'],
    [sql`id`, 'desc'],
  ],
}

const OPPOSITE = { asc: 'desc', desc: 'asc', 'asc nulls first': 'desc nulls last' } as const

function orderBy(sort: CartFilter['sort'], isForwards: boolean) {
  const columns = ORDERS[sort].map(
    ([column, direction]) => sql`${column} ${sql.raw(isForwards ? direction : OPPOSITE[direction])}`,
  )
  return sql.join(columns)
}

export interface ListedCart {
  id: string
  customer_id: string | null
  customer_name: string
  first_name: string | null
  last_name: string | null
  email: string | null
  phone: string | null
  unconfirmed_email: string | null
  unconfirmed_phone: string | null
  coupons: string[]
  items: import('../../../shared/carts/carts.ts').CartItem[]
  value_minor: number
  currency: string
  last_activity_at: Date
  abandoned_at: Date | null
  badge: CartBadge
  status: 'active' | 'abandoned' | 'recovered' | 'purchased' | 'emptied' | 'lost' | 'merged'
  is_void: boolean
}

/** Totals of searches are exact up to this number. */
export const MAX_COUNTED = 1_000
/** Up to this many matches are gathered and sorted. More are found quickly by reading the list in order. */
export const MAX_GATHERED = 5_000
/** Limit of newest carts checked by a reach filter: each check costs several queries. */
export const MAX_EVALUATED = 5_000
/** Limit of newest carts searched by substring when no prefix matches. */
export const MAX_SEARCHED = 20_000

export interface CartTotal {
  total: number
  /** Whether there are more than `total`. */
  isCapped: boolean
  /** Whether there are more than can be gathered. */
  isMany: boolean
  /** Listed carts with the filter's badge, regardless of the search; null without a badge. */
  ofBadge: number | null
  /** No prefix matches, so name, email and phone of the newest carts are searched by substring. */
  isAnywhere: boolean
  /** Whether more carts exist than were searched. */
  isPartial: boolean
  /** Result of a reach filter: exactly these carts. */
  among: readonly string[] | null
  /** Whether more carts exist than the reach filter checked. */
  isEvaluatedInPart: boolean
}

const NO_CARTS: CartTotal = {
  total: 0,
  isCapped: false,
  isMany: false,
  ofBadge: null,
  isAnywhere: false,
  isPartial: false,
  among: null,
  isEvaluatedInPart: false,
}

/** Without a search from the counters, with a search by counting up to a limit. */
export async function countCarts(store: StoreDb, filter: Pick<CartFilter, 'badge' | 'search'>): Promise<CartTotal> {
  const ofBadge = filter.badge && (await countListed(store, filter.badge))
  if (!filter.search) return { ...NO_CARTS, total: ofBadge ?? (await countListed(store, null)), ofBadge }
  const begun = await countFound(store, filter, { ofBadge, isAnywhere: false })
  // Whether to search by substring must not depend on the badge.
  const ofAll = { ofBadge: null, isAnywhere: false, max: 1 }
  if (begun > 0 || (filter.badge && (await countFound(store, { ...filter, badge: null }, ofAll)) > 0)) {
    return { ...NO_CARTS, ...capTotal(begun), ofBadge }
  }
  const found = await countFound(store, filter, { ofBadge, isAnywhere: true })
  const isPartial = (ofBadge ?? (await countListed(store, null))) > MAX_SEARCHED
  return { ...NO_CARTS, ...capTotal(found), ofBadge, isAnywhere: true, isPartial }
}

const capTotal = (found: number) => ({
  total: Math.min(found, MAX_COUNTED),
  isCapped: found > MAX_COUNTED,
  isMany: found > MAX_GATHERED,
})

async function countListed({ db, storeId }: StoreDb, badge: CartBadge | null): Promise<number> {
  const rows = await sql<{ total: number }>`
    select coalesce(sum(change), 0)::int as total from cart_counts
    where store_id = ${storeId} ${badge ? sql`and badge = ${badge}` : sql``}`.execute(db)
  return rows.rows[0]!.total
}

async function countFound(
  { db, storeId }: StoreDb,
  filter: Pick<CartFilter, 'badge' | 'search'>,
  { ofBadge, isAnywhere, max = MAX_GATHERED }: { ofBadge: number | null; isAnywhere: boolean; max?: number },
) {
  const found = isAnywhere ? matchSubstring(storeId, filter, ofBadge) : matchPrefix(storeId, filter, { ofBadge, max })
  const rows = await sql<{ total: number }>`
    select count(*)::int as total from (select 1 from (${found}) each limit ${max + 1}) found`.execute(db)
  return rows.rows[0]!.total
}

/** An index skips this many entries in a few milliseconds; beyond, finding the start day first is faster. */
const FAR = 2_000

/** Reads the page's ids from an index alone, from its nearer end or from a day, before it reads rows. */
export async function listCarts(store: StoreDb, filter: CartFilter, counted: CartTotal): Promise<ListedCart[]> {
  const { db, storeId } = store
  const window = findPageWindow(filter, counted.total, !filter.search)
  if (!window) return []
  const { offset, limit, isFromEnd } = window
  const isSameDirection = ORDERS[filter.sort][0]![1].startsWith(filter.order)
  const isForwards = isSameDirection !== isFromEnd
  const isFar = !counted.among && !filter.search && filter.sort === 'timestamp' && offset > FAR
  const begin = isFar ? await findDayAt(store, filter.badge, offset, isForwards) : { passed: 0, bound: sql`` }
  const rows = await sql<ListedCart>`
    select ${CART_COLUMNS} from (
      select c.id from ${buildSource(storeId, filter, counted, { sort: filter.sort, max: offset + limit })} ${begin.bound}
      order by ${orderBy(filter.sort, isForwards)} limit ${limit} offset ${offset - begin.passed}) wanted
    join carts c on c.store_id = ${storeId} and c.id = wanted.id
    order by ${orderBy(filter.sort, isSameDirection)}`.execute(db)
  return rows.rows
}

/**
 * The day that contains the offset, from the newest (`isNewest`) or oldest, and the number of carts before that day.
 */
async function findDayAt({ db, storeId }: StoreDb, badge: CartBadge | null, offset: number, isNewest: boolean) {
  const [direction, back] = isNewest ? [sql`desc`, sql`asc`] : [sql`asc`, sql`desc`]
  const { rows } = await sql<{ day: string; passed: number }>`
    select day, passed::int from (
      select day, sum(carts) over (order by day ${direction}) - carts as passed from (
        select day, sum(change) as carts from cart_counts
        where store_id = ${storeId} ${badge ? sql`and badge = ${badge}` : sql``} group by day having sum(change) > 0) days) sums
    where passed <= ${offset} order by day ${back} limit 1`.execute(db)
  const { day, passed } = rows[0] ?? { day: null, passed: 0 }
  if (!day) return { passed: 0, bound: sql`` }
  const midnight = Date.parse(`${day}T00:00:00Z`)
  const bound = isNewest
    ? sql`and c.last_activity_at < ${new Date(midnight + DAY_MS)}`
    : sql`and c.last_activity_at >= ${new Date(midnight)}`
  return { passed, bound }
}

const DAY_MS = 86_400_000

/** All carts of a filter, newest activity first. One statement per page, so that a slow download holds no snapshot. */
export async function* readCartPages(
  { db, storeId }: StoreDb,
  filter: Pick<CartFilter, 'badge' | 'search'>,
  counted: CartTotal,
  size: number,
): AsyncGenerator<ListedCart[]> {
  const source = buildSource(storeId, filter, counted)
  const order = orderBy('timestamp', true)
  let last: ListedCart | undefined
  for (;;) {
    const below = last ? sql`and (c.last_activity_at, c.id) < (${last.last_activity_at}, ${last.id})` : sql``
    const { rows } = await sql<ListedCart>`
      select ${CART_COLUMNS} from ${source} ${below} order by ${order} limit ${size}`.execute(db)
    yield rows
    if (rows.length < size) return
    last = rows.at(-1)
  }
}

/** The longest timeout of a store: abandonment is never later than this after the last activity. */
const LONGEST_TIMEOUT_MS = 7 * DAY_MS

/** The newest carts of a filter abandoned since then, one more than the limit, so that the caller sees the excess. */
export async function selectNewestIds(
  { db, storeId }: StoreDb,
  filter: Pick<CartFilter, 'badge' | 'search'>,
  counted: CartTotal,
  since: Date | null,
): Promise<string[]> {
  const span = since
    ? sql`and c.last_activity_at >= ${new Date(since.getTime() - LONGEST_TIMEOUT_MS)} and c.abandoned_at >= ${since}`
    : sql``
  const rows = await sql<{ id: string }>`
    select c.id from ${buildSource(storeId, filter, counted)} ${span}
    order by ${orderBy('timestamp', true)} limit ${MAX_EVALUATED + 1}`.execute(db)
  return rows.rows.map(({ id }) => id)
}

/** Value of each cart, as it was when it was abandoned. */
export async function readCartAmounts({ db, storeId }: StoreDb, ids: readonly string[]) {
  const { rows } = await sql<{ id: string; currency: string; minor: number }>`
    select id, btrim(currency) as currency, coalesce(abandoned_minor, value_minor) as minor from carts
    where store_id = ${storeId} and id = any(${[...ids]}::uuid[])`.execute(db)
  return new Map(
    rows.map(({ id, currency, minor }) => [id, { currency, amount: minor / 10 ** getCurrencyExponent(currency) }]),
  )
}

/** Those carts whose shopper is in a country; null: country unknown. */
export async function filterByCountry(
  { db, storeId }: StoreDb,
  ids: readonly string[],
  country: string | null,
): Promise<string[]> {
  const rows = await sql<{ id: string }>`
    select id from carts where store_id = ${storeId} and id = any(${[...ids]}::uuid[]) and coalesce(country, '') = ${country ?? ''}`.execute(
    db,
  )
  return rows.rows.map(({ id }) => id)
}

/** Those carts that hold a product. Carts with very many products have no keys and are missed. */
export async function filterByProduct(
  { db, storeId }: StoreDb,
  ids: readonly string[],
  productId: string,
): Promise<string[]> {
  const rows = await sql<{ id: string }>`
    select c.id from carts c where c.store_id = ${storeId} and c.id = any(${[...ids]}::uuid[])
      and (c.product_keys is null or hashtextextended(${productId}, 0) = any(c.product_keys))
      and exists (select 1 from jsonb_array_elements(c.items) item where item ->> 'productId' = ${productId})`.execute(
    db,
  )
  return rows.rows.map(({ id }) => id)
}

interface Reading {
  sort?: CartFilter['sort']
  /** Limit of rows to read. */
  max?: number
}

/** If a badge has at most this share of the carts, its carts are near each other in the index. */
const NEAR = 0.02

/** Few matches are gathered and sorted; many are found quickly by reading the list in order. */
function buildSource(
  storeId: string,
  filter: Pick<CartFilter, 'badge' | 'search'>,
  { isMany, ofBadge, isAnywhere, among }: CartTotal,
  { sort, max = Number.POSITIVE_INFINITY }: Reading = {},
) {
  const isNear = ofBadge !== null && max <= NEAR * ofBadge
  const carts = sql`carts c where ${selectListed(storeId, filter, ofBadge, isNear ? 0 : MAX_HASHED)}`
  const withBadge = (from: RawBuilder<unknown>) =>
    sort === 'status' ? sql`(select c.id, c.last_activity_at, ${BADGE} as badge from ${from}) c where true` : from
  if (among) return withBadge(sql`${carts} and c.id = any(${[...among]}::uuid[])`)
  if (!filter.search) {
    const isByBadge = sort === 'status' || (sort === 'timestamp' && filter.badge)
    return isByBadge ? sql`(${badges(storeId, filter.badge)}) c where true` : carts
  }
  if (isMany && !isAnywhere) {
    // `is true` fits no index, on purpose: an index of texts would read and sort all matches.
    const fits = sql`(${sql.join(prefixConditions(filter.search), sql` or `)}) is true`
    return sort === 'status' ? selectBadges(storeId, filter.badge, fits) : sql`${carts} and ${fits}`
  }
  const found = isAnywhere
    ? matchSubstring(storeId, filter, ofBadge)
    : matchPrefix(storeId, filter, { ofBadge, max: MAX_GATHERED })
  // The search indexes already return this order.
  if (sort === 'timestamp') return sql`(${found}) c where true`
  return withBadge(sql`carts c where c.store_id = ${storeId} and c.id = any(array(select id from (${found}) found))`)
}

/** Listed carts of a badge, or of all, with the column names of carts. */
const badges = (storeId: string, badge: CartBadge | null) => sql`
  select b.cart_id as id, b.badge, b.listed_at as last_activity_at from cart_badges b
  where b.store_id = ${storeId} and b.listed_at is not null ${badge ? sql`and b.badge = ${badge}` : sql``}`

/** The same, joined to carts `c` that match. */
const selectBadges = (storeId: string, badge: CartBadge | null, fits: RawBuilder<unknown>) => sql`(
  select g.* from (${badges(storeId, badge)}) g
  where exists (select 1 from carts c where c.store_id = ${storeId} and c.id = g.id and ${fits} offset 0)) c where true`

/** Limit of ids in the hash table of a statement. */
const MAX_HASHED = 100_000
/** The same for each index of a search. */
const MAX_HASHED_EACH = 20_000

function selectListed(
  storeId: string,
  { badge }: Pick<CartFilter, 'badge'>,
  ofBadge: number | null,
  mostHashed = MAX_HASHED,
) {
  return sql`c.store_id = ${storeId} and c.status in ('abandoned', 'recovered', 'lost')
    ${badge ? sql`and ${hasBadgeAmong(storeId, badge, { ofBadge: ofBadge ?? 0, mostHashed })}` : sql``}`
}

/**
 * Looks up few carts by id and hashes more. The planner does not turn a condition with `is true` into a join and
 * respects the limit. Very many are checked cart by cart; `offset 0` prevents a join.
 */
function hasBadgeAmong(
  storeId: string,
  badge: CartBadge,
  { ofBadge, mostHashed }: { ofBadge: number; mostHashed: number },
) {
  const ids = sql`select g.id from (${badges(storeId, badge)}) g`
  if (ofBadge <= MAX_GATHERED) return sql`c.id = any(array(${ids}))`
  if (ofBadge <= mostHashed) return sql`(c.id in (${ids} limit ${sql.lit(1.5 * MAX_HASHED)})) is true`
  return sql`exists (select 1 from cart_badges b
    where b.store_id = c.store_id and b.cart_id = c.id and b.badge = ${badge} offset 0)`
}

/** Ids of substring matches among the newest carts: a scan of a large store would take seconds. */
function matchSubstring(
  storeId: string,
  { badge, search }: Pick<CartFilter, 'badge' | 'search'>,
  ofBadge: number | null,
) {
  const like = `%${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
  const isHashed = ofBadge !== null && ofBadge > MAX_GATHERED && ofBadge <= MAX_HASHED
  const newest =
    badge && !isHashed
      ? sql`select g.id, g.last_activity_at, c.search from (
        select * from (${badges(storeId, badge)}) b order by b.last_activity_at desc, b.id desc limit ${MAX_SEARCHED}) g
      cross join lateral (select c.search from carts c where c.store_id = ${storeId} and c.id = g.id offset 0) c`
      : sql`select c.id, c.last_activity_at, c.search from carts c where ${selectListed(storeId, { badge }, ofBadge)}
      order by c.last_activity_at desc, c.id desc limit ${MAX_SEARCHED}`
  return sql`select n.id, n.last_activity_at from (${newest}) n where n.search collate "C" like ${like}`
}

/** Ids of prefix matches, one query per index up to a limit. If there are few carts, each is checked. */
function matchPrefix(
  storeId: string,
  filter: Pick<CartFilter, 'badge' | 'search'>,
  { ofBadge, max }: { ofBadge: number | null; max: number },
) {
  const begins = prefixConditions(filter.search)
  const isFew = ofBadge !== null && ofBadge <= MAX_GATHERED
  const branches = (isFew ? [sql`(${sql.join(begins, sql` or `)}) is true`] : begins).map(
    (fits) => sql`(select c.id, c.last_activity_at from carts c
        where ${selectListed(storeId, filter, ofBadge, MAX_HASHED_EACH)} and ${fits} limit ${max + 1})`,
  )
  return sql.join(branches, sql` union `)
}

/** Prefix of the full name, last name, email, or number with or without its plus sign. */
function prefixConditions(search: string) {
  const text = search.toLowerCase()
  const number = /^[+0-9][0-9 ().-]*$/.test(search) ? `+${search.replace(/\D/g, '')}` : '+'
  return [
    prefixRange(sql`c.search collate "C"`, text),
    prefixRange(sql`substring(lower(c.customer_name) from '[^ ]+$') collate "C"`, text),
    prefixRange(sql`c.email collate "C"`, text),
    ...(number === '+' ? [] : [prefixRange(sql`c.phone collate "C"`, number)]),
  ]
}

/** A range instead of LIKE: the planner recognizes it before it knows the text. */
const prefixRange = (column: RawBuilder<unknown>, text: string) =>
  sql`(${column} >= ${text} and ${column} < ${`${text}\u{10ffff}`})`
