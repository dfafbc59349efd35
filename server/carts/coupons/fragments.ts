import { type RawBuilder, sql } from '../../core/db/db.ts'

// SQL fragments on coupons that other nouns' statements include.

/** What the codes of a personal coupon have in common. Another value: they are made anew. */
export const codeTerms = (coupon: 'c' | 'q') => {
  const c = sql.raw(coupon)
  return sql`concat_ws('|', ${c}.type, ${c}.percent, ${c}.amount_minor, ${c}.currency, coalesce(${c}.min_spend_minor, 0),
    coalesce(${c}.max_discount_minor, -1), ${c}.is_tied_to_email)`
}

/** All that a message says of a coupon. */
export const couponWording = (coupon: 'c' | 'q') => {
  const c = sql.raw(coupon)
  return sql`concat_ws('|', ${codeTerms(coupon)}, ${c}.platform_type, ${c}.valid_hours, extract(epoch from ${c}.ends_at))`
}

/** What of a cart is sold out, as far as the catalogue's copy knows; null: nothing. */
export const soldOutOf = (cart: 'c' | 't') => {
  const t = sql.raw(cart)
  return sql`(select string_agg(concat(i.item ->> 'productId', ':', i.item ->> 'variationId'), ' ' order by i.place)
    from jsonb_array_elements(${t}.items) with ordinality as i(item, place)
    join products g on g.store_id = ${t}.store_id and g.product_id = i.item ->> 'productId'
      and g.variation_id = coalesce(i.item ->> 'variationId', '') and not g.is_available)`
}

/** Whether the amount of code `k` was computed for what is left of the cart. */
export const isOfGoodsNow = (
  coupon: 'c' | 'q',
  cart: 'c' | 't',
) => sql`case when ${sql.raw(coupon)}.max_discount_minor is null then true
    else k.sold_out is not distinct from ${soldOutOf(cart)} end`

/** Whether code `k` of coupon `q` is for cart `c` as it is now, where it is for one cart. */
export const isOfCartNow = sql`(k.cart_version is null or k.cart_version = c.version
                  or not (q.is_tied_to_email or q.max_discount_minor is not null)) and ${isOfGoodsNow('q', 'c')}`

/**
 * Whether the coupon of message `m` can be used, as far as the copy knows: it is on, it is what the message says of it (null: not asked),
 * and its personal code is there, unused, and made by the terms of now.
 */
export const couponStands = (
  couponId: RawBuilder<unknown>,
  code: RawBuilder<unknown>,
  wording: RawBuilder<unknown>,
) => sql`exists (select 1 from coupons q
          where q.store_id = m.store_id and q.id = ${couponId} and q.is_active and q.gone_at is null
            and coalesce(${couponWording('q')} = ${wording}, true)
            and case when q.kind = 'shared' then upper(q.code) = upper(${code})
              else exists (select 1 from coupon_codes k where k.store_id = m.store_id and k.message_id = m.id and k.coupon_id = q.id
                and k.code = ${code} and k.state = 'made' and k.used_at is null and k.terms = ${codeTerms('q')}
                and ${isOfCartNow}) end)`

/** The code that message `m` left with, as the store has it now: a shared coupon may have another name there since. */
export const codeNow = sql`case when m.coupon_code is not null then coalesce((select q.code from coupons q
  where q.store_id = m.store_id and q.id = m.coupon_id and q.kind = 'shared' and q.gone_at is null), m.coupon_code) end`
