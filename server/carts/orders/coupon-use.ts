import { type StoreTx, sql } from '../../core/db/public.ts'
import type { OrderRow } from './sql.ts'

// Orders name their coupons. A personal code is a touch of that code's message, by the buyer (A1).

/** Call after the orders are written and before they are attributed. Idempotent, in any order. */
export async function recordCouponUse(tx: StoreTx, orders: readonly OrderRow[]): Promise<void> {
  if (orders.length === 0) return
  await writeOrderCoupons(tx, orders)
  const ids = orders.map((order) => order.order_id)
  const used = await markUsedCodes(tx, ids)
  if (used === 0) return
  await insertCouponTouches(tx, ids)
  await insertUseEvents(tx, ids)
}

// SQL for the coupons of orders. The newest state of an order counts, as in its own row.

async function writeOrderCoupons({ db, storeId }: StoreTx, orders: readonly OrderRow[]): Promise<void> {
  const orderCoupons = orders.map(({ order_id, content_hash, coupons }) => ({ order_id, content_hash, coupons }))
  await sql`
    with said as (
      select s.order_id, s.coupons from jsonb_to_recordset(${JSON.stringify(orderCoupons)}::jsonb) as s(order_id text, content_hash text, coupons jsonb)
      join orders o on o.store_id = ${storeId} and o.order_id = s.order_id and o.content_hash = s.content_hash),
    named as (
      select s.order_id, c.code, c.discount_minor from said s
      cross join lateral jsonb_to_recordset(s.coupons) as c(code text, discount_minor bigint)),
    deleted as (
      delete from order_coupons x using said s where x.store_id = ${storeId} and x.order_id = s.order_id
        and not exists (select 1 from named n where n.order_id = x.order_id and n.code = x.code))
    insert into order_coupons (store_id, order_id, code, discount_minor)
    select ${storeId}, order_id, code, discount_minor from named order by order_id, code
    on conflict (store_id, order_id, code) do update set discount_minor = excluded.discount_minor
    where order_coupons.discount_minor <> excluded.discount_minor`.execute(db)
}

/**
 * Marks codes as used by their first order that counts. As in the store, a code is released when the order is
 * cancelled, fails or is deleted, but not by a refund or a pending payment. A use without an order (`used_order_id` is
 * null) was reported by the store. It ends when an order with the code is released, not because of an unpaid one.
 * Returns the number of codes that these orders name.
 */
async function markUsedCodes({ db, storeId }: StoreTx, orderIds: readonly string[]): Promise<number> {
  const rows = await sql<{ is_named: boolean }>`
    with concerned as (
      select k.message_id, k.coupon_id, k.code, true as is_named from order_coupons x
      join coupon_codes k on k.store_id = x.store_id and k.code = x.code
      where x.store_id = ${storeId} and x.order_id = any(${[...orderIds]}::text[])
      union
      select message_id, coupon_id, code, false from coupon_codes
      where store_id = ${storeId} and used_order_id = any(${[...orderIds]}::text[])),
    marked as (
      update coupon_codes k set used_at = u.purchased_at, used_order_id = u.order_id
      from (select distinct on (c.message_id, c.coupon_id) c.message_id, c.coupon_id, o.purchased_at, o.order_id from concerned c
        left join (order_coupons x join orders o on o.store_id = x.store_id and o.order_id = x.order_id
          and o.kind in ('purchase', 'pending') and o.purchased_at is not null) on x.store_id = ${storeId} and x.code = c.code
        order by c.message_id, c.coupon_id, o.purchased_at nulls last, o.order_id) u
      where k.store_id = ${storeId} and k.message_id = u.message_id and k.coupon_id = u.coupon_id
        and (k.used_at, k.used_order_id) is distinct from (u.purchased_at, u.order_id)
        and (u.order_id is not null or k.used_order_id is not null or exists (select 1 from order_coupons x
          join orders o on o.store_id = x.store_id and o.order_id = x.order_id and o.kind in ('cancelled', 'failed', 'trashed')
          where x.store_id = ${storeId} and x.order_id = any(${[...orderIds]}::text[]) and x.code = k.code)))
    select is_named from concerned where is_named`.execute(db)
  return rows.rows.length
}

/** Purchases that name the code of a sent message. Staff orders are never attributed (A2). */
const USED_CODES = (storeId: string, orderIds: readonly string[]) => sql`
  from order_coupons x join orders o on o.store_id = x.store_id and o.order_id = x.order_id and o.purchased_at is not null
    and not o.is_staff and o.shopper_id is not null
  join coupon_codes k on k.store_id = x.store_id and k.code = x.code
  join messages m on m.store_id = k.store_id and m.id = k.message_id and m.sending_at is not null
  where x.store_id = ${storeId} and x.order_id = any(${[...orderIds]}::text[])`

/** One touch per order and code, at the time of purchase, by the buyer. */
async function insertCouponTouches({ db, storeId }: StoreTx, orderIds: readonly string[]): Promise<void> {
  await sql`
    insert into touchpoints (store_id, id, message_id, cart_id, shopper_id, kind, is_human, class_reason, at)
    select ${storeId}, md5('coupon:' || o.order_id || ':' || k.code)::uuid, m.id, m.cart_id, o.shopper_id, 'coupon', true, 'order',
      o.purchased_at
    ${USED_CODES(storeId, orderIds)} order by o.order_id, k.code
    on conflict (store_id, id) do update set shopper_id = excluded.shopper_id, at = excluded.at
    where (touchpoints.shopper_id, touchpoints.at) is distinct from (excluded.shopper_id, excluded.at)`.execute(db)
}

async function insertUseEvents({ db, storeId }: StoreTx, orderIds: readonly string[]): Promise<void> {
  await sql`
    insert into cart_events (store_id, id, cart_id, at, kind, detail)
    select ${storeId}, md5('coupon_used:' || u.order_id || ':' || u.code)::uuid, coalesce(c.merged_into, c.id), u.purchased_at,
      'coupon_used', jsonb_build_object('code', u.code, 'orderId', u.order_id)
    from (select o.order_id, o.purchased_at, k.code, m.cart_id ${USED_CODES(storeId, orderIds)}) u
    join carts c on c.store_id = ${storeId} and c.id = u.cart_id
    order by 2 on conflict (store_id, id) do nothing`.execute(db)
}
