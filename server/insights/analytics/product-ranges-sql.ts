import { type Db, type StoreDb, type StoreTx, sql } from '../../core/db/db.ts'
import type { Day } from './days.ts'
import type { RangeDays } from './ranges.ts'

// Product sums of ranges that end today, in a table in list order. They are computed once a day, in the background or,
// if they are few, by the first request. Afterwards the recount of days keeps them up to date (count-carts-sql.ts).

/** A product's position in the list, which is sorted by lost revenue. */
export interface ProductPlace {
  product_id: string
  abandoned: number
  lost_minor: number
}

export interface ProductSums extends ProductPlace {
  name: string
  sku: string | null
  image_url: string | null
  recovered: number
}

interface ProductFilter {
  currency: string
  search: string
}

/** The next products in list order. */
interface ProductPage {
  after: ProductPlace | null
  limit: number
}

const lengthOf = ({ first, last }: RangeDays) => sql`(${last}::date - ${first}::date + 1)`

/** Whether the range's sums exist up to its last day. */
export async function hasRange({ db, storeId }: StoreDb, range: RangeDays): Promise<boolean> {
  const { rows } = await sql`select 1 from product_ranges
    where store_id = ${storeId} and days = ${lengthOf(range)} and until = ${range.last}::date`.execute(db)
  return rows.length > 0
}

/** Whether more than `than` rows of days and months would be summed. */
export async function hasMoreRows({ db, storeId }: StoreDb, range: RangeDays, than: number): Promise<boolean> {
  const { rows } = await sql<{ isMore: boolean }>`
    select count(*) > ${than} as "isMore" from (select 1 from (${daysOf(storeId, range)}) p limit ${than + 1}) r`.execute(
    db,
  )
  return rows[0]!.isMore
}

/** A time zone and its current day. */
export interface ZoneDay {
  time_zone: string
  today: Day
}

/** Lists the zones of stores whose figures were viewed since then. */
export async function zonesLookedAt(db: Db, since: Date): Promise<string[]> {
  const { rows } = await sql<{ time_zone: string }>`
    select distinct s.time_zone from counted_figures f join stores s on s.id = f.store_id
    where coalesce(f.counted_at, f.asked_at) >= ${since}`.execute(db)
  return rows.map(({ time_zone }) => time_zone)
}

