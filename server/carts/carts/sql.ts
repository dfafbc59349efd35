import type { CartItem, CartState } from '../../../shared/carts.ts'
import { insertNotificationsFrom, noteRecoveries } from '../../access/notifications/fragments.ts'
import { type StoreDb, type StoreTx, sql } from '../../core/db/db.ts'
import type { FactPayload, Fold } from '../../core/schema/facts.ts'
import { newestSend, sendingOfCart } from '../../messages/messages/fragments.ts'
import { COUNTS } from '../orders/fragments.ts'
import type { Fact } from './fold.ts'
import type { Neighbours, NumberedPost } from './post-order.ts'

// Writes carts and facts, one statement per function. Reads of the screens are in list-sql.ts.

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

/**
 * Inserts each fact once and returns the ids of new ones. After an erasure a fact is recognized by its id alone, which
 * is derived from the same key (C8).
 */
export async function insertFacts({ db, storeId }: StoreTx, facts: readonly FactRow[]): Promise<Set<string>> {
  const rows = await sql<{ id: string }>`
    insert into facts (store_id, id, shopper_id, kind, source, at, unique_key, payload, received_at)
    select ${storeId}, id, shopper_id, kind, source, at, unique_key, payload, received_at
    from jsonb_to_recordset(${JSON.stringify(facts)}::jsonb)
      as f(id uuid, shopper_id uuid, kind text, source text, at timestamptz, unique_key text, payload jsonb, received_at timestamptz)
    on conflict do nothing returning id`.execute(db)
  return new Set(rows.rows.map((row) => row.id))
}

