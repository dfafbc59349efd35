import { type RawBuilder, sql } from '../../core/db/db.ts'
import { isFailed } from '../../messages/messages/fragments.ts'

// What campaigns tell of their messages: parts of statements over messages `m`; and who is chosen by hand.

/**
 * Failed, and another try may end otherwise: not for an address that does not exist (a bounce, or a refusal of RFC 3463, 5.1.x), not after a
 * later message of the campaign, and not about a cart that is over.
 */
export const isRetryable = sql<boolean>`(${isFailed('m')} and coalesce(m.reason, '') not in ('bounced', 'complaint')
  and not (m.reason like 'rejected:%' and coalesce(m.provider_response, '') ~ '\\m5\\.1\\.[0-6]\\M')
  and case when m.cart_id is null then not exists (select 1 from messages h where h.store_id = m.store_id
      and h.lone_shopper_id = m.lone_shopper_id and h.origin_kind = 'campaign' and h.origin_id = m.origin_id and h.step > m.step offset 0)
    else exists (select 1 from carts k where k.store_id = m.store_id and k.id = m.cart_id and k.status = 'abandoned')
      and not exists (select 1 from messages h where h.store_id = m.store_id and h.cart_id = m.cart_id
        and h.origin_kind = 'campaign' and h.origin_id = m.origin_id and h.step > m.step offset 0) end)`

/** Key `k` is this email or number. */
export const isKeyOf = (address: RawBuilder<unknown>) =>
  sql`k.kind = case when ${address} like '%@%' then 'email' else 'phone' end and k.value = ${address}`
