import { hourBounds } from '../../../shared/insights/analytics.ts'
import { type StoreTx, sql } from '../../core/db/public.ts'
import {
  hasBounced,
  isAccepted,
  isDelivered,
  isSending,
  isUnknown,
  wasAccepted,
  wasAttempted,
} from '../../messages/messages/public.ts'
import type { DayBounds } from './days.ts'
import { isCustomer, selectDays } from './fragments.ts'

// Recounts the figures of messages and orders of whole days (decisions 94, 95, 99, 154).

const NIL = sql.lit('00000000-0000-0000-0000-000000000000')
const listDays = (bounds: readonly DayBounds[]) => bounds.map(({ day }) => day)

/** The bucket of hours between abandonment and send, by its lower bound. */
const fromHour = sql`case when m.cart_abandoned_at is null then -1 else (${sql.lit(`{${hourBounds.join(',')}}`)}::int[])[
  greatest(1, width_bucket(extract(epoch from m.sending_at - m.cart_abandoned_at) / 3600, ${sql.lit(`{${hourBounds.join(',')}}`)}::numeric[]))] end`

/** Counts messages. Rates include accepted messages only, but the revenue of other messages' orders counts too. */
export async function countMessages({ db, storeId }: StoreTx, bounds: readonly DayBounds[]): Promise<void> {
  await sql`delete from message_figures where store_id = ${storeId} and day = any(${listDays(bounds)}::date[])`.execute(
    db,
  )
  await sql`
    with ${selectDays(bounds)},
    left_ as materialized (
      select d.day, m.id, m.channel, m.origin_kind, case when m.origin_kind = 'manual' then ${NIL}::uuid else m.origin_id end as origin_id,
        case when m.origin_kind in ('flow', 'push') then coalesce(m.step_id, ${NIL}::uuid) else ${NIL}::uuid end as step_id, coalesce(m.variant_id, ${NIL}::uuid) as variant_id,
        ${fromHour} as from_hour, (${isDelivered('m')})::int as delivered,
        (${wasAccepted('m')})::int as accepted, (${hasBounced('m')})::int as bounced, (m.unsubscribed_at is not null)::int as unsubscribed,
        m.cost_micros, m.cost_currency, m.coupon_code
      from days d join messages m on m.store_id = ${storeId} and m.sending_at >= d.since and m.sending_at < d.until
      where m.sending_at is not null and ${wasAttempted('m')} and not ${isSending('m')}),
    opens as (
      select l.id, bool_or(e.class = 'human') as is_human from left_ l
      join engagement_events e on e.store_id = ${storeId} and e.message_id = l.id and e.kind = 'open' and e.class in ('human', 'machine')
      group by l.id),
    clicks as (
      select distinct l.id from left_ l join touchpoints t on t.store_id = ${storeId} and t.message_id = l.id
      where t.is_human and t.kind in ('click', 'restore')),
    complaints as (
      select l.id from left_ l join mail_reports r on r.store_id = ${storeId} and r.message_id = l.id and r.kind = 'complaint'),
    credits as (
      select l.id, o.currency, sum(o.net_minor)::bigint as minor from left_ l
      join orders o on o.store_id = ${storeId} and o.message_id = l.id and o.touchpoint_id is not null and o.net_minor > 0
      group by l.id, o.currency),
    used as (
      select l.id, k.used_order_id as order_id, k.code from left_ l
      join coupon_codes k on k.store_id = ${storeId} and k.message_id = l.id and k.code = l.coupon_code and k.used_order_id is not null
      union
      select l.id, o.order_id, l.coupon_code from left_ l join orders o on o.store_id = ${storeId} and o.message_id = l.id
      where l.coupon_code is not null and o.touchpoint_id is not null),
    discounts as (
      select u.id, o.currency, sum(c.discount_minor)::bigint as minor from used u
      join order_coupons c on c.store_id = ${storeId} and c.order_id = u.order_id and c.code = u.code
      join orders o on o.store_id = ${storeId} and o.order_id = u.order_id and o.purchased_at is not null and o.net_minor > 0
      group by u.id, o.currency),
    counted as (
      select l.id, '' as currency, l.accepted, l.delivered, l.accepted * coalesce(o.is_human, false)::int as opened,
        l.accepted * coalesce(not o.is_human, false)::int as machine_opened, l.accepted * (k.id is not null)::int as clicked,
        l.accepted * (exists (select 1 from credits c where c.id = l.id))::int as credited, l.bounced, l.unsubscribed,
        (p.id is not null)::int as complained, 0::bigint as attributed_minor, 0::bigint as discount_minor, 0::bigint as cost_micros
      from left_ l left join opens o on o.id = l.id left join clicks k on k.id = l.id left join complaints p on p.id = l.id
      union all select id, currency, 0, 0, 0, 0, 0, 0, 0, 0, 0, minor, 0, 0 from credits
      union all select id, currency, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, minor, 0 from discounts
      union all select id, cost_currency, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, cost_micros from left_
        where cost_micros <> 0 and cost_currency is not null)
    insert into message_figures (store_id, day, channel, origin_kind, origin_id, step_id, variant_id, from_hour, currency, accepted, delivered, opened, machine_opened,
      clicked, credited, bounced, unsubscribed, complained, attributed_minor, discount_minor, cost_micros)
    select ${storeId}, l.day, l.channel, l.origin_kind, l.origin_id, l.step_id, l.variant_id, l.from_hour, c.currency, sum(c.accepted), sum(c.delivered), sum(c.opened),
      sum(c.machine_opened), sum(c.clicked), sum(c.credited), sum(c.bounced), sum(c.unsubscribed), sum(c.complained),
      sum(c.attributed_minor), sum(c.discount_minor), sum(c.cost_micros)
    from counted c join left_ l on l.id = c.id
    group by l.day, l.channel, l.origin_kind, l.origin_id, l.step_id, l.variant_id, l.from_hour, c.currency`.execute(db)
  await sumFlows({ db, storeId }, listDays(bounds))
}

