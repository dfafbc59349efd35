import { analyticsRanges, rangeDays } from '../../../shared/insights/analytics.ts'
import { type Db, type StoreDb, type StoreTx, sql, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import type { Day } from './days.ts'
import { toDay } from './days.ts'
import { countRangeDays, lockRanges, selectRangeDays } from './product-ranges-sql.ts'
import { daysOfRange, type RangeDays } from './ranges.ts'

/** Stores not viewed for this long are summed on the next request. */
const LOOKED_AT_MS = 31 * 86_400_000
const RANGES_AT_ONCE = 50
/** Up to this many rows of days and months, summing takes about 10 ms. */
const MAX_ROWS_AT_ONCE = 5_000

/** Call before reading products of a range that ends today; the first call of a day computes the sums. */
export async function ensureRange(store: StoreDb<Db>, range: RangeDays): Promise<void> {
  if (await hasRange(store, range)) return
  await transact(store, async (tx) => {
    await lockRanges(tx)
    if (!(await hasRange(tx, range))) await addUpRange(tx, range)
  })
}

/**
 * Call before showing products of a range. Returns false if there are many and their sums are missing or of another
 * last day; `renewRanges` computes them soon.
 */
export async function ensureRangeSoon(store: StoreDb<Db>, range: RangeDays): Promise<boolean> {
  if (await hasRange(store, range)) return true
  if (await hasMoreRows(store, range, MAX_ROWS_AT_ONCE)) return false
  await ensureRange(store, range)
  return true
}

/**
 * Tick: computes missing and outdated ranges of all stores whose figures were viewed in the last month, so that no
 * request has to wait.
 */
export async function renewRanges(deps: Pick<Deps, 'db' | 'log' | 'now'>): Promise<void> {
  const now = deps.now()
  const since = new Date(now.getTime() - LOOKED_AT_MS)
  const zones = (await zonesLookedAt(deps.db, since)).map((zone) => ({ time_zone: zone, today: toDay(now, zone) }))
  const lengths = Object.values(rangeDays)
  const ranges = await rangesToAdd(deps.db, { since, lengths, zones, limit: RANGES_AT_ONCE })
  for (const { store_id: storeId, time_zone: zone, days } of ranges) {
    const range = analyticsRanges.find((each) => rangeDays[each] === days)!
    await ensureRange({ storeId, db: deps.db }, daysOfRange(range, now, zone)).catch((error) => {
      // The other stores are still summed.
      deps.log.error({ err: error, storeId, days }, 'analytics.ranges_failed')
    })
  }
}

/** Whether the range's sums exist up to its last day. */
async function hasRange({ db, storeId }: StoreDb, range: RangeDays): Promise<boolean> {
  const { rows } = await sql`select 1 from product_ranges
    where store_id = ${storeId} and days = ${countRangeDays(range)} and until = ${range.last}::date`.execute(db)
  return rows.length > 0
}

/** Whether more than `than` rows of days and months would be summed. */
async function hasMoreRows({ db, storeId }: StoreDb, range: RangeDays, than: number): Promise<boolean> {
  const { rows } = await sql<{ isMore: boolean }>`
    select count(*) > ${than} as "isMore" from (select 1 from (${selectRangeDays(storeId, range)}) p limit ${than + 1}) r`.execute(
    db,
  )
  return rows[0]!.isMore
}

/** Lists the zones of stores whose figures were viewed since then. */
async function zonesLookedAt(db: Db, since: Date): Promise<string[]> {
  const { rows } = await sql<{ time_zone: string }>`
    select distinct s.time_zone from counted_figures f join stores s on s.id = f.store_id
    where coalesce(f.counted_at, f.asked_at) >= ${since}`.execute(db)
  return rows.map(({ time_zone }) => time_zone)
}

/** Lists those stores' ranges without sums, or with sums that end on another day than today. */
async function rangesToAdd(
  db: Db,
  {
    since,
    lengths,
    zones,
    limit,
  }: { since: Date; lengths: readonly number[]; zones: readonly ZoneDay[]; limit: number },
): Promise<{ store_id: string; time_zone: string; days: number }[]> {
  const { rows } = await sql<{ store_id: string; time_zone: string; days: number }>`
    with looked as (
      select distinct store_id from counted_figures where coalesce(counted_at, asked_at) >= ${since})
    select s.id as store_id, s.time_zone, l.days from looked join stores s on s.id = looked.store_id
    join jsonb_to_recordset(${JSON.stringify(zones)}::jsonb) as z(time_zone text, today date) on z.time_zone = s.time_zone
    cross join unnest(${lengths}::int[]) as l(days)
    left join product_ranges r on r.store_id = s.id and r.days = l.days
    where r.until is distinct from z.today order by s.id, l.days limit ${limit}`.execute(db)
  return rows
}

async function addUpRange(tx: StoreTx, range: RangeDays): Promise<void> {
  const { db, storeId } = tx
  await sql`insert into product_ranges (store_id, days, until) values (${storeId}, ${countRangeDays(range)}, ${range.last}::date)
    on conflict (store_id, days) do update set until = excluded.until`.execute(db)
  await sql`delete from product_range_figures where store_id = ${storeId} and days = ${countRangeDays(range)}`.execute(
    db,
  )
  await sql`
    insert into product_range_figures (store_id, days, currency, product_id, abandoned, recovered, lost_minor)
    select ${storeId}, ${countRangeDays(range)}, currency, product_id, sum(abandoned), sum(recovered), sum(lost_minor)
    from (${selectRangeDays(storeId, range)}) p group by currency, product_id`.execute(db)
}

/** A time zone and its current day. */
interface ZoneDay {
  time_zone: string
  today: Day
}
