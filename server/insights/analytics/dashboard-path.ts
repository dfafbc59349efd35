import { getCurrencyExponent } from '../../../shared/core/money.ts'
import { type DashboardPath, type PathStation, pathStations } from '../../../shared/insights/dashboard.ts'
import { readStore } from '../../access/stores/public.ts'
import { requireFound } from '../../core/common/public.ts'
import { type Db, type StoreDb, sql } from '../../core/db/public.ts'
import { isSending } from '../../messages/messages/public.ts'
import { sumSpans } from './dashboard.ts'
import { wasSent } from './fragments.ts'
import { buildDaySpans } from './rules.ts'

// What happened to carts in the last 30 days, with the money at each station. Each station counts by the time of its own
// event, as the other figures do: abandoned and recovered carts and recovered revenue are the same sums.
// Daily figures have no value per stage, so the rest reads carts: at most so many of the newest, as the filter by reach does.

const MAX_CARTS = 5_000

export async function readPath(store: StoreDb<Db>, now: Date): Promise<DashboardPath> {
  const { time_zone: zone } = requireFound(await readStore(store), 'Store')
  const spans = buildDaySpans(now, zone)
  const [rows, sums] = await Promise.all([countStations(store, spans), sumSpans(store, spans)])
  const abandoned = sums.now.reduce((sum, each) => sum + each.abandoned, 0)
  const recovered = sums.now.reduce((sum, each) => sum + each.recovered, 0)
  const revenue = sums.now.map(({ currency, attributed_minor: minor }) => ({ currency, minor }))
  const stations = pathStations.map((station) => {
    if (station === 'bought') return { station, carts: recovered, amounts: presentAmounts(revenue) }
    const own = rows.filter((row) => row.station === station)
    const carts = station === 'abandoned' ? abandoned : own.reduce((sum, row) => sum + row.carts, 0)
    return { station, carts, amounts: presentAmounts(own) }
  })
  const isPartial = rows.some(({ carts, messages }) => Math.max(carts, messages) >= MAX_CARTS)
  return { stations, ...(isPartial && { lookedThrough: MAX_CARTS }) }
}

const presentAmounts = (rows: readonly { currency: string; minor: number }[]) =>
  rows
    .filter(({ minor }) => minor !== 0)
    .map(({ currency, minor }) => ({ currency, amount: minor / 10 ** getCurrencyExponent(currency) }))

interface StationRow {
  station: Exclude<PathStation, 'bought'>
  currency: string
  carts: number
  minor: number
  /** Messages that were read for all rows. */
  messages: number
}

/** A message about a merged cart counts for the surviving cart (S6). */
async function countStations(
  { db, storeId }: StoreDb,
  { since, until }: { since: Date; until: Date },
): Promise<StationRow[]> {
  const { rows } = await sql<StationRow>`
    with begun as materialized (
      select c.currency, c.value_minor as minor from carts c
      where c.store_id = ${storeId} and c.started_at >= ${since} and c.started_at < ${until} and c.status <> 'merged'
      order by c.started_at desc limit ${MAX_CARTS}),
    abandoned as materialized (
      select c.currency, coalesce(c.abandoned_minor, c.value_minor) as minor from carts c
      where c.store_id = ${storeId} and c.abandoned_at >= ${since} and c.abandoned_at < ${until} and c.status <> 'merged'
      order by c.abandoned_at desc limit ${MAX_CARTS}),
    sent as materialized (
      select m.id, m.cart_id from messages m
      where m.store_id = ${storeId} and m.sending_at >= ${since} and m.sending_at < ${until} and not ${isSending('m')}
        and m.cart_id is not null and ${wasSent}
      order by m.sending_at desc limit ${MAX_CARTS}),
    messaged as (
      select coalesce(c.merged_into, c.id) as id, bool_or(exists (select 1 from touchpoints t where t.store_id = ${storeId}
        and t.message_id = sent.id and t.is_human and t.kind in ('click', 'restore'))) as is_clicked
      from sent join carts c on c.store_id = ${storeId} and c.id = sent.cart_id
      group by 1),
    valued as materialized (
      select c.currency, coalesce(c.abandoned_minor, c.value_minor) as minor, m.is_clicked
      from messaged m join carts c on c.store_id = ${storeId} and c.id = m.id),
    stations (station, currency, minor) as (
      select 'cart', currency, minor from begun
      union all select 'abandoned', currency, minor from abandoned
      union all select 'message', currency, minor from valued
      union all select 'click', currency, minor from valued where is_clicked)
    select station, btrim(currency) as currency, sum(minor)::bigint as minor, count(*)::int as carts,
      (select count(*) from sent)::int as messages
    from stations group by station, currency`.execute(db)
  return rows
}
