import { type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'

// SQL for orders that are parts of another (A6).

/** Which of these orders are parts of another, and which are unproven. */
export async function selectKnownOrders({ db, storeId }: StoreDb, orderIds: readonly string[]) {
  const rows = await sql<{ order_id: string; parent_id: string | null; is_unproven: boolean }>`
    select order_id, parent_id, is_unproven from orders
    where store_id = ${storeId} and order_id = any(${[...orderIds]}::text[]) and (parent_id is not null or is_unproven)`.execute(
    db,
  )
  return rows.rows
}

/**
 * Whether order `c` is a part of order `p`. The parent must be purchased without a waiting amount. It must contain the
 * part's products, or have none and the price of all. If two orders name each other, one of them is the part.
 */
const IS_PART = sql`p.kind = 'purchase' and coalesce(p.own_purchased_at, p.purchased_at) is not null and p.waiting_minor is null and p.currency = c.currency
  and p.order_id <> c.order_id and (p.parent_id is distinct from c.order_id or p.order_id < c.order_id)
  and (c.product_ids is null or p.product_ids is null or c.product_ids <@ p.product_ids
    or p.product_ids = '{}' and (p.total_minor = 0 or p.total_minor >= c.total_minor))`

/**
 * Makes each purchase count once, by its parent order. A part has no time of purchase and no revenue. Cancelled or
 * refunded parts are subtracted from the parent, except parts with a waiting amount. Without a parent that counts, or
 * with other products than the parent, a part is an order of its own. Idempotent.
 */
export async function settleParts({ db, storeId }: StoreTx, orderIds: readonly string[]): Promise<void> {
  await sql`
    with family as materialized (
      select o.* from orders o where o.store_id = ${storeId} and o.order_id in (
        select f.id from unnest(${[...orderIds]}::text[]) as f(id)
        union select c.order_id from unnest(${[...orderIds]}::text[]) as f(id)
          join orders c on c.store_id = ${storeId} and c.parent_id = f.id)
      order by o.order_id for update),
    own as (
      select c.order_id, c.total_minor, coalesce(c.own_purchased_at, c.purchased_at) as purchased_at,
        coalesce(c.own_net_minor, c.net_minor) as net_minor,
        exists (select 1 from orders p where p.store_id = ${storeId} and p.order_id = c.parent_id and ${IS_PART}) as is_part
      from family c),
    parts as (
      select p.order_id, greatest(sum(c.total_minor) - p.total_minor, 0)::bigint as more_minor, sum(case
          when c.kind not in ('pending', 'failed') and c.waiting_minor is null then greatest(c.total_minor - coalesce(c.own_net_minor, c.net_minor), 0) else 0 end)::bigint as lost_minor
      from family p join orders c on c.store_id = ${storeId} and c.parent_id = p.order_id
      where ${IS_PART} group by p.order_id, p.total_minor),
    counted as (
      select o.order_id, o.is_part, case when not o.is_part then o.purchased_at end as purchased_at,
        case when o.is_part or p.order_id is not null then o.purchased_at end as own_purchased_at,
        case when o.is_part or p.order_id is not null then o.net_minor end as own_net_minor,
        case when o.is_part then 0 when p.order_id is null then o.net_minor
          -- refunded completely
          when o.net_minor = 0 and o.total_minor > 0 then 0
          else least(o.net_minor + p.more_minor, greatest(o.total_minor + p.more_minor - p.lost_minor, 0)) end as net_minor
      from own o left join parts p on p.order_id = o.order_id)
    update orders o set purchased_at = n.purchased_at, net_minor = n.net_minor, own_purchased_at = n.own_purchased_at,
      own_net_minor = n.own_net_minor, cart_id = case when not n.is_part then o.cart_id end,
      touchpoint_id = case when not n.is_part then o.touchpoint_id end, message_id = case when not n.is_part then o.message_id end
    from counted n
    where o.store_id = ${storeId} and o.order_id = n.order_id
      and (o.purchased_at, o.net_minor, o.own_purchased_at, o.own_net_minor)
        is distinct from (n.purchased_at, n.net_minor, n.own_purchased_at, n.own_net_minor)`.execute(db)
}
