import type { CartItem, CartState } from '../../shared/carts.ts'
import { type StoreDb, type StoreTx, sql } from '../db.ts'
import type { Fact, FactPayload, Fold } from './fold.ts'

// Carts and facts: writing. One function, one statement. Reading for screens is in list-sql.ts.

export interface FactRow {
  id: string
  shopper_id: string
  kind: FactPayload['type']
  source: 'capture' | 'plugin' | 'webhook' | 'sync' | 'engine'
  at: Date
  unique_key: string
  payload: FactPayload
  received_at: Date
}

/** Stores each fact once; answers the ids of those that were new. */
export async function insertFacts({ db, storeId }: StoreTx, facts: readonly FactRow[]): Promise<Set<string>> {
  const rows = await sql<{ id: string }>`
    insert into facts (store_id, id, shopper_id, kind, source, at, unique_key, payload, received_at)
    select ${storeId}, id, shopper_id, kind, source, at, unique_key, payload, received_at
    from jsonb_to_recordset(${JSON.stringify(facts)}::jsonb)
      as f(id uuid, shopper_id uuid, kind text, source text, at timestamptz, unique_key text, payload jsonb, received_at timestamptz)
    on conflict (store_id, unique_key) do nothing returning id`.execute(db)
  return new Set(rows.rows.map((row) => row.id))
}

export async function factsOf({ db, storeId }: StoreDb, shopperId: string): Promise<Fact[]> {
  const rows = await db
    .selectFrom('facts')
    .select(['id', 'at', 'payload'])
    .where('store_id', '=', storeId)
    .where('shopper_id', '=', shopperId)
    .orderBy('at')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ id: row.id, at: row.at.getTime(), payload: row.payload }))
}

/** The time of the earliest post of the same page with a later sequence number: this one happened before it (S7). */
export async function laterOnPage({ db, storeId }: StoreDb, shopperId: string, page: string, seq: number) {
  const rows = await sql<{ at: Date | null }>`
    select min(at) as at from facts where store_id = ${storeId} and shopper_id = ${shopperId}
    and payload ->> 'page' = ${page} and (payload ->> 'seq')::int > ${seq}`.execute(db)
  return rows.rows[0]?.at ?? null
}

export function cartsOfShopper({ db, storeId }: StoreTx, shopperId: string) {
  return db
    .selectFrom('carts')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('shopper_id', '=', shopperId)
    .where('status', '<>', 'merged')
    .orderBy('started_at')
    .forUpdate()
    .execute()
}

export function newestCart({ db, storeId }: StoreTx, shopperId: string) {
  return db
    .selectFrom('carts')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('shopper_id', '=', shopperId)
    .where('status', '<>', 'merged')
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .forUpdate()
    .executeTakeFirst()
}

export interface CartValues {
  status: CartState
  started_at: Date
  last_activity_at: Date
  abandon_at: Date | null
  abandoned_at: Date | null
  ended_at: Date | null
  recovered_at: Date | null
  pending_until: Date | null
  lost_at: Date
  opening_fact_id: string
  last_fact_at: Date
  last_fact_id: string
  customer_name: string
  email: string | null
  phone: string | null
  items: CartItem[]
  item_count: number
  value_minor: number
  currency: string
  coupons: string[]
  search: string
  fold: Fold
}

const written = (values: CartValues) => ({
  ...values,
  items: JSON.stringify(values.items),
  coupons: JSON.stringify(values.coupons),
  fold: JSON.stringify(values.fold),
})

export async function insertCart(
  { db, storeId }: StoreTx,
  id: string,
  shopperId: string,
  values: CartValues,
  now: Date,
) {
  await db
    .insertInto('carts')
    .values({ store_id: storeId, id, shopper_id: shopperId, created_at: now, ...written(values) })
    .execute()
}

