import { type RawBuilder, sql } from '../../core/db/public.ts'
import { isRunningCampaign, isSending } from '../../messages/messages/public.ts'
import { doesBasisCount, doesConsentCount } from '../../shoppers/consent/public.ts'
import { matchingPending, matchingPurchase } from '../decide/public.ts'

// SQL conditions that a send checks again, on a message `m`, its cart `c` and its store `s`.

/**
 * An earlier message of the cart's flow is in flight. Its send moves the due time of this one once it is settled (T4).
 */
export const waitsForEarlier = (row: 'm' | 'messages') => {
  const of = (column: string) => sql.ref(`${row}.${column}`)
  // `offset 0` forces the lookup by cart, which has few messages. With old statistics the planner would read the flow's
  // thousands.
  return sql`(${of('origin_kind')} in ('flow', 'push') and exists (select 1 from (select * from messages o
          where o.store_id = ${of('store_id')} and o.cart_id = ${of('cart_id')} offset 0) l
          where l.origin_id = ${of('origin_id')} and l.id <> ${of('id')} and ${isSending('l')}))`
}

/**
 * Stops applied within a second (D5): pause, suspension, resting store, flow off, disconnect, purchase, unsubscribe,
 * withdrawn consent.
 */
export const passesStops = (
  { addressHash, otherHashes }: Record<'addressHash' | 'otherHashes', RawBuilder<unknown>>,
  now: Date,
) => sql`(m.cart_id is null or c.status = 'abandoned' or (c.status = 'lost' and m.origin_kind = 'manual'))
        and not ${waitsForEarlier('m')}
        and s.is_active and s.sending_paused_at is null and s.rests_since is null
        and not coalesce((select is_paused from instance), false)
        and not exists (select 1 from accounts x where x.id = s.account_id and x.suspended_at is not null)
        and case when m.origin_kind = 'manual' then true
          when m.origin_kind in ('flow', 'push') then exists (select 1 from flows f where f.store_id = m.store_id and f.id = m.origin_id and f.is_on)
          when m.origin_kind = 'campaign' then exists (select 1 from campaigns g
            where g.store_id = m.store_id and g.id = m.origin_id and ${isRunningCampaign}) else false end
        and not exists (${matchingPurchase})
        and not exists (select 1 from (${matchingPending}) p where p.until > ${now})
        and not exists (select 1 from suppressions p where p.account_id = s.account_id
          and (p.address_hash = ${addressHash} or p.address_hash = any(${otherHashes})) and p.channel in ('all', m.channel))
        and coalesce((select n.status from consents n where n.store_id = m.store_id and n.channel = m.channel
          and n.address_hash = ${addressHash} and ${doesConsentCount('n')} order by n.at desc, n.id desc limit 1), '') <> 'withdrawn'`

/**
 * The consent basis in the decision's `inputs` is still in force: the consent override (C6), or the row of an import.
 */
export const isBasisInForce = (
  inputs: RawBuilder<unknown>,
) => sql`(${inputs} #>> '{consentBasis,kind}' is distinct from 'override'
          or exists (select 1 from consent_overrides r where r.store_id = m.store_id
            and r.id = (${inputs} #>> '{consentBasis,id}')::uuid and r.ended_at is null))
        and ${doesBasisCount(sql`m.store_id`, inputs)}`

/** The step, campaign or manual send of message `m` still has this coupon. */
export const wantsCoupon = (couponId: RawBuilder<unknown>) => sql`(case when m.origin_kind = 'flow'
          then exists (select 1 from flow_steps fs where fs.store_id = m.store_id and fs.flow_id = m.origin_id and fs.id = m.step_id
            and fs.coupon_id = ${couponId})
          when m.origin_kind = 'campaign' then exists (select 1 from campaigns g where g.store_id = m.store_id and g.id = m.origin_id and g.coupon_id = ${couponId})
          else exists (select 1 from manual_messages r where r.store_id = m.store_id and r.message_id = m.id
            and r.coupon_id = ${couponId}) end)`
