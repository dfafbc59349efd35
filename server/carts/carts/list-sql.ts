import type { CartBadge } from '../../../shared/carts.ts'
import { type RawBuilder, type StoreDb, sql } from '../../core/db/db.ts'
import { pageWindow } from '../../core/db/paging.ts'
import { BADGE, CART_COLUMNS } from './fragments.ts'

// What the cart screens read. Every order of the list has an index that serves it, forwards and backwards. The carts of one badge are listed from
// `cart_badges` by their last activity. In another order, and for a search, they are gathered and sorted where they are few; else the index of all
// carts is read, and each is looked up among those of the badge.

export interface CartFilter {
  page: number
  limit: number
  badge: CartBadge | null
  search: string
  sort: 'timestamp' | 'value' | 'customer' | 'email' | 'phone' | 'items' | 'status'
  order: 'asc' | 'desc'
}

/** As the indexes are made; the other direction reads them from the end. */
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
  const columns = ORDERS[sort].map(([column, way]) => sql`${column} ${sql.raw(isForwards ? way : OPPOSITE[way])}`)
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
  items: import('../../../shared/carts.ts').CartItem[]
  value_minor: number
  currency: string
  last_activity_at: Date
  abandoned_at: Date | null
  badge: CartBadge
  status: 'active' | 'abandoned' | 'recovered' | 'purchased' | 'emptied' | 'lost' | 'merged'
  is_void: boolean
}

/** Totals of searches are exact up to here. */
export const MOST_COUNTED = 1_000
/** So many matches are gathered and sorted; where there are more, they are met soon enough on the way through the list in its order. */
export const MOST_GATHERED = 5_000
/** So many of the newest carts are judged for a reach filter: each costs several look-ups. */
export const MOST_EVALUATED = 5_000
/** Where nothing begins with a text it is looked for anywhere in so many of the newest carts. */
export const MOST_LOOKED_THROUGH = 20_000

export interface CartTotal {
  total: number
  /** There are more than `total`. */
  isCapped: boolean
  /** There are more than can be gathered. */
  isMany: boolean
  /** Listed carts of the filter's badge, searched or not; null: there is no badge. */
  ofBadge: number | null
  /** Nothing begins with what is searched for, so it is looked for anywhere in name, email and phone of the newest. */
  isAnywhere: boolean
  /** There were more carts than could be looked through. */
  isPartial: boolean
  /** Of a reach filter: these carts and no others. */
  among: readonly string[] | null
  /** More carts were there than are judged for it. */
  isEvaluatedInPart: boolean
}

const NONE: CartTotal = {
  ...{ total: 0, isCapped: false, isMany: false, ofBadge: null, isAnywhere: false, isPartial: false },
  ...{ among: null, isEvaluatedInPart: false },
}

/** Without search from the counters; with search by counting, as far as anybody reads. */
export async function countCarts(store: StoreDb, filter: Pick<CartFilter, 'badge' | 'search'>): Promise<CartTotal> {
  const ofBadge = filter.badge && (await countListed(store, filter.badge))
  if (!filter.search) return { ...NONE, total: ofBadge ?? (await countListed(store, null)), ofBadge }
  const begun = await countFound(store, filter, { ofBadge, isAnywhere: false })
  // Whether a text is looked for anywhere must not depend on the badge.
  const ofAll = { ofBadge: null, isAnywhere: false, most: 1 }
  if (begun > 0 || (filter.badge && (await countFound(store, { ...filter, badge: null }, ofAll)) > 0)) {
    return { ...NONE, ...capped(begun), ofBadge }
  }
  const found = await countFound(store, filter, { ofBadge, isAnywhere: true })
  const isPartial = (ofBadge ?? (await countListed(store, null))) > MOST_LOOKED_THROUGH
  return { ...NONE, ...capped(found), ofBadge, isAnywhere: true, isPartial }
}

