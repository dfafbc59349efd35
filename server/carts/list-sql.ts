import type { CartBadge } from '../../shared/carts.ts'
import { type RawBuilder, type StoreDb, sql } from '../db.ts'

// What the cart screens read. Every order of the list has an index that serves it, forwards and backwards.

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
  customer_name: string
  first_name: string | null
  last_name: string | null
  email: string | null
  phone: string | null
  items: import('../../shared/carts.ts').CartItem[]
  value_minor: number
  currency: string
  last_activity_at: Date
  abandoned_at: Date | null
  badge: CartBadge
  status: 'active' | 'abandoned' | 'recovered' | 'purchased' | 'emptied' | 'lost' | 'merged'
}

const SELECT = sql`c.id, c.customer_name, c.fold -> 'contact' ->> 'firstName' as first_name,
  c.fold -> 'contact' ->> 'lastName' as last_name, c.email, c.phone, c.items, c.value_minor, c.currency,
  c.last_activity_at, c.abandoned_at, c.badge, c.status`

/** Totals of searches are exact up to here. */
export const MOST_COUNTED = 1_000
/** So many matches are gathered and sorted; where there are more, they are met soon enough on the way through the list in its order. */
export const MOST_GATHERED = 5_000
/** Where nothing begins with a text it is looked for anywhere in so many of the newest carts. */
export const MOST_LOOKED_THROUGH = 20_000

export interface CartTotal {
  total: number
  /** There are more than `total`. */
  isCapped: boolean
  /** There are more than can be gathered. */
  isMany: boolean
  /** Nothing begins with what is searched for, so it is looked for anywhere in name, email and phone of the newest. */
  isAnywhere: boolean
  /** There were more carts than could be looked through. */
  isPartial: boolean
}

/** Without search from the counters; with search by counting, as far as anybody reads. */
export async function countCarts(store: StoreDb, filter: Pick<CartFilter, 'badge' | 'search'>): Promise<CartTotal> {
  const none = { total: 0, isCapped: false, isMany: false, isAnywhere: false, isPartial: false }
  if (!filter.search) return { ...none, total: await countListed(store, filter.badge) }
  const begun = await countFound(store, filter, false)
  // Whether a text is looked for anywhere must not depend on the badge.
  if (begun > 0 || (filter.badge && (await countFound(store, { ...filter, badge: null }, false, 1)) > 0)) {
    return { ...none, ...capped(begun) }
  }
  const [found, listed] = await Promise.all([countFound(store, filter, true), countListed(store, filter.badge)])
  return { ...none, ...capped(found), isAnywhere: true, isPartial: listed > MOST_LOOKED_THROUGH }
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
  isAnywhere: boolean,
  most = MOST_GATHERED,
) {
  const found = isAnywhere ? anywhere(storeId, filter) : beginning(storeId, filter, most)
  const rows = await sql<{ total: number }>`
    select count(*)::int as total from (${found} limit ${most + 1}) found`.execute(db)
  return rows.rows[0]!.total
}

/** So many entries of an index are passed over in a few milliseconds; beyond them it pays to know at which day to begin. */
const FAR = 2_000

/** The page's ids come from an index alone, read from its nearer end or from its day; only then are rows looked at. */
export async function listCarts(store: StoreDb, filter: CartFilter, counted: CartTotal): Promise<ListedCart[]> {
  const { db, storeId } = store
  const { total } = counted
  const start = (filter.page - 1) * filter.limit
  const limit = Math.min(filter.limit, total - start)
  if (limit <= 0) return []
  const isWanted = ORDERS[filter.sort][0]![1].startsWith(filter.order)
  const isFromEnd = !filter.search && start > 0 && start + limit > total / 2
  const offset = isFromEnd ? total - start - limit : start
  const isForwards = isWanted !== isFromEnd
  const isFar = !filter.search && filter.sort === 'timestamp' && offset > FAR
  const begin = isFar ? await dayAt(store, filter.badge, offset, isForwards) : { passed: 0, bound: sql`` }
  const rows = await sql<ListedCart>`
    select ${SELECT} from (
      select c.id from ${sourceOf(storeId, filter, counted, filter.sort === 'timestamp')} ${begin.bound}
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
      select ${SELECT} from ${source} ${below} order by ${order} limit ${size}`.execute(db)
    yield rows
    if (rows.length < size) return
    last = rows.at(-1)
  }
}

/** Few matches are gathered and sorted; many are met soon enough on the way through the list in its order. */
function sourceOf(
  storeId: string,
  filter: Pick<CartFilter, 'badge' | 'search'>,
  { isMany, isAnywhere }: CartTotal,
  isUsualOrder = false,
) {
  if (!filter.search) return sql`carts c where ${listed(storeId, filter)}`
  if (isMany)
    return sql`carts c where ${listed(storeId, filter)} and (${sql.join(beginnings(filter.search), sql` or `)})`
  const found = isAnywhere ? anywhere(storeId, filter) : beginning(storeId, filter, MOST_GATHERED)
  // The usual order is known from the indexes that were searched.
  if (isUsualOrder) return sql`(${found}) c where true`
  return sql`carts c where c.store_id = ${storeId} and c.id = any(array(select id from (${found}) found))`
}

