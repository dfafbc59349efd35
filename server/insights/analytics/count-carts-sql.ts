import { type StoreTx, sql } from '../../core/db/public.ts'
import type { DayBounds } from './days.ts'
import { selectDays, wasSent } from './fragments.ts'
import { lockRanges } from './product-ranges-sql.ts'

// Recounts the cart figures of whole days: carts that began on them and carts abandoned on them (decisions 92, 93, 97,
// 99).

const listDays = (bounds: readonly DayBounds[]) => bounds.map(({ day }) => day)

/** A cart changed after a message stays abandoned (S2) and counts with its value at abandonment. */
const minor = sql`coalesce(c.abandoned_minor, c.value_minor)`
/** A purchase that was cancelled or fully refunded does not count. */
const isBought = sql`c.status in ('recovered', 'purchased') and not c.is_void`
const isRecovered = sql`c.status = 'recovered' and not c.is_void`

/** Counts carts that began and carts abandoned on these days. */
export async function countCarts({ db, storeId }: StoreTx, bounds: readonly DayBounds[]): Promise<void> {
  await sql`delete from cart_figures where store_id = ${storeId} and day = any(${listDays(bounds)}::date[])
    and dimension in ('all', 'country', 'device', 'shopper')`.execute(db)
  await sql`
    with ${selectDays(bounds)},
    counted as (
      select d.day, c.shopper_id, c.started_at, c.currency, coalesce(c.country, '') as country,
        coalesce(c.device_class, '') as device,
        1 as began, (c.status <> 'active')::int as began_over, (c.status <> 'active' and c.abandoned_at is not null)::int as began_abandoned,
        (${isBought})::int as began_bought, 0 as abandoned, 0::bigint as abandoned_minor, 0 as unbought, 0::bigint as unbought_minor, 0 as recovered
      from days d join carts c on c.store_id = ${storeId} and c.started_at >= d.since and c.started_at < d.until
      where c.status <> 'merged'
      union all
      select d.day, c.shopper_id, c.started_at, c.currency, coalesce(c.country, ''), coalesce(c.device_class, ''), 0, 0, 0, 0,
        1, ${minor}, (not (${isBought}))::int, case when ${isBought} then 0 else ${minor} end, (${isRecovered})::int
      from days d join carts c on c.store_id = ${storeId} and c.abandoned_at >= d.since and c.abandoned_at < d.until
      where c.status <> 'merged'),
    known as (
      select n.*, case when exists (
          select 1 from orders o where o.store_id = ${storeId} and o.shopper_id = n.shopper_id and o.purchased_at < n.started_at
            and o.purchased_at is not null and o.net_minor > 0) then 'returning' else 'new' end as shopper
      from counted n)
    insert into cart_figures (store_id, dimension, day, key, currency,
      began, began_over, began_abandoned, began_bought, abandoned, abandoned_minor, unbought, unbought_minor, recovered)
    select ${storeId}, v.dimension, k.day, v.key, k.currency, sum(began), sum(began_over), sum(began_abandoned), sum(began_bought),
      sum(abandoned), sum(abandoned_minor), sum(unbought), sum(unbought_minor), sum(recovered)
    from known k, lateral (values ('all', ''), ('country', k.country), ('device', k.device), ('shopper', k.shopper)) v (dimension, key)
    group by v.dimension, k.day, v.key, k.currency`.execute(db)
}

/** Counts the funnel. A message about a joined cart counts for the cart it was joined to (S6). */
export async function countFunnel({ db, storeId }: StoreTx, bounds: readonly DayBounds[]): Promise<void> {
  await sql`delete from funnel_figures where store_id = ${storeId} and day = any(${listDays(bounds)}::date[])`.execute(
    db,
  )
  await sql`
    with ${selectDays(bounds)},
    began as materialized (
      select d.day, c.id, (${isRecovered}) as is_recovered, c.shopper_id from days d join carts c on c.store_id = ${storeId} and c.started_at >= d.since and c.started_at < d.until
      where c.status <> 'merged'),
    joined as (
      select day, id, id as cart_id from began
      union all select b.day, b.id, c.id from began b
      join carts c on c.store_id = ${storeId} and c.shopper_id = b.shopper_id and c.merged_into = b.id),
    reached as (
      select b.day, b.id, m.channel, 1 as sent,
        exists (select 1 from engagement_events e where e.store_id = ${storeId} and e.message_id = m.id
          and e.kind = 'open' and e.class = 'human')::int as opened,
        exists (select 1 from touchpoints t where t.store_id = ${storeId} and t.message_id = m.id
          and t.is_human and t.kind in ('click', 'restore'))::int as clicked, 0 as converted
      from joined b join messages m on m.store_id = ${storeId} and m.cart_id = b.cart_id where m.sending_at is not null and ${wasSent}
      union all
      select b.day, b.id, m.channel, 0, 0, 0, 1 from began b
      join orders o on o.store_id = ${storeId} and o.cart_id = b.id and o.touchpoint_id is not null
      join messages m on m.store_id = ${storeId} and m.id = o.message_id where b.is_recovered
      union all
      select b.day, b.id, null, 0, 0, 0, 1 from began b where b.is_recovered),
    flags as (
      select r.day, r.id, v.channel, max(r.sent) as sent, max(r.opened) as opened, max(r.clicked) as clicked, max(r.converted) as converted
      from reached r, lateral (values (r.channel), ('all')) v (channel) where v.channel is not null group by r.day, r.id, v.channel)
    insert into funnel_figures (store_id, channel, day, sent, opened, clicked, converted)
    select ${storeId}, channel, day, sum(sent), sum(opened), sum(clicked), sum(converted) from flags group by channel, day`.execute(
    db,
  )
}