/** Sums per flow for flow reports, without channel and hour. */
async function sumFlows({ db, storeId }: StoreTx, days: readonly string[]): Promise<void> {
  await sql`delete from flow_figures where store_id = ${storeId} and day = any(${[...days]}::date[])`.execute(db)
  await sql`
    insert into flow_figures (store_id, flow_id, day, step_id, variant_id, currency, accepted, delivered, opened, machine_opened, clicked,
      credited, unsubscribed, attributed_minor)
    select store_id, origin_id, day, step_id, variant_id, currency, sum(accepted), sum(delivered), sum(opened), sum(machine_opened), sum(clicked),
      sum(credited), sum(unsubscribed), sum(attributed_minor)
    from message_figures where store_id = ${storeId} and day = any(${[...days]}::date[]) and origin_kind = 'flow'
    group by 1, 2, 3, 4, 5, 6`.execute(db)
}

/** Whether a message was sent to the shopper within the attribution window before the order and did not bounce. */
const wasReached = (storeId: string) => sql`exists (
  select 1 from messages m where m.store_id = ${storeId} and m.shopper_id = o.shopper_id and m.sending_at is not null
    and m.sending_at <= o.purchased_at and m.sending_at >= o.purchased_at - s.attribution_window_days * interval '1 day'
    and (${isAccepted('m')} or ${isUnknown('m')}))`

export async function countOrders({ db, storeId }: StoreTx, bounds: readonly DayBounds[]): Promise<void> {
  await sql`delete from order_figures where store_id = ${storeId} and day = any(${listDays(bounds)}::date[])`.execute(
    db,
  )
  await sql`
    with ${selectDays(bounds)},
    bought as (
      select d.day, o.currency, o.net_minor,
        case when o.touchpoint_id is not null then 'attributed' when not o.is_staff and ${wasReached(storeId)} then 'assisted'
          else 'organic' end as source,
        (k.is_customer and not exists (
          select 1 from orders e where e.store_id = ${storeId} and e.shopper_id = o.shopper_id and e.purchased_at is not null
            and e.currency = o.currency and e.net_minor > 0 and (e.purchased_at, e.order_id) < (o.purchased_at, o.order_id)))::int as is_first,
        case when k.is_customer then o.net_minor else 0 end as customer_minor
      from days d join orders o on o.store_id = ${storeId} and o.purchased_at >= d.since and o.purchased_at < d.until
      join stores s on s.id = o.store_id, lateral (select ${isCustomer(storeId, sql`o.shopper_id`)} as is_customer) k
      where o.purchased_at is not null and o.net_minor > 0)
    insert into order_figures (store_id, day, source, currency, orders, net_minor, customers_minor, firsts)
    select ${storeId}, day, source, currency, count(*), sum(net_minor), sum(customer_minor), sum(is_first) from bought group by day, source, currency`.execute(
    db,
  )
}
