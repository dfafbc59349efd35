import { insertNotificationsFrom, noteRecoveries } from '../../access/notifications/public.ts'
import { type StoreTx, sql } from '../../core/db/public.ts'

import { isCountedOrder } from '../orders/public.ts'

import type { Neighbours, NumberedPost } from './post-order.ts'

// Writes carts and facts, one statement per function. Reads of the screens are in list-sql.ts.

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

/** The shopper's zone in the latest capture post for cart `c` (decision 69). */
export const zoneOfCart = sql`(
  select f.payload -> 'zone' from facts f where f.store_id = c.store_id and f.shopper_id = c.shopper_id and f.at >= c.started_at
    and f.source = 'capture' and f.payload ? 'zone' order by f.at desc, f.id desc limit 1)`

/** Name of the first item of cart `c`. */
export const FIRST_PRODUCT = sql`left(c.items -> 0 ->> 'name', 120)`

/** Notifies once per cart, if its order counts (S4) and is newer than `since`: imported old orders are not news. */
export async function notifyRecovered(
  { db, storeId }: StoreTx,
  cartIds: readonly string[],
  { now, since }: { now: Date; since: Date | null },
): Promise<void> {
  if (cartIds.length === 0) return
  await sql`
    with fresh as (
      select c.id, c.customer_name, ${FIRST_PRODUCT} as product, o.net_minor, o.currency, o.purchased_at, ${zoneOfCart} as zone
      from carts c join orders b on b.store_id = c.store_id and b.order_id = c.fold #>> '{episode,orderId}'
      join orders o on o.store_id = b.store_id and o.order_id = case when b.purchased_at is null then coalesce(b.parent_id, b.order_id) else b.order_id end
      where c.store_id = ${storeId} and c.id = any(${[...cartIds]}::uuid[]) and c.status = 'recovered'
        and ${isCountedOrder} and (${since}::timestamptz is null or o.purchased_at > ${since})),
    untold as (
      ${noteRecoveries(storeId, sql`select id from fresh`, now)})
    ${insertNotificationsFrom(
      sql`
      select ${storeId}, gen_random_uuid(), 'cart_recovered', jsonb_build_object('cartId', f.id, 'customer', f.customer_name, 'product', f.product,
        'value', f.net_minor, 'currency', f.currency,
        'timestamp', to_char(f.purchased_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')), ${now}, f.zone
      from fresh f join untold u on u.cart_id = f.id`,
      true,
    )}`.execute(db)
}
