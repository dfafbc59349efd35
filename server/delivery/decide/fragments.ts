import { sql } from '../../core/db/public.ts'
import { mayArrive } from '../../messages/messages/public.ts'

// SQL fragments on a message `m`: purchases that end it, texts of its cart.

/**
 * Shoppers who used a device of message `m`'s shopper, or an address with the same match key (Identity). They match,
 * but are not merged. Without a cart, the shopper too, as no cart knows their purchases. `offset 0` makes PostgreSQL
 * find these few rows first.
 */
export const MATCHING = sql`(select theirs.shopper_id from shopper_keys mine
      join shopper_keys theirs on theirs.store_id = mine.store_id and theirs.kind = 'device' and theirs.value = mine.value
      where mine.store_id = m.store_id and mine.shopper_id = m.shopper_id and mine.kind = 'device'
    union all
      select theirs.shopper_id from shopper_keys mine
      join shopper_keys theirs on theirs.store_id = mine.store_id and theirs.kind = 'email'
        and email_match_key(theirs.value) = email_match_key(mine.value)
      where mine.store_id = m.store_id and mine.shopper_id = m.shopper_id and mine.kind = 'email'
    union all
      select m.shopper_id where m.cart_id is null
    offset 0) d`

/**
 * From when on a purchase ends message `m`: its episode's start, or the time set for a message without a cart. null:
 * never.
 */
const purchasesSince = sql`coalesce(c.started_at, m.purchases_since)`

/** A renewal is not a purchase by the shopper (S3). */
export const BOUGHT = sql`select o.order_id from orders o
    where o.store_id = m.store_id and o.shopper_id = d.shopper_id and o.purchased_at >= ${purchasesSince}
      and not o.is_renewal limit 1`

export const PENDING = sql`select max(o.modified_at) + interval '24 hours' as until from orders o
    where o.store_id = m.store_id and o.shopper_id = d.shopper_id and (o.shopper_id <> m.shopper_id or m.cart_id is null)
      and o.kind = 'pending' and not o.is_staff and o.modified_at >= ${purchasesSince}`

/** A purchase by a matching shopper since the episode of cart `c` began, or since `purchases_since` (S3). */
export const matchingPurchase = sql`select o.order_id from ${MATCHING} cross join lateral (${BOUGHT}) o`

/**
 * An order of another matching shopper since then that awaits payment, for 24 hours (S4). The shopper's own ones are in
 * `c`.
 */
export const matchingPending = sql`select o.until from ${MATCHING} cross join lateral (${PENDING}) o`

/**
 * Texts `h` sent by the message's channel for its cart or a cart joined to it; without a cart, to its shopper without a
 * cart. No rows for mail and notifications.
 */
export const TEXTS_OF_CART = sql`from messages h left join carts o on o.store_id = h.store_id and o.id = h.cart_id
    where m.channel in ('sms', 'whatsapp') and h.store_id = m.store_id and h.shopper_id = m.shopper_id
      and h.sending_at is not null and h.channel = m.channel
      and case when m.cart_id is null then h.cart_id is null else c.id in (o.id, o.merged_into) end`

/**
 * Another message of the same discount mail or campaign run that the shopper has had, because two shoppers were merged
 * (D1). Reads the shopper's few messages, not those of the whole run.
 */
export const hadOfSameOffer = sql`select 1 from messages h
    where h.store_id = m.store_id and h.shopper_id = m.shopper_id and h.sending_at is not null and ${mayArrive('h')} and h.id <> m.id
      and case when m.origin_kind = 'campaign' then (h.origin_kind, h.origin_id, h.step_id) = (m.origin_kind, m.origin_id, m.step_id)
        when m.origin_kind = 'manual' then exists (select 1 from manual_messages mine
          join manual_messages theirs on theirs.store_id = mine.store_id and theirs.job_id = mine.job_id
          where mine.store_id = m.store_id and mine.message_id = m.id and mine.coupon_id is not null and theirs.message_id = h.id offset 0)
        else false end offset 0`

/** JSON of the coupon settings of flow step `fs` or campaign `g`. */
export const selectCoupon = (row: 'fs' | 'g') => {
  const of = (column: string) => sql.ref(`${row}.${column}`)
  return sql`jsonb_build_object('id', ${of('coupon_id')}, 'fallback', ${of('coupon_fallback')}, 'isFirstOrderOnly',
  ${of('coupon_first_order_only')}, 'pauseDays', ${of('coupon_pause_days')}, 'aboveMinor', ${of('coupon_above_minor')})`
}
