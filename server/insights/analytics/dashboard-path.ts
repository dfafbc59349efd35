import { getCurrencyExponent } from '../../../shared/core/money.ts'
import { type DashboardPath, type PathStation, pathStations } from '../../../shared/insights/dashboard.ts'
import { readStore } from '../../access/stores/public.ts'
import { requireFound } from '../../core/common/public.ts'
import { type Db, type StoreDb, sql } from '../../core/db/public.ts'
import { wasSent } from './fragments.ts'
import { buildDaySpans } from './rules.ts'

// The path of the carts of the last 30 days, with the money at each station. Daily figures have no value per stage, so
// this reads carts: at most so many of the newest, as the filter by reach does.

const MAX_CARTS = 5_000

export async function readPath(store: StoreDb<Db>, now: Date): Promise<DashboardPath> {
  const { time_zone: zone } = requireFound(await readStore(store), 'Store')
  const { since, until } = buildDaySpans(now, zone)
  const rows = await countStations(store, since, until)
  const stations = pathStations.map((station) => {
    const own = rows.filter((row) => row.station === station)
    return {
      station,
      carts: own.reduce((sum, { carts }) => sum + carts, 0),
      amounts: own
        .filter(({ minor }) => minor !== 0)
        .map(({ currency, minor }) => ({ currency, amount: minor / 10 ** getCurrencyExponent(currency) })),
    }
  })
  const isPartial = stations.some(({ carts }) => carts >= MAX_CARTS)
  return { stations, ...(isPartial && { lookedThrough: MAX_CARTS }) }
}

interface StationRow {
  station: PathStation
  currency: string
  carts: number
  minor: number
}

/** A message about a merged cart counts for the surviving cart (S6). */
async function countStations({ db, storeId }: StoreDb, since: Date, until: Date): Promise<StationRow[]> {
  const { rows } = await sql<StationRow>`
    with begun as materialized (
      select c.currency, c.value_minor as minor from carts c
      where c.store_id = ${storeId} and c.started_at >= ${since} and c.started_at < ${until} and c.status <> 'merged'
      order by c.started_at desc limit ${MAX_CARTS}),
    abandoned as materialized (
      select c.id, c.shopper_id, c.currency, coalesce(c.abandoned_minor, c.value_minor) as minor,
        c.status = 'recovered' and not c.is_void as is_recovered
      from carts c
      where c.store_id = ${storeId} and c.abandoned_at >= ${since} and c.abandoned_at < ${until} and c.status <> 'merged'
      order by c.abandoned_at desc limit ${MAX_CARTS}),
    own as (
      select id, id as cart_id from abandoned
      union all
      select a.id, c.id from abandoned a
      join carts c on c.store_id = ${storeId} and c.shopper_id = a.shopper_id and c.merged_into = a.id),
    messaged as materialized (
      select own.id, bool_or(exists (select 1 from touchpoints t where t.store_id = ${storeId} and t.message_id = m.id
        and t.is_human and t.kind in ('click', 'restore'))) as is_clicked
      from own join messages m on m.store_id = ${storeId} and m.cart_id = own.cart_id
      where m.sending_at is not null and ${wasSent} group by own.id),
    bought as (
      select o.currency, o.cart_id, o.net_minor as minor from abandoned a
      join orders o on o.store_id = ${storeId} and o.cart_id = a.id and o.touchpoint_id is not null
      where a.is_recovered),
    stations (station, currency, cart_id, minor) as (
      select 'cart', currency, null::uuid, minor from begun
      union all select 'abandoned', currency, id, minor from abandoned
      union all select 'message', a.currency, a.id, a.minor from abandoned a join messaged using (id)
      union all select 'click', a.currency, a.id, a.minor from abandoned a join messaged m using (id) where m.is_clicked
      union all select 'bought', currency, cart_id, minor from bought)
    select station, btrim(currency) as currency, sum(minor)::bigint as minor,
      (case when station = 'bought' then count(distinct cart_id) else count(*) end)::int as carts
    from stations group by station, currency`.execute(db)
  return rows
}
