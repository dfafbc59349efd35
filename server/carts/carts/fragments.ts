import type { CartBadge } from '../../../shared/carts/carts.ts'
import { type RawBuilder, sql } from '../../core/db/public.ts'

// SQL fragments on carts.

/** The badge of cart `c`. */
export const BADGE = sql<CartBadge>`coalesce((select cb.badge from cart_badges cb where cb.store_id = c.store_id and cb.cart_id = c.id), 'No Action')`

/** Whether a listed cart has this badge. Looked up per cart, because a hash table would include all lost carts. */
export const hasBadge = (badge: string, cart: 'c' | 'n' = 'c') =>
  sql<boolean>`exists (select 1 from cart_badges cb
    where cb.store_id = ${sql.ref(`${cart}.store_id`)} and cb.cart_id = ${sql.ref(`${cart}.id`)} and cb.badge = ${badge} offset 0)`

/** Whether the shopper reacted since the newest message about cart `c`, whose row in cart_badges is `cb`. */
export const hasReacted = sql<boolean>`exists (select 1 from touchpoints t join carts o on o.store_id = t.store_id and o.id = t.cart_id
        where t.store_id = c.store_id and t.shopper_id = c.shopper_id and t.is_human
          and coalesce(o.merged_into, o.id) = c.id and t.at >= cb.last_sent_at)`

/**
 * Writes the badge of carts in `sent` (id, at, answer_by) unless a later send or a recovery set it. Locks in one order.
 */
export const writeBadges = (storeId: string, badge: string | null, sent: RawBuilder<unknown>) => sql`
      insert into cart_badges as cb (store_id, cart_id, badge, last_sent_at, no_response_at)
      select ${storeId}::uuid, s.id, coalesce(${badge}, 'No Action'), s.at, s.answer_by from (${sent}) s order by s.id
      on conflict (store_id, cart_id) do update set badge = coalesce(${badge}, cb.badge), last_sent_at = excluded.last_sent_at,
        no_response_at = excluded.no_response_at
        where cb.badge <> 'Recovered' and coalesce(cb.last_sent_at <= excluded.last_sent_at, true)`

export const CART_COLUMNS = sql`c.id, case when c.email is not null or c.phone is not null then c.shopper_id end as customer_id, c.customer_name, c.fold -> 'contact' ->> 'firstName' as first_name,
  c.fold -> 'contact' ->> 'lastName' as last_name, c.email, c.phone, c.items, c.value_minor, c.currency,
  c.fold -> 'contact' ->> 'unconfirmedEmail' as unconfirmed_email, c.fold -> 'contact' ->> 'unconfirmedPhone' as unconfirmed_phone, c.coupons,
  c.last_activity_at, c.abandoned_at, ${BADGE} as badge, c.status, c.is_void`

/** The cart and those merged into it. All belong to one shopper, so an index serves this. */
export const withMerged = (storeId: string, cartId: string) => sql<string>`(
  select o.id from carts c join carts o on o.store_id = c.store_id and o.shopper_id = c.shopper_id
  where c.store_id = ${storeId} and c.id = ${cartId} and c.id in (o.id, o.merged_into))`

/** The cart that shopper `s` abandoned last. */
export const newestAbandoned = sql`select a.* from carts a
  where a.store_id = s.store_id and a.shopper_id = s.id and a.status = 'abandoned' order by a.started_at desc, a.id desc limit 1`