/** All facts of some shoppers, in order per shopper. */
export async function selectFacts(
  { db, storeId }: StoreDb,
  shopperIds: readonly string[],
): Promise<Map<string, Fact[]>> {
  if (shopperIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('facts')
    .select(['id', 'shopper_id', 'at', 'payload'])
    .where('store_id', '=', storeId)
    .where('shopper_id', '=', sql<string>`any(${[...shopperIds]}::uuid[])`)
    .orderBy('shopper_id')
    .orderBy('at')
    .orderBy('id')
    .execute()
  const facts = new Map<string, Fact[]>()
  for (const { id, shopper_id, at, payload } of rows) {
    const fact = { id, at: at.getTime(), payload }
    const list = facts.get(shopper_id)
    if (list) list.push(fact)
    else facts.set(shopper_id, [fact])
  }
  return facts
}

/**
 * For each post, by index: the time of the first post with a higher number and, in a queue, the last of the hundred
 * before it.
 */
export async function selectNeighbours({ db, storeId }: StoreTx, posts: readonly NumberedPost[]) {
  const seq = sql`(f.payload ->> 'seq')::bigint`
  const same = sql`f.store_id = ${storeId} and f.shopper_id = p."shopperId" and f.payload ->> 'page' = p.page`
  // Without `offset 0` the planner would scan for the smallest time from the oldest fact on.
  const query = sql<Neighbours & { place: number }>`
    select p.place,
      case when p.queue is not null then (select max(f.at) from (select f.at from facts f
        where ${same} and ${seq} < p.seq and starts_with(f.unique_key, p.queue) order by ${seq} desc limit 100) f) end as earlier,
      (select min(f.at) from (select f.at from facts f where ${same} and ${seq} > p.seq
        and (p.queue is null or starts_with(f.unique_key, p.queue)) offset 0) f) as later
    from jsonb_to_recordset(${JSON.stringify(posts)}::jsonb) as p(place int, "shopperId" uuid, page text, seq bigint, queue text)`
  const rows = posts.length > 0 ? (await query.execute(db)).rows : []
  return new Map<number, Neighbours>(rows.map((row) => [row.place, row]))
}

export interface NewestCart {
  shopper_id: string
  id: string
  last_fact_at: Date
  last_fact_id: string
}

/** The newest cart of each shopper. If several began at the same moment, the one with the newest fact. */
export async function selectNewestCarts(
  { db, storeId }: StoreDb,
  shopperIds: readonly string[],
): Promise<NewestCart[]> {
  if (shopperIds.length === 0) return []
  const rows = await sql<NewestCart>`
    select s.shopper_id, c.* from unnest(${[...shopperIds]}::uuid[]) as s(shopper_id)
    cross join lateral (select id, last_fact_at, last_fact_id from carts
      where store_id = ${storeId} and shopper_id = s.shopper_id and status <> 'merged'
      order by started_at desc, last_fact_at desc, last_fact_id desc limit 1) c`.execute(db)
  return rows.rows
}

export async function selectCartIds({ db, storeId }: StoreDb, shopperIds: readonly string[]): Promise<string[]> {
  if (shopperIds.length === 0) return []
  const rows = await db
    .selectFrom('carts')
    .select('id')
    .where('store_id', '=', storeId)
    .where('shopper_id', '=', sql<string>`any(${[...shopperIds]}::uuid[])`)
    .where('status', '<>', 'merged')
    .execute()
  return rows.map((row) => row.id)
}

/** Locks by id; returns carts in order of start. */
export async function lockCarts({ db, storeId }: StoreTx, ids: readonly string[]) {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('carts')
    .selectAll()
    .select(
      sql<Date | null>`coalesce((select cb.last_sent_at from cart_badges cb
        where cb.store_id = carts.store_id and cb.cart_id = carts.id), ${sendingOfCart})`.as('last_sent_at'),
    )
    .where('store_id', '=', storeId)
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  return rows.sort((a, b) => a.started_at.getTime() - b.started_at.getTime())
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

export interface WrittenCart extends CartValues {
  id: string
  shopper_id: string
}

const CART_COLUMNS = sql`id uuid, shopper_id uuid, status text, started_at timestamptz, last_activity_at timestamptz,
  abandon_at timestamptz, abandoned_at timestamptz, ended_at timestamptz, recovered_at timestamptz,
  pending_until timestamptz, lost_at timestamptz, opening_fact_id uuid, last_fact_at timestamptz, last_fact_id uuid,
  customer_name text, email text, phone text, items jsonb, item_count int, value_minor bigint, currency text,
  coupons jsonb, search text, fold jsonb`

export async function insertCarts({ db, storeId }: StoreTx, carts: readonly WrittenCart[], now: Date): Promise<void> {
  if (carts.length === 0) return
  await sql`
    insert into carts (store_id, created_at, id, shopper_id, status, started_at, last_activity_at, abandon_at, abandoned_at,
      ended_at, recovered_at, pending_until, lost_at, opening_fact_id, last_fact_at, last_fact_id, customer_name, email,
      phone, items, item_count, value_minor, currency, coupons, search, fold)
    select ${storeId}, ${now}, c.* from jsonb_to_recordset(${JSON.stringify(carts)}::jsonb) as c(${CART_COLUMNS})`.execute(
    db,
  )
}

/**
 * Keeps `shopper_id`: only a merge of shoppers changes it. The badge "Recovered" stays unless a late correction makes
 * the cart plain purchased (S3).
 */
export async function updateCarts({ db, storeId }: StoreTx, carts: readonly WrittenCart[]): Promise<void> {
  if (carts.length === 0) return
  await sql`
    with v as materialized (select * from jsonb_to_recordset(${JSON.stringify(carts)}::jsonb) as v(${CART_COLUMNS})),
    recovered as (
      insert into cart_badges as cb (store_id, cart_id, badge) select ${storeId}, v.id, 'Recovered' from v where v.status = 'recovered' order by v.id
      on conflict (store_id, cart_id) do update set badge = 'Recovered', no_response_at = null
        where cb.badge <> 'Recovered' or cb.no_response_at is not null),
    others as (
      update cart_badges cb set
        badge = case when cb.badge <> 'Recovered' then cb.badge when cb.last_sent_at is null then 'No Action'
          else coalesce((select h.badge from (${newestSend(sql`cb.store_id`, sql`cb.cart_id`)}) h), 'Email Sent') end,
        no_response_at = case when v.status in ('abandoned', 'active', 'lost') then cb.no_response_at end
      from v where cb.store_id = ${storeId} and cb.cart_id = any(${carts.map((cart) => cart.id)}::uuid[]) and cb.cart_id = v.id
        and v.status <> 'recovered'
        and (cb.badge = 'Recovered' or cb.no_response_at is not null and v.status not in ('abandoned', 'active', 'lost')))
    update carts set status = v.status, started_at = v.started_at, last_activity_at = v.last_activity_at,
      abandon_at = v.abandon_at, abandoned_at = v.abandoned_at, ended_at = v.ended_at, recovered_at = v.recovered_at,
      pending_until = v.pending_until, opening_fact_id = v.opening_fact_id, last_fact_at = v.last_fact_at,
      last_fact_id = v.last_fact_id, customer_name = v.customer_name, email = v.email, phone = v.phone, items = v.items,
      item_count = v.item_count, value_minor = v.value_minor,
      abandoned_minor = case when v.abandoned_at is not null and v.currency = carts.currency then carts.abandoned_minor end,
      currency = v.currency, coupons = v.coupons,
      search = v.search, fold = v.fold, version = carts.version + 1,
      -- Seven days after the last planned message or, if later, after the last activity (S5).
      lost_at = coalesce((select greatest(max(m.due_at), v.last_activity_at) + interval '7 days' from messages m
        where m.store_id = carts.store_id and m.cart_id = carts.id having count(*) > 0), v.lost_at)
    from v where carts.store_id = ${storeId} and carts.id = any(${carts.map((cart) => cart.id)}::uuid[]) and carts.id = v.id`.execute(
    db,
  )
}

export async function markMerged({ db, storeId }: StoreTx, id: string, into: string | null, now: Date) {
  await db
    .updateTable('carts')
    .set((eb) => ({
      status: 'merged' as const,
      merged_into: into,
      ended_at: now,
      abandon_at: null,
      version: eb('version', '+', 1),
    }))
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .execute()
  await db
    .updateTable('cart_badges')
    .set({ no_response_at: null })
    .where('store_id', '=', storeId)
    .where('cart_id', '=', id)
    .where('no_response_at', 'is not', null)
    .execute()
}

/** A message sent for the merged cart counts for the survivor: badge and "No Response" time are copied (S6). */
export async function inheritLastSent({ db, storeId }: StoreTx, fromId: string, intoId: string): Promise<void> {
  await sql`
    insert into cart_badges as cb (store_id, cart_id, badge, last_sent_at, no_response_at)
    select c.store_id, c.id, case when o.badge = 'Recovered' then 'No Action' else o.badge end, o.last_sent_at,
      case when c.status in ('abandoned', 'active', 'lost') then o.no_response_at end
    from carts c join cart_badges o on o.store_id = c.store_id and o.cart_id = ${fromId} and o.last_sent_at is not null
    where c.store_id = ${storeId} and c.id = ${intoId}
    on conflict (store_id, cart_id) do update set last_sent_at = excluded.last_sent_at,
      badge = case when 'Recovered' in (cb.badge, (select o.badge from cart_badges o where o.store_id = cb.store_id and o.cart_id = ${fromId}))
        then cb.badge else excluded.badge end,
      no_response_at = excluded.no_response_at
      where cb.last_sent_at is null or cb.last_sent_at < excluded.last_sent_at`.execute(db)
}

/** Points carts merged earlier at the new survivor; returns their ids. */
export async function repointMerged({ db, storeId }: StoreTx, fromId: string, intoId: string): Promise<string[]> {
  const rows = await sql<{ id: string }>`
    update carts set merged_into = ${intoId} where store_id = ${storeId} and merged_into = ${fromId}
      and shopper_id = (select shopper_id from carts where store_id = ${storeId} and id = ${intoId}) returning id`.execute(
    db,
  )
  return rows.rows.map((row) => row.id)
}

/** The shopper's zone in the latest capture post for cart `c` (decision 69). */
export const zoneOfCart = sql`(
  select f.payload -> 'zone' from facts f where f.store_id = c.store_id and f.shopper_id = c.shopper_id and f.at >= c.started_at
    and f.source = 'capture' and f.payload ? 'zone' order by f.at desc, f.id desc limit 1)`

/** Notifies once per cart, if its order counts (S4) and is newer than `since`: imported old orders are not news. */
export async function notifyRecovered(
  { db, storeId }: StoreTx,
  cartIds: readonly string[],
  { now, since }: { now: Date; since: Date | null },
): Promise<void> {
  if (cartIds.length === 0) return
  await sql`
    with fresh as (
      select c.id, c.customer_name, o.net_minor, o.currency, o.purchased_at, ${zoneOfCart} as zone
      from carts c join orders b on b.store_id = c.store_id and b.order_id = c.fold #>> '{episode,orderId}'
      join orders o on o.store_id = b.store_id and o.order_id = case when b.purchased_at is null then coalesce(b.parent_id, b.order_id) else b.order_id end
      where c.store_id = ${storeId} and c.id = any(${[...cartIds]}::uuid[]) and c.status = 'recovered'
        and ${COUNTS} and (${since}::timestamptz is null or o.purchased_at > ${since})),
    untold as (
      ${noteRecoveries(storeId, sql`select id from fresh`, now)})
    ${insertNotificationsFrom(
      sql`
      select ${storeId}, gen_random_uuid(), 'cart_recovered', jsonb_build_object('cartId', f.id, 'customer', f.customer_name,
        'value', f.net_minor, 'currency', f.currency,
        'timestamp', to_char(f.purchased_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')), ${now}, f.zone
      from fresh f join untold u on u.cart_id = f.id`,
      true,
    )}`.execute(db)
}

export async function insertEvents(
  { db, storeId }: StoreTx,
  events: readonly { id: string; cart_id: string; at: Date; kind: string; detail: Record<string, unknown> }[],
): Promise<void> {
  if (events.length === 0) return
  await sql`
    insert into cart_events (store_id, id, cart_id, at, kind, detail)
    select ${storeId}, e.* from jsonb_to_recordset(${JSON.stringify(events)}::jsonb)
      as e(id uuid, cart_id uuid, at timestamptz, kind text, detail jsonb)`.execute(db)
}

export interface CatalogueRow {
  product_id: string
  variation_id: string
  name: string
  sku: string | null
  price_minor: number
  image_url: string | null
}

/**
 * Names, prices and pictures for lines that a browser reports by id (X5). A variation falls back to its product's
 * picture.
 */
export async function selectCatalogue(
  { db, storeId }: StoreDb,
  productIds: readonly string[],
): Promise<CatalogueRow[]> {
  if (productIds.length === 0) return []
  return db
    .selectFrom('products')
    .select(['product_id', 'variation_id', 'name', 'sku', 'price_minor', 'image_url'])
    .where('store_id', '=', storeId)
    .where('product_id', '=', sql<string>`any(${[...productIds]}::text[])`)
    .execute()
}