export async function updateCart({ db, storeId }: StoreTx, id: string, values: CartValues) {
  await db
    .updateTable('carts')
    .set((eb) => ({
      ...written(values),
      version: eb('version', '+', 1),
      // Recovered once, the badge stays; a late correction to plain purchased takes it back (S3).
      badge: sql<'Recovered'>`case when ${values.status} = 'recovered' then 'Recovered'
        when badge = 'Recovered' then case when last_handed_over_at is null then 'No Action' else 'Email Sent' end else badge end`,
      // Seven days after the last planned message or, with activity since, after that (S5).
      lost_at: sql<Date>`coalesce((select greatest(max(m.due_at), ${values.last_activity_at}) + interval '7 days'
        from messages m where m.store_id = carts.store_id and m.cart_id = carts.id having count(*) > 0),
        ${values.lost_at})`,
      no_response_at: sql<Date>`case when ${values.status} in ('abandoned', 'active', 'lost') then no_response_at end`,
    }))
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .execute()
}

export async function markMerged({ db, storeId }: StoreTx, id: string, into: string | null, now: Date) {
  await db
    .updateTable('carts')
    .set((eb) => ({
      status: 'merged' as const,
      merged_into: into,
      ended_at: now,
      abandon_at: null,
      no_response_at: null,
      version: eb('version', '+', 1),
    }))
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .execute()
}

/** A message that left for the one counts as one of the other: badge and the wait for an answer come along (S6). */
export async function inheritHandOver({ db, storeId }: StoreTx, fromId: string, intoId: string): Promise<void> {
  await sql`
    update carts c set last_handed_over_at = o.last_handed_over_at,
      badge = case when 'Recovered' in (c.badge, o.badge) then c.badge else o.badge end,
      no_response_at = case when c.status in ('abandoned', 'active', 'lost') then o.no_response_at end
    from carts o
    where c.store_id = ${storeId} and c.id = ${intoId} and o.store_id = ${storeId} and o.id = ${fromId}
      and o.last_handed_over_at is not null
      and (c.last_handed_over_at is null or c.last_handed_over_at < o.last_handed_over_at)`.execute(db)
}

/** Carts joined earlier to the one that is joined now belong to the new survivor; answers which. */
export async function repointMerged({ db, storeId }: StoreTx, fromId: string, intoId: string): Promise<string[]> {
  const rows = await sql<{ id: string }>`
    update carts set merged_into = ${intoId} where store_id = ${storeId} and merged_into = ${fromId}
      and shopper_id = (select shopper_id from carts where store_id = ${storeId} and id = ${intoId}) returning id`.execute(
    db,
  )
  return rows.rows.map((row) => row.id)
}

/** Only fresh ones are news, and each cart once: an import of old orders tells nobody anything. */
export async function notifyRecovered({ db, storeId }: StoreTx, cartId: string, orderId: string, now: Date) {
  await sql`
    insert into notifications (store_id, id, type, title, message, data, created_at)
    select ${storeId}, gen_random_uuid(), 'cart_recovered', 'Cart recovered', c.customer_name || ' came back and bought',
      jsonb_build_object('cartId', c.id, 'customer', c.customer_name, 'value', o.net_minor, 'currency', o.currency,
        'timestamp', to_char(o.purchased_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')), ${now}
    from carts c join orders o on o.store_id = c.store_id and o.order_id = ${orderId}
    where c.store_id = ${storeId} and c.id = ${cartId} and o.purchased_at > ${now}::timestamptz - interval '1 day'
      and not exists (select from notifications n where n.store_id = c.store_id and n.type = 'cart_recovered'
        and n.created_at > ${now}::timestamptz - interval '2 days' and n.data ->> 'cartId' = c.id::text)`.execute(db)
}

export async function insertEvents(
  { db, storeId }: StoreTx,
  events: readonly { id: string; cart_id: string; at: Date; kind: string; detail: Record<string, unknown> }[],
) {
  if (events.length === 0) return
  await db
    .insertInto('cart_events')
    .values(events.map((event) => ({ store_id: storeId, ...event, detail: JSON.stringify(event.detail) })))
    .execute()
}

export interface OrderRow {
  order_id: string
  kind: string
  status: string
  created_at: string
  modified_at: string
  purchased_at: string | null
  currency: string
  total_minor: number
  net_minor: number
  email: string | null
  phone: string | null
  is_staff: boolean
  content_hash: string
  shopper_id: string
}

