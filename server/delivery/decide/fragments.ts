import { sql } from '../../core/db/db.ts'
import { mayArrive } from '../../messages/messages/fragments.ts'

// SQL fragments on a message `m`: purchases that count against it, texts of its cart.

/**
 * Whoever used one of the devices of the shopper of message `m`, or an address with the match key of one of theirs (Identity): a match,
 * though no reason to merge. Where there is no cart, which would know of the shopper's own purchases, they as well. Few, and to be found first, whatever the statistics of a young store say of its orders.
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

/** From when on a purchase counts against message `m`: its episode's start, or what was said for a message without a cart. null: never. */
const SINCE = sql`coalesce(c.started_at, m.purchases_since)`

/** A renewal is no purchase of the shopper's (S3). One that a checkout paid has ended its cart. */
export const BOUGHT = sql`select o.order_id from orders o
    where o.store_id = m.store_id and o.shopper_id = d.shopper_id and o.purchased_at >= ${SINCE}
      and not o.is_renewal limit 1`

export const PENDING = sql`select max(o.modified_at) + interval '24 hours' as until from orders o
    where o.store_id = m.store_id and o.shopper_id = d.shopper_id and (o.shopper_id <> m.shopper_id or m.cart_id is null)
      and o.kind = 'pending' and not o.is_staff and o.modified_at >= ${SINCE}`

/** A purchase since the episode of cart `c` began (or since the message says), by somebody who matches (S3). Each of them is looked up by itself. */
export const matchingPurchase = sql`select o.order_id from ${MATCHING} cross join lateral (${BOUGHT}) o`

/** An order placed since then by somebody else who matches, which awaits its payment: for 24 hours (S4). The shopper's own are in `c`. */
export const matchingPending = sql`select o.until from ${MATCHING} cross join lateral (${PENDING}) o`

/**
 * Texts of the message's channel that left for its cart, or for one joined to it; without a cart, for its shopper about none. Not looked
 * at for mail.
 */
export const TEXTS_OF_CART = sql`from messages h left join carts o on o.store_id = h.store_id and o.id = h.cart_id
    where m.channel in ('sms', 'whatsapp') and h.store_id = m.store_id and h.shopper_id = m.shopper_id
      and h.sending_at is not null and h.channel = m.channel
      and case when m.cart_id is null then h.cart_id is null else c.id in (o.id, o.merged_into) end`

/**
 * Of message `m` of a discount mail to many, or of a campaign's run: another message of the same request or run that the same person has
 * had, because two turned out to be one (D1). The person's few messages are looked at, not those of the request.
 */
export const hadOfSameOffer = sql`select 1 from messages h
    where h.store_id = m.store_id and h.shopper_id = m.shopper_id and h.sending_at is not null and ${mayArrive('h')} and h.id <> m.id
      and case when m.origin_kind = 'campaign' then (h.origin_kind, h.origin_id, h.step_id) = (m.origin_kind, m.origin_id, m.step_id)
        when m.origin_kind = 'manual' then exists (select 1 from manual_messages mine
          join manual_messages theirs on theirs.store_id = mine.store_id and theirs.job_id = mine.job_id
          where mine.store_id = m.store_id and mine.message_id = m.id and mine.coupon_id is not null and theirs.message_id = h.id offset 0)
        else false end offset 0`

/** What step `fs` of a flow, or campaign `g`, says of its coupon, which it has. */
export const couponOf = (row: 'fs' | 'g') => {
  const of = (column: string) => sql.ref(`${row}.${column}`)
  return sql`jsonb_build_object('id', ${of('coupon_id')}, 'fallback', ${of('coupon_fallback')}, 'isFirstOrderOnly',
  ${of('coupon_first_order_only')}, 'pauseDays', ${of('coupon_pause_days')}, 'aboveMinor', ${of('coupon_above_minor')})`
}