function listed(storeId: string, { badge }: Pick<CartFilter, 'badge'>) {
  return sql`c.store_id = ${storeId} and c.status in ('abandoned', 'recovered', 'lost')
    ${badge ? sql`and c.badge = ${badge}` : sql``}`
}

/** Ids, as many as stand in the newest: reading all texts of a large store through would take seconds. */
function anywhere(storeId: string, filter: Pick<CartFilter, 'badge' | 'search'>) {
  const like = `%${filter.search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
  return sql`select n.id, n.last_activity_at from (
      select c.id, c.last_activity_at, c.search from carts c where ${listed(storeId, filter)}
      order by c.last_activity_at desc, c.id desc limit ${MOST_LOOKED_THROUGH}) n
    where n.search collate "C" like ${like}`
}

/** Ids by one look into each index, so many that more need not be counted. */
function beginning(storeId: string, filter: Pick<CartFilter, 'badge' | 'search'>, most: number) {
  const looks = beginnings(filter.search).map(
    (begins) => sql`(select c.id, c.last_activity_at from carts c
        where ${listed(storeId, filter)} and ${begins} limit ${most + 1})`,
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

export async function readCart({ db, storeId }: StoreDb, cartId: string): Promise<ListedCart | undefined> {
  const rows = await sql<ListedCart>`
    select ${SELECT} from carts o join carts c on c.store_id = o.store_id and c.id = coalesce(o.merged_into, o.id)
    where o.store_id = ${storeId} and o.id = ${cartId}`.execute(db)
  return rows.rows[0]
}

/** When the newest order pull that reached its end had started (Y3). */
export async function syncedAt({ db, storeId }: StoreDb): Promise<Date | null> {
  const rows = await sql<{ at: Date | null }>`
    select max(completed_start) as at from sync_state where store_id = ${storeId} and stream in ('fence', 'sweep', 'import')`.execute(
    db,
  )
  return rows.rows[0]?.at ?? null
}

export interface MessageRow {
  id: string
  origin: string
  origin_name: string | null
  step: number
  channel: 'email' | 'sms' | 'whatsapp' | 'push'
  state: string
  reason: string | null
  due_at: Date
  expires_at: Date
  wake_at: Date
  handed_over_at: Date | null
  delivered_at: Date | null
  read_at: Date | null
  finished_at: Date | null
  to_address: string | null
  subject: string | null
  body_html: string | null
  provider_response: string | null
}

/** A cart and the ones joined to it; they all are one shopper's, which an index knows. */
const withMerged = (storeId: string, cartId: string) => sql<string>`(
  select o.id from carts c join carts o on o.store_id = c.store_id and o.shopper_id = c.shopper_id
  where c.store_id = ${storeId} and c.id = ${cartId} and c.id in (o.id, o.merged_into))`

export async function messagesOfCart({ db, storeId }: StoreDb, cartId: string): Promise<MessageRow[]> {
  const rows = await sql<MessageRow>`
    select m.id, m.origin, f.name as origin_name, m.step, m.channel, m.state, m.reason, m.due_at, m.expires_at, m.wake_at,
      m.handed_over_at, m.finished_at, m.to_address, m.subject, m.body_html, m.provider_response,
      d.at as delivered_at, r.at as read_at
    from messages m join stores s on s.id = m.store_id
    left join delivery_reports d on d.account_id = s.account_id and d.channel = m.channel and d.provider_id = m.provider_id
      and d.status = 'delivered'
    left join delivery_reports r on r.account_id = s.account_id and r.channel = m.channel and r.provider_id = m.provider_id
      and r.status = 'read'
    left join flows f on f.store_id = m.store_id and 'flow:' || f.id = m.origin
    where m.store_id = ${storeId} and m.cart_id in ${withMerged(storeId, cartId)}
    order by m.due_at, m.step`.execute(db)
  return rows.rows
}

export function decisionsOf({ db, storeId }: StoreDb, messageIds: readonly string[]) {
  if (messageIds.length === 0) return Promise.resolve([])
  return (
    db
      .selectFrom('decisions')
      .selectAll()
      .where('store_id', '=', storeId)
      .where('message_id', 'in', [...messageIds])
      .orderBy('at')
      // An answer that came in the same millisecond still came after what was asked.
      .orderBy((eb) => eb('outcome', '=', 'result'))
      .orderBy('id')
      .execute()
  )
}

export function eventsOf({ db, storeId }: StoreDb, cartId: string) {
  return db
    .selectFrom('cart_events')
    .select(['at', 'kind', 'detail'])
    .where('store_id', '=', storeId)
    .where('cart_id', '=', cartId)
    .orderBy('at')
    .orderBy('id')
    .execute()
}

export function touchesOf({ db, storeId }: StoreDb, cartId: string) {
  return db
    .selectFrom('touches')
    .select(['id', 'message_id', 'kind', 'is_human', 'class_reason', 'at'])
    .where('store_id', '=', storeId)
    .where('cart_id', 'in', withMerged(storeId, cartId))
    .orderBy('at')
    .execute()
}

export function orderOfCart({ db, storeId }: StoreDb, cartId: string) {
  return db
    .selectFrom('orders')
    .select(['order_id', 'total_minor', 'net_minor', 'currency', 'purchased_at', 'message_id', 'status'])
    .where('store_id', '=', storeId)
    .where('cart_id', '=', cartId)
    .orderBy('purchased_at')
    .limit(1)
    .executeTakeFirst()
}