/** The newest state of each order; an older one is ignored (Y1). `purchased_at` only ever moves earlier. */
export async function upsertOrders({ db, storeId }: StoreTx, orders: readonly OrderRow[]): Promise<void> {
  await sql`
    insert into orders (store_id, order_id, kind, status, created_at, modified_at, purchased_at, currency, total_minor,
      net_minor, email, phone, is_staff, content_hash, shopper_id)
    select ${storeId}, o.* from jsonb_to_recordset(${JSON.stringify(orders)}::jsonb) as o(order_id text, kind text, status text,
      created_at timestamptz, modified_at timestamptz, purchased_at timestamptz, currency text, total_minor bigint,
      net_minor bigint, email text, phone text, is_staff boolean, content_hash text, shopper_id uuid)
    on conflict (store_id, order_id) do update set
      purchased_at = least(orders.purchased_at, excluded.purchased_at),
      shopper_id = excluded.shopper_id,
      kind = case when excluded.modified_at >= orders.modified_at then excluded.kind else orders.kind end,
      status = case when excluded.modified_at >= orders.modified_at then excluded.status else orders.status end,
      modified_at = case when excluded.modified_at >= orders.modified_at then excluded.modified_at else orders.modified_at end,
      total_minor = case when excluded.modified_at >= orders.modified_at then excluded.total_minor else orders.total_minor end,
      net_minor = case when excluded.modified_at >= orders.modified_at then excluded.net_minor else orders.net_minor end,
      email = case when excluded.modified_at >= orders.modified_at then excluded.email else orders.email end,
      phone = case when excluded.modified_at >= orders.modified_at then excluded.phone else orders.phone end,
      content_hash = case when excluded.modified_at >= orders.modified_at then excluded.content_hash else orders.content_hash end`.execute(
    db,
  )
}

/** Which of these orders we already have in just this state. */
export async function knownHashes({ db, storeId }: StoreDb, orderIds: readonly string[]): Promise<Map<string, string>> {
  if (orderIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('orders')
    .select(['order_id', 'content_hash'])
    .where('store_id', '=', storeId)
    .where('order_id', 'in', [...orderIds])
    .execute()
  return new Map(rows.map((row) => [row.order_id, row.content_hash]))
}

/** The last human touch in the window before a purchase (A1, A2). */
export function lastTouch({ db, storeId }: StoreDb, shopperId: string, from: Date, to: Date) {
  return db
    .selectFrom('touches')
    .select(['id', 'message_id', 'cart_id', 'at'])
    .where('store_id', '=', storeId)
    .where('shopper_id', '=', shopperId)
    .where('is_human', '=', true)
    .where('at', '>=', from)
    .where('at', '<=', to)
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function attributeOrder(
  { db, storeId }: StoreTx,
  orderId: string,
  values: { cart_id: string | null; touch_id: string | null; message_id: string | null },
) {
  await db.updateTable('orders').set(values).where('store_id', '=', storeId).where('order_id', '=', orderId).execute()
}

export function ordersOf({ db, storeId }: StoreDb, shopperId: string) {
  return db
    .selectFrom('orders')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('shopper_id', '=', shopperId)
    .where('purchased_at', 'is not', null)
    .execute()
}

export interface CatalogueRow {
  product_id: string
  variation_id: string
  name: string
  sku: string | null
  price_minor: number
  image_url: string | null
}

/** Names, prices and pictures for lines a browser named by id only (X5). A variation falls back to its product's picture. */
export async function catalogueOf({ db, storeId }: StoreDb, productIds: readonly string[]): Promise<CatalogueRow[]> {
  if (productIds.length === 0) return []
  return db
    .selectFrom('products')
    .select(['product_id', 'variation_id', 'name', 'sku', 'price_minor', 'image_url'])
    .where('store_id', '=', storeId)
    .where('product_id', 'in', [...productIds])
    .execute()
}

export function endedCarts({ db, storeId }: StoreDb, shopperId: string) {
  return db
    .selectFrom('carts')
    .select(['id', 'fold'])
    .where('store_id', '=', storeId)
    .where('shopper_id', '=', shopperId)
    .where('status', 'in', ['recovered', 'purchased'])
    .execute()
}