const capped = (found: number) => ({
  total: Math.min(found, MOST_COUNTED),
  isCapped: found > MOST_COUNTED,
  isMany: found > MOST_GATHERED,
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
  { ofBadge, isAnywhere, most = MOST_GATHERED }: { ofBadge: number | null; isAnywhere: boolean; most?: number },
) {
  const found = isAnywhere ? anywhere(storeId, filter, ofBadge) : beginning(storeId, filter, { ofBadge, most })
  const rows = await sql<{ total: number }>`
    select count(*)::int as total from (select 1 from (${found}) each limit ${most + 1}) found`.execute(db)
  return rows.rows[0]!.total
}

/** So many entries of an index are passed over in a few milliseconds; beyond them it pays to know at which day to begin. */
const FAR = 2_000

/** The page's ids come from an index alone, read from its nearer end or from its day; only then are rows looked at. */
export async function listCarts(store: StoreDb, filter: CartFilter, counted: CartTotal): Promise<ListedCart[]> {
  const { db, storeId } = store
  const window = pageWindow(filter, counted.total, !filter.search)
  if (!window) return []
  const { offset, limit, isFromEnd } = window
  const isWanted = ORDERS[filter.sort][0]![1].startsWith(filter.order)
  const isForwards = isWanted !== isFromEnd
  const isFar = !counted.among && !filter.search && filter.sort === 'timestamp' && offset > FAR
  const begin = isFar ? await dayAt(store, filter.badge, offset, isForwards) : { passed: 0, bound: sql`` }
  const rows = await sql<ListedCart>`
    select ${CART_COLUMNS} from (
      select c.id from ${sourceOf(storeId, filter, counted, { sort: filter.sort, most: offset + limit })} ${begin.bound}
      order by ${orderBy(filter.sort, isForwards)} limit ${limit} offset ${offset - begin.passed}) wanted
    join carts c on c.store_id = ${storeId} and c.id = wanted.id
    order by ${orderBy(filter.sort, isWanted)}`.execute(db)
  return rows.rows
}

/** The day in which so many carts are passed, from the newest (`isNewest`) or the oldest on, and how many stand before it. */
async function dayAt({ db, storeId }: StoreDb, badge: CartBadge | null, offset: number, isNewest: boolean) {
  const [way, back] = isNewest ? [sql`desc`, sql`asc`] : [sql`asc`, sql`desc`]
  const { rows } = await sql<{ day: string; passed: number }>`
    select day, passed::int from (
      select day, sum(carts) over (order by day ${way}) - carts as passed from (
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

/** All carts of a filter, newest activity first, in pages: one statement each, so that nothing is held while somebody downloads. */
export async function* pagesOfCarts(
  { db, storeId }: StoreDb,
  filter: Pick<CartFilter, 'badge' | 'search'>,
  counted: CartTotal,
  size: number,
): AsyncGenerator<ListedCart[]> {
  const source = sourceOf(storeId, filter, counted)
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

/** Abandonment is never later than this after the last activity: the longest timeout of a store. */
const LONGEST_TIMEOUT_MS = 7 * DAY_MS

/** The newest of a filter's carts that were abandoned since then, one more than are judged. */
export async function newestIds(
  { db, storeId }: StoreDb,
  filter: Pick<CartFilter, 'badge' | 'search'>,
  counted: CartTotal,
  since: Date | null,
): Promise<string[]> {
  const span = since
    ? sql`and c.last_activity_at >= ${new Date(since.getTime() - LONGEST_TIMEOUT_MS)} and c.abandoned_at >= ${since}`
    : sql``
  const rows = await sql<{ id: string }>`
    select c.id from ${sourceOf(storeId, filter, counted)} ${span}
    order by ${orderBy('timestamp', true)} limit ${MOST_EVALUATED + 1}`.execute(db)
  return rows.rows.map(({ id }) => id)
}

/** Of these carts those of shoppers of a country; null: of none that is known. */
export async function idsOfCountry(
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

/** Of these carts those that hold a product. Those of very many products have no keys. */
export async function idsOfProduct(
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
  /** Rows that are read of it. */
  most?: number
}

/** Within this part of a badge's carts, few of the others are passed. */
const NEAR = 0.02

/** Few matches are gathered and sorted; many are met soon enough on the way through the list in its order. */
function sourceOf(
  storeId: string,
  filter: Pick<CartFilter, 'badge' | 'search'>,
  { isMany, ofBadge, isAnywhere, among }: CartTotal,
  { sort, most = Number.POSITIVE_INFINITY }: Reading = {},
) {
  const isNear = ofBadge !== null && most <= NEAR * ofBadge
  const carts = sql`carts c where ${listed(storeId, filter, ofBadge, isNear ? 0 : MOST_HASHED)}`
  const withBadge = (from: RawBuilder<unknown>) =>
    sort === 'status' ? sql`(select c.id, c.last_activity_at, ${BADGE} as badge from ${from}) c where true` : from
  if (among) return withBadge(sql`${carts} and c.id = any(${[...among]}::uuid[])`)
  if (!filter.search) {
    const isByBadge = sort === 'status' || (sort === 'timestamp' && filter.badge)
    return isByBadge ? sql`(${badges(storeId, filter.badge)}) c where true` : carts
  }
  if (isMany && !isAnywhere) {
    // Said to be true, the condition fits no index: by an index of texts all that fit would be read and sorted.
    const fits = sql`(${sql.join(beginnings(filter.search), sql` or `)}) is true`
    return sort === 'status' ? badgesOf(storeId, filter.badge, fits) : sql`${carts} and ${fits}`
  }
  const found = isAnywhere
    ? anywhere(storeId, filter, ofBadge)
    : beginning(storeId, filter, { ofBadge, most: MOST_GATHERED })
  // The usual order is known from the indexes that were searched.
  if (sort === 'timestamp') return sql`(${found}) c where true`
  return withBadge(sql`carts c where c.store_id = ${storeId} and c.id = any(array(select id from (${found}) found))`)
}

/** The listed carts of a badge, or of all, in names that carts have. */
const badges = (storeId: string, badge: CartBadge | null) => sql`
  select b.cart_id as id, b.badge, b.listed_at as last_activity_at from cart_badges b
  where b.store_id = ${storeId} and b.listed_at is not null ${badge ? sql`and b.badge = ${badge}` : sql``}`

/** The same, of carts `c` that fit. */
const badgesOf = (storeId: string, badge: CartBadge | null, fits: RawBuilder<unknown>) => sql`(
  select g.* from (${badges(storeId, badge)}) g
  where exists (select 1 from carts c where c.store_id = ${storeId} and c.id = g.id and ${fits} offset 0)) c where true`

/** So many ids fit in the hash table of a statement. */
const MOST_HASHED = 100_000
/** So many are worth one for each index of a search. */
const MOST_HASHED_EACH = 20_000

function listed(
  storeId: string,
  { badge }: Pick<CartFilter, 'badge'>,
  ofBadge: number | null,
  mostHashed = MOST_HASHED,
) {
  return sql`c.store_id = ${storeId} and c.status in ('abandoned', 'recovered', 'lost')
    ${badge ? sql`and ${isOf(storeId, badge, { ofBadge: ofBadge ?? 0, mostHashed })}` : sql``}`
}

/**
 * Few are looked up by their ids. Of more a hash table is made: the planner makes no join of a condition that is said to be true, and believes the
 * limit. Very many are asked for cart by cart; `offset 0` makes no join of it.
 */
function isOf(storeId: string, badge: CartBadge, { ofBadge, mostHashed }: { ofBadge: number; mostHashed: number }) {
  const ids = sql`select g.id from (${badges(storeId, badge)}) g`
  if (ofBadge <= MOST_GATHERED) return sql`c.id = any(array(${ids}))`
  if (ofBadge <= mostHashed) return sql`(c.id in (${ids} limit ${sql.lit(1.5 * MOST_HASHED)})) is true`
  return sql`exists (select 1 from cart_badges b
    where b.store_id = c.store_id and b.cart_id = c.id and b.badge = ${badge} offset 0)`
}

/** Ids, as many as stand in the newest: reading all texts of a large store through would take seconds. The index has the texts of all carts. */
function anywhere(storeId: string, { badge, search }: Pick<CartFilter, 'badge' | 'search'>, ofBadge: number | null) {
  const like = `%${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
  const isHashed = ofBadge !== null && ofBadge > MOST_GATHERED && ofBadge <= MOST_HASHED
  const newest =
    badge && !isHashed
      ? sql`select g.id, g.last_activity_at, c.search from (
        select * from (${badges(storeId, badge)}) b order by b.last_activity_at desc, b.id desc limit ${MOST_LOOKED_THROUGH}) g
      cross join lateral (select c.search from carts c where c.store_id = ${storeId} and c.id = g.id offset 0) c`
      : sql`select c.id, c.last_activity_at, c.search from carts c where ${listed(storeId, { badge }, ofBadge)}
      order by c.last_activity_at desc, c.id desc limit ${MOST_LOOKED_THROUGH}`
  return sql`select n.id, n.last_activity_at from (${newest}) n where n.search collate "C" like ${like}`
}

/** Ids by one look into each index, so many that more need not be counted; of few carts by a look at each. */
function beginning(
  storeId: string,
  filter: Pick<CartFilter, 'badge' | 'search'>,
  { ofBadge, most }: { ofBadge: number | null; most: number },
) {
  const begins = beginnings(filter.search)
  const isFew = ofBadge !== null && ofBadge <= MOST_GATHERED
  const looks = (isFew ? [sql`(${sql.join(begins, sql` or `)}) is true`] : begins).map(
    (fits) => sql`(select c.id, c.last_activity_at from carts c
        where ${listed(storeId, filter, ofBadge, MOST_HASHED_EACH)} and ${fits} limit ${most + 1})`,
  )
  return sql.join(looks, sql` union `)
}

/** The whole name, the last name, the email, or the number with or without its plus sign. */
function beginnings(search: string) {
  const text = search.toLowerCase()
  const number = /^[+0-9][0-9 ().-]*$/.test(search) ? `+${search.replace(/\D/g, '')}` : '+'
  return [
    between(sql`c.search collate "C"`, text),
    between(sql`substring(lower(c.customer_name) from '[^ ]+$') collate "C"`, text),
    between(sql`c.email collate "C"`, text),
    ...(number === '+' ? [] : [between(sql`c.phone collate "C"`, number)]),
  ]
}

/** Not LIKE: as a range it is known to be one before the planner knows the text. */
const between = (column: RawBuilder<unknown>, text: string) =>
  sql`(${column} >= ${text} and ${column} < ${`${text}\u{10ffff}`})`