/** Counts products and applies the changes to the ranges with these days (product-ranges-sql.ts). */
export async function countProducts(tx: StoreTx, bounds: readonly DayBounds[]): Promise<void> {
  const { db, storeId } = tx
  const list = listDays(bounds)
  await lockRanges(tx)
  await sql`
    with ${selectDays(bounds)},
    lines as materialized (
      select d.day, c.id, c.currency, c.abandoned_at, (${isRecovered})::int as recovered, (not (${isBought})) as is_lost,
        i.line ->> 'productId' as product_id, i.line ->> 'name' as name, i.line ->> 'sku' as sku, i.line ->> 'imageUrl' as image_url,
        (i.line ->> 'unitPriceMinor')::numeric * (i.line ->> 'quantity')::numeric as minor
      from days d join carts c on c.store_id = ${storeId} and c.abandoned_at >= d.since and c.abandoned_at < d.until,
        lateral jsonb_array_elements(c.items) i (line)
      where c.status <> 'merged'),
    held as (
      select day, id, currency, product_id, max(recovered) as recovered, sum(case when is_lost then minor else 0 end) as lost
      from lines group by day, id, currency, product_id),
    named as (
      insert into figure_products as p (store_id, product_id, name, sku, image_url, seen_on)
      select distinct on (product_id) ${storeId}::uuid, product_id, name, sku, image_url, day from lines
      order by product_id, abandoned_at desc, id, name, sku, image_url
      on conflict (store_id, product_id) do update
        set name = excluded.name, sku = excluded.sku, image_url = excluded.image_url, seen_on = excluded.seen_on
        where excluded.seen_on >= p.seen_on and (p.name, p.sku, p.image_url, p.seen_on)
          is distinct from (excluded.name, excluded.sku, excluded.image_url, excluded.seen_on)),
    counted as (
      select day, product_id, currency, count(*) as abandoned, sum(recovered)::bigint as recovered, sum(lost)::bigint as lost_minor
      from held group by day, product_id, currency),
    before as (
      select day, product_id, currency, abandoned, recovered, lost_minor from product_figures
      where store_id = ${storeId} and day = any(${list}::date[])),
    moved as materialized (
      select day, product_id, currency, c.abandoned, c.recovered, c.lost_minor, coalesce(c.abandoned, 0) - coalesce(b.abandoned, 0) as abandoned_by,
        coalesce(c.recovered, 0) - coalesce(b.recovered, 0) as recovered_by, coalesce(c.lost_minor, 0) - coalesce(b.lost_minor, 0) as lost_by
      from counted c full join before b using (day, product_id, currency)
      where (c.abandoned, c.recovered, c.lost_minor) is distinct from (b.abandoned, b.recovered, b.lost_minor)),
    ranged as (
      insert into product_range_figures as r (store_id, days, currency, product_id, abandoned, recovered, lost_minor)
      select ${storeId}, g.days, m.currency, m.product_id, sum(m.abandoned_by), sum(m.recovered_by), sum(m.lost_by)
      from moved m join product_ranges g on g.store_id = ${storeId} and m.day > g.until - g.days and m.day <= g.until
      group by g.days, m.currency, m.product_id
      on conflict (store_id, days, currency, product_id) do update set abandoned = r.abandoned + excluded.abandoned,
        recovered = r.recovered + excluded.recovered, lost_minor = r.lost_minor + excluded.lost_minor),
    deleted as (
      delete from product_figures p using moved m where p.store_id = ${storeId} and p.day = m.day and p.product_id = m.product_id
        and p.currency = m.currency and m.abandoned is null)
    insert into product_figures (store_id, day, product_id, currency, abandoned, recovered, lost_minor)
    select ${storeId}, day, product_id, currency, abandoned, recovered, lost_minor from moved where abandoned is not null
    on conflict (store_id, day, product_id, currency) do update set abandoned = excluded.abandoned, recovered = excluded.recovered,
      lost_minor = excluded.lost_minor`.execute(db)
  const months = [...new Set(list.map((day) => `${day.slice(0, 7)}-01`))]
  await sql`delete from product_month_figures where store_id = ${storeId} and month = any(${months}::date[])`.execute(
    db,
  )
  await sql`
    insert into product_month_figures (store_id, month, product_id, currency, abandoned, recovered, lost_minor)
    select ${storeId}, m.month, p.product_id, p.currency, sum(p.abandoned), sum(p.recovered), sum(p.lost_minor)
    from unnest(${months}::date[]) m (month)
    join product_figures p on p.store_id = ${storeId} and p.day >= m.month and p.day < (m.month + interval '1 month')::date
    group by m.month, p.product_id, p.currency`.execute(db)
}
