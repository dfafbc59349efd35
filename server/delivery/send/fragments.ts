import { counts, isBasisCounted } from '../../shoppers/consent/fragments.ts'
import { type RawBuilder, sql } from '../../core/db/db.ts'
import { matchingPending, matchingPurchase } from '../decide/fragments.ts'
import { isRunningCampaign, isSending } from '../../messages/messages/fragments.ts'

// What a send asks once more of a message `m`, its cart `c` and its store `s`, as parts of statements.

/** The time of a step rests on what was just sent of its flow, once that is written down (T4). */
export const waitsForEarlier = (row: 'm' | 'messages') => {
  const of = (column: string) => sql.ref(`${row}.${column}`)
  // Read by its cart, which has few messages: the flow may have thousands, and a planner who has not seen them yet would read all of them.
  return sql`(${of('origin_kind')} in ('flow', 'push') and exists (select 1 from (select * from messages o
          where o.store_id = ${of('store_id')} and o.cart_id = ${of('cart_id')} offset 0) l
          where l.origin_id = ${of('origin_id')} and l.id <> ${of('id')} and ${isSending('l')}))`
}

/** What pause, suspension, a store’s rest, switching off, disconnect, purchase, unsubscribe and withdrawal take away (D5): of message `m`, its cart `c`, its store `s`. */
export const stands = (
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
          and n.address_hash = ${addressHash} and ${counts('n')} order by n.at desc, n.id desc limit 1), '') <> 'withdrawn'`

/** Whether what a message rests on by its decision's `inputs` holds still: the rule that was relaxed (C6), the row of an import. */
export const isBasisInForce = (
  inputs: RawBuilder<unknown>,
) => sql`(${inputs} #>> '{consentBasis,kind}' is distinct from 'override'
          or exists (select 1 from consent_overrides r where r.store_id = m.store_id
            and r.id = (${inputs} #>> '{consentBasis,id}')::uuid and r.ended_at is null))
        and ${isBasisCounted(sql`m.store_id`, inputs)}`

/** Whether message `m` is to have this coupon still: its step, its campaign, or what was asked for. */
export const wantsCoupon = (couponId: RawBuilder<unknown>) => sql`(case when m.origin_kind = 'flow'
          then exists (select 1 from flow_steps fs where fs.store_id = m.store_id and fs.flow_id = m.origin_id and fs.id = m.step_id
            and fs.coupon_id = ${couponId})
          when m.origin_kind = 'campaign' then exists (select 1 from campaigns g where g.store_id = m.store_id and g.id = m.origin_id and g.coupon_id = ${couponId})
          else exists (select 1 from manual_messages r where r.store_id = m.store_id and r.message_id = m.id
            and r.coupon_id = ${couponId}) end)`