/** Lists those stores' ranges without sums, or with sums that end on another day than today. */
export async function rangesToAdd(
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

/**
 * Serializes recounts of days and sums of ranges, so that a range contains a day's changes completely or is summed
 * after them.
 */
export async function lockRanges({ db, storeId }: StoreTx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`product ranges ${storeId}`}, 0))`.execute(db)
}

export async function addUpRange(tx: StoreTx, range: RangeDays): Promise<void> {
  const { db, storeId } = tx
  await sql`insert into product_ranges (store_id, days, until) values (${storeId}, ${lengthOf(range)}, ${range.last}::date)
    on conflict (store_id, days) do update set until = excluded.until`.execute(db)
  await sql`delete from product_range_figures where store_id = ${storeId} and days = ${lengthOf(range)}`.execute(db)
  await sql`
    insert into product_range_figures (store_id, days, currency, product_id, abandoned, recovered, lost_minor)
    select ${storeId}, ${lengthOf(range)}, currency, product_id, sum(abandoned), sum(recovered), sum(lost_minor)
    from (${daysOf(storeId, range)}) p group by currency, product_id`.execute(db)
}

/** Deletes all ranges, after a change of the time zone or a recount without ranges. */
export async function forgetRanges({ db, storeId }: StoreTx): Promise<void> {
  await sql`delete from product_ranges where store_id = ${storeId}`.execute(db)
}

/** Splits a range into whole months and the days around them. */
function daysOf(storeId: string, { first, last }: RangeDays) {
  const months = wholeMonths(first, last)
  const part = (table: 'product_figures' | 'product_month_figures', from: Day, until: Day) => {
    const key = sql.ref(table === 'product_figures' ? 'day' : 'month')
    return sql`select product_id, currency, abandoned, recovered, lost_minor from ${sql.table(table)}
      where store_id = ${storeId} and ${key} >= ${from}::date and ${key} < ${until}::date`
  }
  const end = Temporal.PlainDate.from(last).add({ days: 1 }).toString()
  return months
    ? sql`${part('product_month_figures', months.first, months.until)} union all ${part('product_figures', first, months.first)}
        union all ${part('product_figures', months.until, end)}`
    : part('product_figures', first, end)
}

function wholeMonths(first: Day, last: Day): { first: Day; until: Day } | null {
  const from = Temporal.PlainDate.from(first)
  const begins = from.day === 1 ? from : from.with({ day: 1 }).add({ months: 1 })
  const ends = Temporal.PlainDate.from(last).add({ days: 1 }).with({ day: 1 })
  return Temporal.PlainDate.compare(begins, ends) < 0 ? { first: begins.toString(), until: ends.toString() } : null
}

const NAMES = sql`coalesce(c.name, n.name) as name, coalesce(c.sku, n.sku) as sku, coalesce(c.image_url, n.image_url) as image_url`

const named = (storeId: string, from: 'page' | 'sums') => sql`from ${sql.table(from)} s
  join figure_products n on n.store_id = ${storeId} and n.product_id = s.product_id
  left join products c on c.store_id = ${storeId} and c.product_id = s.product_id and c.variation_id = ''`

/** Products of a range; one without any cart left is excluded. */
const within = (storeId: string, range: RangeDays, currency: string) =>
  sql`store_id = ${storeId} and days = ${lengthOf(range)} and currency = ${currency} and abandoned > 0`

const ORDER = sql`lost_minor desc, abandoned desc, product_id`

/** Reads one page of all products. */
export async function productsAfter(
  { db, storeId }: StoreDb,
  range: RangeDays,
  { currency, after, limit }: ProductPage & { currency: string },
): Promise<ProductSums[]> {
  const isAfter = after
    ? sql`lost_minor <= ${after.lost_minor} and (lost_minor < ${after.lost_minor} or abandoned < ${after.abandoned}
        or (abandoned = ${after.abandoned} and product_id > ${after.product_id}))`
    : sql`true`
  const { rows } = await sql<ProductSums>`
    with page as (
      select product_id, abandoned, recovered, lost_minor from product_range_figures
      where ${within(storeId, range, currency)} and ${isAfter} order by ${ORDER} limit ${limit})
    select s.*, ${NAMES} ${named(storeId, 'page')} order by ${ORDER}`.execute(db)
  return rows
}

export async function listProducts(
  { db, storeId }: StoreDb,
  range: RangeDays,
  filter: ProductFilter & { limit: number; offset: number },
): Promise<{ products: ProductSums[]; total: number }> {
  const own = within(storeId, range, filter.currency)
  const columns = sql`product_id, abandoned, recovered, lost_minor`
  if (filter.search === '') {
    const { rows: products } = await sql<ProductSums>`
      with page as (select ${columns} from product_range_figures where ${own} order by ${ORDER} limit ${filter.limit} offset ${filter.offset})
      select s.*, ${NAMES} ${named(storeId, 'page')} order by ${ORDER}`.execute(db)
    const { rows } = await sql<{ total: number }>`
      select count(*)::int as total from product_range_figures where ${own}`.execute(db)
    return { products, total: rows[0]!.total }
  }
  const search = sql`(strpos(lower(coalesce(c.name, n.name)), lower(${filter.search})) > 0
    or strpos(lower(coalesce(c.sku, n.sku, '')), lower(${filter.search})) > 0)`
  const known = sql`
    with sums as (select ${columns} from product_range_figures where ${own}),
    known as (select s.*, ${NAMES} ${named(storeId, 'sums')} where ${search})`
  const { rows } = await sql<ProductSums & { total: number }>`${known}
    select *, (select count(*) from known)::int as total from known order by ${ORDER} limit ${filter.limit} offset ${filter.offset}`.execute(
    db,
  )
  if (rows.length > 0 || filter.offset === 0) return { products: rows, total: rows[0]?.total ?? 0 }
  const { rows: counts } = await sql<{ total: number }>`${known} select count(*)::int as total from known`.execute(db)
  return { products: [], total: counts[0]!.total }
}

/** The products with the most lost revenue in days that need not end today. */
export async function topProducts({ db, storeId }: StoreDb, range: RangeDays, currency: string, limit: number) {
  const { rows } = await sql<ProductSums>`
    with page as (
      select product_id, sum(abandoned)::bigint as abandoned, sum(recovered)::bigint as recovered, sum(lost_minor)::bigint as lost_minor
      from (${daysOf(storeId, range)}) p where currency = ${currency} group by product_id order by ${ORDER} limit ${limit})
    select s.*, ${NAMES} ${named(storeId, 'page')} order by ${ORDER}`.execute(db)
  return rows
}
