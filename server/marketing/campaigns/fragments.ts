import { type RawBuilder, sql } from '../../core/db/public.ts'
import { isFailed } from '../../messages/messages/public.ts'

// Conditions on messages `m` of campaigns, and on their chosen people.

/**
 * Failed, and a retry can succeed. Excluded: bounces, rejections of RFC 3463 class 5.1.x, messages that a later one of
 * the campaign replaced, and closed carts.
 */
export const isRetryable = sql<boolean>`(${isFailed('m')} and coalesce(m.reason, '') not in ('bounced', 'complaint')
  and not (m.reason like 'rejected:%' and coalesce(m.provider_response, '') ~ '\\m5\\.1\\.[0-6]\\M')
  and case when m.cart_id is null then not exists (select 1 from messages h where h.store_id = m.store_id
      and h.lone_shopper_id = m.lone_shopper_id and h.origin_kind = 'campaign' and h.origin_id = m.origin_id and h.step > m.step offset 0)
    else exists (select 1 from carts k where k.store_id = m.store_id and k.id = m.cart_id and k.status = 'abandoned')
      and not exists (select 1 from messages h where h.store_id = m.store_id and h.cart_id = m.cart_id
        and h.origin_kind = 'campaign' and h.origin_id = m.origin_id and h.step > m.step offset 0) end)`

/** True if key `k` is this email or phone number. */
export const isKeyOfAddress = (address: RawBuilder<unknown>) =>
  sql`k.kind = case when ${address} like '%@%' then 'email' else 'phone' end and k.value = ${address}`
