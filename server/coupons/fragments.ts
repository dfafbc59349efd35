import { type RawBuilder, sql } from '../core/db.ts'

// SQL fragments on coupons that other nouns' statements include.

/** Whether the coupon of message `m` can be used, as far as the copy knows: it is on, and its personal code is there and unused. */
export const couponStands = (
  couponId: RawBuilder<unknown>,
  code: RawBuilder<unknown>,
) => sql`exists (select 1 from coupons q
          where q.store_id = m.store_id and q.id = ${couponId} and q.is_active and q.gone_at is null
            and case when q.kind = 'shared' then upper(q.code) = upper(${code})
              else exists (select 1 from coupon_codes k where k.store_id = m.store_id and k.message_id = m.id and k.coupon_id = q.id
                and k.code = ${code} and k.state = 'made' and k.used_at is null
                and (k.cart_version is null or k.cart_version = c.version
                  or not (q.is_tied_to_email or q.max_discount_minor is not null))) end)`
