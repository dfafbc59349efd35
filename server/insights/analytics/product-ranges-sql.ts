import { type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'
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

export const countRangeDays = ({ first, last }: RangeDays) => sql`(${last}::date - ${first}::date + 1)`

/**
 * Serializes recounts of days and sums of ranges, so that a range contains a day's changes completely or is summed
 * after them.
 */
export async function lockRanges({ db, storeId }: StoreTx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`product ranges ${storeId}`}, 0))`.execute(db)
}

/** Deletes all ranges, after a change of the time zone or a recount without ranges. */
export async function forgetRanges({ db, storeId }: StoreTx): Promise<void> {
  await sql`delete from product_ranges where store_id = ${storeId}`.execute(db)
}

/** Splits a range into whole months and the days around them. */
export function selectRangeDays(storeId: string, { first, last }: RangeDays) {
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

const selectNamed = (storeId: string, from: 'page' | 'sums') => sql`from ${sql.table(from)} s
  join figure_products n on n.store_id = ${storeId} and n.product_id = s.product_id
  left join products c on c.store_id = ${storeId} and c.product_id = s.product_id and c.variation_id = ''`

/** Products of a range; one without any cart left is excluded. */
const within = (storeId: string, range: RangeDays, currency: string) =>
  sql`store_id = ${storeId} and days = ${countRangeDays(range)} and currency = ${currency} and abandoned > 0`

const ORDER = sql`lost_minor desc, abandoned desc, product_id`

/** Reads one page of all products. */
export async function listProductsAfter(
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
    select s.*, ${NAMES} ${selectNamed(storeId, 'page')} order by ${ORDER}`.execute(db)
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
      select s.*, ${NAMES} ${selectNamed(storeId, 'page')} order by ${ORDER}`.execute(db)
    const { rows } = await sql<{ total: number }>`
      select count(*)::int as total from product_range_figures where ${own}`.execute(db)
    return { products, total: rows[0]!.total }
  }
  const search = sql`(strpos(lower(coalesce(c.name, n.name)), lower(${filter.search})) > 0
    or strpos(lower(coalesce(c.sku, n.sku, '')), lower(${filter.search})) > 0)`
  const known = sql`
    with sums as (select ${columns} from product_range_figures where ${own}),
    known as (select s.*, ${NAMES} ${selectNamed(storeId, 'sums')} where ${search})`
  const { rows } = await sql<ProductSums & { total: number }>`${known}
    select *, (select count(*) from known)::int as total from known order by ${ORDER} limit ${filter.limit} offset ${filter.offset}`.execute(
    db,
  )
  if (rows.length > 0 || filter.offset === 0) return { products: rows, total: rows[0]?.total ?? 0 }
  const { rows: counts } = await sql<{ total: number }>`${known} select count(*)::int as total from known`.execute(db)
  return { products: [], total: counts[0]!.total }
}

/** The products with the most lost revenue in days that need not end today. */
export async function listTopProducts({ db, storeId }: StoreDb, range: RangeDays, currency: string, limit: number) {
  const { rows } = await sql<ProductSums>`
    with page as (
      select product_id, sum(abandoned)::bigint as abandoned, sum(recovered)::bigint as recovered, sum(lost_minor)::bigint as lost_minor
      from (${selectRangeDays(storeId, range)}) p where currency = ${currency} group by product_id order by ${ORDER} limit ${limit})
    select s.*, ${NAMES} ${selectNamed(storeId, 'page')} order by ${ORDER}`.execute(db)
  return rows
}
