import { type RawBuilder, sql } from '../../core/db/public.ts'

// SQL fragments on coupons.

/** Terms shared by all codes of a personal coupon. When they change, the codes are created again. */
export const codeTerms = (coupon: 'c' | 'q') => {
  const c = sql.raw(coupon)
  return sql`concat_ws('|', ${c}.type, ${c}.percent, ${c}.amount_minor, ${c}.currency, coalesce(${c}.min_spend_minor, 0),
    coalesce(${c}.max_discount_minor, -1), ${c}.is_tied_to_email)`
}

/** The coupon data shown in a message. */
export const selectCouponWording = (coupon: 'c' | 'q') => {
  const c = sql.raw(coupon)
  return sql`concat_ws('|', ${codeTerms(coupon)}, ${c}.platform_type, ${c}.valid_hours, extract(epoch from ${c}.ends_at))`
}

/** Items of the cart that are sold out, by our copy of the catalogue; null: none. */
export const soldOutItems = (cart: 'c' | 't') => {
  const t = sql.raw(cart)
  return sql`(select string_agg(concat(i.item ->> 'productId', ':', i.item ->> 'variationId'), ' ' order by i.place)
    from jsonb_array_elements(${t}.items) with ordinality as i(item, place)
    join products g on g.store_id = ${t}.store_id and g.product_id = i.item ->> 'productId'
      and g.variation_id = coalesce(i.item ->> 'variationId', '') and not g.is_available)`
}

/** Whether the amount of code `k` was computed for the items still available. */
export const hasCurrentAmount = (
  coupon: 'c' | 'q',
  cart: 'c' | 't',
) => sql`case when ${sql.raw(coupon)}.max_discount_minor is null then true
    else k.sold_out is not distinct from ${soldOutItems(cart)} end`

/** Whether code `k` of coupon `q`, if it is for one cart, fits cart `c` as it is now. */
export const fitsCurrentCart = sql`(k.cart_version is null or k.cart_version = c.version
                  or not (q.is_tied_to_email or q.max_discount_minor is not null)) and ${hasCurrentAmount('q', 'c')}`

/**
 * Whether the coupon of message `m` can be used, by our copy. It must be active and match the message's wording (null:
 * not checked). A personal code must exist, be unused and have the current terms.
 */
export const isCouponUsable = (
  couponId: RawBuilder<unknown>,
  code: RawBuilder<unknown>,
  wording: RawBuilder<unknown>,
) => sql`exists (select 1 from coupons q
          where q.store_id = m.store_id and q.id = ${couponId} and q.is_active and q.gone_at is null
            and coalesce(${selectCouponWording('q')} = ${wording}, true)
            and case when q.kind = 'shared' then upper(q.code) = upper(${code})
              else exists (select 1 from coupon_codes k where k.store_id = m.store_id and k.message_id = m.id and k.coupon_id = q.id
                and k.code = ${code} and k.state = 'made' and k.used_at is null and k.terms = ${codeTerms('q')}
                and ${fitsCurrentCart}) end)`

/** The code of message `m` as it is in the store now: a shared coupon may have been renamed since. */
export const currentCode = sql`case when m.coupon_code is not null then coalesce((select q.code from coupons q
  where q.store_id = m.store_id and q.id = m.coupon_id and q.kind = 'shared' and q.gone_at is null), m.coupon_code) end`
