import { sql } from '../core/db.ts'

// SQL fragments on carts.

export const CART_COLUMNS = sql`c.id, case when c.email is not null or c.phone is not null then c.shopper_id end as customer_id, c.customer_name, c.fold -> 'contact' ->> 'firstName' as first_name,
  c.fold -> 'contact' ->> 'lastName' as last_name, c.email, c.phone, c.items, c.value_minor, c.currency,
  c.fold -> 'contact' ->> 'unconfirmedEmail' as unconfirmed_email, c.fold -> 'contact' ->> 'unconfirmedPhone' as unconfirmed_phone, c.coupons,
  c.last_activity_at, c.abandoned_at, c.badge, c.status, c.is_void`

/** A cart and the ones joined to it; they all are one shopper's, which an index knows. */
export const withMerged = (storeId: string, cartId: string) => sql<string>`(
  select o.id from carts c join carts o on o.store_id = c.store_id and o.shopper_id = c.shopper_id
  where c.store_id = ${storeId} and c.id = ${cartId} and c.id in (o.id, o.merged_into))`

/** Of shopper `s`, the cart that was left last. */
export const newestAbandoned = sql`select a.* from carts a
  where a.store_id = s.store_id and a.shopper_id = s.id and a.status = 'abandoned' order by a.started_at desc, a.id desc limit 1`
