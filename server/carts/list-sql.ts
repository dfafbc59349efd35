import type { CartBadge } from '../../shared/carts.ts'
import { type StoreDb, sql } from '../db.ts'

// What the cart screens read. Every order of the list has an index that serves it, or sorts one store's matches.

export interface CartFilter {
  page: number
  limit: number
  badge: CartBadge | null
  search: string
  sort: 'timestamp' | 'value' | 'customer' | 'email' | 'phone' | 'items' | 'status'
  order: 'asc' | 'desc'
}

const COLUMNS = {
  timestamp: sql.ref('last_activity_at'),
  value: sql.ref('value_minor'),
  customer: sql.ref('customer_name'),
  email: sql.ref('email'),
  phone: sql.ref('phone'),
  items: sql.ref('item_count'),
  status: sql.ref('badge'),
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

const LISTED = sql`c.status in ('abandoned', 'recovered', 'lost')`

function matches(storeId: string, filter: Pick<CartFilter, 'badge' | 'search'>) {
  const like = `%${filter.search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
  return sql`c.store_id = ${storeId} and ${LISTED}
    ${filter.badge ? sql`and c.badge = ${filter.badge}` : sql``} ${filter.search ? sql`and c.search like ${like}` : sql``}`
}

export async function listCarts({ db, storeId }: StoreDb, filter: CartFilter): Promise<ListedCart[]> {
  const direction = filter.order === 'asc' ? sql`asc` : sql`desc`
  const rows = await sql<ListedCart>`
    select ${SELECT} from carts c where ${matches(storeId, filter)}
    order by ${COLUMNS[filter.sort]} ${direction} ${filter.sort === 'timestamp' || filter.sort === 'value' ? sql`` : sql`nulls last`},
      id ${direction} limit ${filter.limit} offset ${(filter.page - 1) * filter.limit}`.execute(db)
  return rows.rows
}

export async function countCarts(
  { db, storeId }: StoreDb,
  filter: Pick<CartFilter, 'badge' | 'search'>,
): Promise<number> {
  const rows = await sql<{ total: number }>`
    select count(*)::int as total from carts c where ${matches(storeId, filter)}`.execute(db)
  return rows.rows[0]!.total
}

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
      m.handed_over_at, m.finished_at, m.to_address, m.subject, m.body_html, m.provider_response
    from messages m left join flows f on f.store_id = m.store_id and 'flow:' || f.id = m.origin
    where m.store_id = ${storeId} and m.cart_id in ${withMerged(storeId, cartId)}
    order by m.due_at, m.step`.execute(db)
  return rows.rows
}

export function decisionsOf({ db, storeId }: StoreDb, messageIds: readonly string[]) {
  if (messageIds.length === 0) return Promise.resolve([])
  return db
    .selectFrom('decisions')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('message_id', 'in', [...messageIds])
    .orderBy('at')
    .orderBy('id')
    .execute()
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
