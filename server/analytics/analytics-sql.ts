import type { FunnelChannel, OrderSource } from '../../shared/analytics.ts'
import { type StoreDb, sql } from '../core/db.ts'
import type { Day } from './days.ts'
import type { RangeDays } from './ranges.ts'

// Advanced Analytics reads sums of days, never carts, messages or orders (Way D).

export interface CartSums {
  currency: string
  began: number
  began_over: number
  began_abandoned: number
  began_bought: number
  abandoned: number
  abandoned_minor: number
  unbought: number
  unbought_minor: number
  recovered: number
}

const CARTS = sql`sum(began)::bigint as began, sum(began_over)::bigint as began_over, sum(began_abandoned)::bigint as began_abandoned,
  sum(began_bought)::bigint as began_bought, sum(abandoned)::bigint as abandoned, sum(abandoned_minor)::bigint as abandoned_minor,
  sum(unbought)::bigint as unbought, sum(unbought_minor)::bigint as unbought_minor, sum(recovered)::bigint as recovered`

/** Per currency, of the range and of as many days before. */
export async function sumCarts({ db, storeId }: StoreDb, { before, first, last }: RangeDays) {
  const { rows } = await sql<CartSums & { isNow: boolean }>`
    select day >= ${first}::date as "isNow", currency, ${CARTS} from cart_figures
    where store_id = ${storeId} and dimension = 'all' and day >= ${before}::date and day <= ${last}::date
    group by 1, 2`.execute(db)
  return rows
}

/** Per day and currency. */
export async function cartsByDay({ db, storeId }: StoreDb, first: Day, last: Day) {
  const { rows } = await sql<CartSums & { day: Day }>`
    select day, currency, began, began_over, began_abandoned, began_bought, abandoned, abandoned_minor, unbought, unbought_minor, recovered
    from cart_figures where store_id = ${storeId} and dimension = 'all' and day >= ${first}::date and day <= ${last}::date`.execute(
    db,
  )
  return rows
}

export type CartDimension = 'country' | 'device' | 'shopper'

/** Per key of three dimensions, and currency. */
export async function cartShares({ db, storeId }: StoreDb, { first, last }: RangeDays) {
  const { rows } = await sql<CartSums & { dimension: CartDimension; key: string }>`
    select dimension, key, currency, ${CARTS} from cart_figures
    where store_id = ${storeId} and dimension in ('country', 'device', 'shopper') and day >= ${first}::date and day <= ${last}::date
    group by dimension, key, currency`.execute(db)
  return rows
}

export interface FunnelSums {
  channel: FunnelChannel
  sent: number
  opened: number
  clicked: number
  converted: number
}

export async function sumFunnels({ db, storeId }: StoreDb, { first, last }: RangeDays): Promise<FunnelSums[]> {
  const { rows } = await sql<FunnelSums>`
    select channel, sum(sent)::bigint as sent, sum(opened)::bigint as opened, sum(clicked)::bigint as clicked,
      sum(converted)::bigint as converted
    from funnel_figures where store_id = ${storeId} and channel in ('all', 'email', 'sms', 'whatsapp', 'push')
      and day >= ${first}::date and day <= ${last}::date group by channel`.execute(db)
  return rows
}

export interface OrderSums {
  currency: string
  source: OrderSource
  /** Of the range. */
  orders: number
  net_minor: number
  /** Of customers, of all time: up to the end of the range, and up to its beginning. */
  net_until: number
  net_before: number
  firsts_until: number
  firsts_before: number
}

export async function sumOrders({ db, storeId }: StoreDb, { first, last }: RangeDays): Promise<OrderSums[]> {
  const { rows } = await sql<OrderSums>`
    select currency, source, coalesce(sum(orders) filter (where day >= ${first}::date), 0)::bigint as orders,
      coalesce(sum(net_minor) filter (where day >= ${first}::date), 0)::bigint as net_minor,
      sum(customers_minor)::bigint as net_until, coalesce(sum(customers_minor) filter (where day < ${first}::date), 0)::bigint as net_before,
      sum(firsts)::bigint as firsts_until, coalesce(sum(firsts) filter (where day < ${first}::date), 0)::bigint as firsts_before
    from order_figures where store_id = ${storeId} and day <= ${last}::date group by currency, source`.execute(db)
  return rows
}

/** Attributed orders and their net revenue per day and currency. */
export async function attributedByDay({ db, storeId }: StoreDb, first: Day, last: Day) {
  const { rows } = await sql<{ day: Day; currency: string; orders: number; net_minor: number }>`
    select day, currency, orders, net_minor from order_figures
    where store_id = ${storeId} and source = 'attributed' and day >= ${first}::date and day <= ${last}::date`.execute(
    db,
  )
  return rows
}

/** Where a product stands: the most lost first. */
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

/** Of the next ones in the order of the list. */
interface ProductPage {
  after: ProductPlace | null
  limit: number
}

/** Months that are whole, and the days around them. */
const sumsOf = (storeId: string, { first, last }: RangeDays, currency: string) => {
  const months = wholeMonths(first, last)
  const part = (table: 'product_figures' | 'product_month_figures', from: Day, until: Day) => {
    const key = sql.ref(table === 'product_figures' ? 'day' : 'month')
    return sql`select product_id, abandoned, recovered, lost_minor from ${sql.table(table)}
      where store_id = ${storeId} and ${key} >= ${from}::date and ${key} < ${until}::date and currency = ${currency}`
  }
  const end = Temporal.PlainDate.from(last).add({ days: 1 }).toString()
  const parts = months
    ? sql`${part('product_month_figures', months.first, months.until)} union all ${part('product_figures', first, months.first)}
        union all ${part('product_figures', months.until, end)}`
    : part('product_figures', first, end)
  return sql`
    sums as (
      select product_id, sum(abandoned)::bigint as abandoned, sum(recovered)::bigint as recovered, sum(lost_minor)::bigint as lost_minor
      from (${parts}) p group by product_id)`
}

const productsOf = (storeId: string, range: RangeDays, { currency, search }: ProductFilter) =>
  sql`${sumsOf(storeId, range, currency)},
    known as (
      select s.*, ${NAMES} ${named(storeId, 'sums')}
      where ${search === '' ? sql`true` : sql`(strpos(lower(coalesce(c.name, n.name)), lower(${search})) > 0 or strpos(lower(coalesce(c.sku, n.sku, '')), lower(${search})) > 0)`})`

const NAMES = sql`coalesce(c.name, n.name) as name, coalesce(c.sku, n.sku) as sku, coalesce(c.image_url, n.image_url) as image_url`

const named = (storeId: string, from: 'sums' | 'page') => sql`from ${sql.table(from)} s
  join figure_products n on n.store_id = ${storeId} and n.product_id = s.product_id
  left join products c on c.store_id = ${storeId} and c.product_id = s.product_id and c.variation_id = ''`

/** null: the range has none. */
export function wholeMonths(first: Day, last: Day): { first: Day; until: Day } | null {
  const from = Temporal.PlainDate.from(first)
  const begins = from.day === 1 ? from : from.with({ day: 1 }).add({ months: 1 })
  const ends = Temporal.PlainDate.from(last).add({ days: 1 }).with({ day: 1 })
  return Temporal.PlainDate.compare(begins, ends) < 0 ? { first: begins.toString(), until: ends.toString() } : null
}

/** The ten with the most lost, without reading the names of others. */
export async function topProducts({ db, storeId }: StoreDb, range: RangeDays, currency: string, limit: number) {
  const { rows } = await sql<ProductSums>`
    with ${productsOf(storeId, range, { currency, search: '' })}
    select * from known order by lost_minor desc, abandoned desc, product_id limit ${limit}`.execute(db)
  return rows
}

/** All of them, page after page; each page is added up anew, so that nothing is held in between. */
export async function productsAfter(
  { db, storeId }: StoreDb,
  range: RangeDays,
  { currency, after, limit }: ProductPage & { currency: string },
): Promise<ProductSums[]> {
  const isAfter = after
    ? sql`lost_minor < ${after.lost_minor} or (lost_minor = ${after.lost_minor} and (abandoned < ${after.abandoned}
        or (abandoned = ${after.abandoned} and product_id > ${after.product_id})))`
    : sql`true`
  const { rows } = await sql<ProductSums>`
    with ${sumsOf(storeId, range, currency)},
    page as (select * from sums where ${isAfter} order by lost_minor desc, abandoned desc, product_id limit ${limit})
    select s.*, ${NAMES} ${named(storeId, 'page')} order by s.lost_minor desc, s.abandoned desc, s.product_id`.execute(
    db,
  )
  return rows
}

export async function listProducts(
  { db, storeId }: StoreDb,
  range: RangeDays,
  filter: ProductFilter & { limit: number; offset: number },
): Promise<{ products: ProductSums[]; total: number }> {
  const { rows } = await sql<ProductSums & { total: number }>`
    with ${productsOf(storeId, range, filter)}
    select *, (select count(*) from known)::int as total from known
    order by lost_minor desc, abandoned desc, product_id limit ${filter.limit} offset ${filter.offset}`.execute(db)
  if (rows.length > 0 || filter.offset === 0) return { products: rows, total: rows[0]?.total ?? 0 }
  const { rows: counts } = await sql<{ total: number }>`
    with ${productsOf(storeId, range, filter)} select count(*)::int as total from known`.execute(db)
  return { products: [], total: counts[0]!.total }
}

/** null: everything that happened is counted. */
export async function countedUntil({ db, storeId }: StoreDb): Promise<Date | 'being counted' | null> {
  const { rows } = await sql<{ counted_at: Date | null; isPending: boolean }>`
    select (select counted_at from figure_counts where store_id = ${storeId}) as counted_at,
      (exists (select 1 from figure_changes where store_id = ${storeId})
        or exists (select 1 from figure_days where store_id = ${storeId})) as "isPending"`.execute(db)
  const { counted_at, isPending } = rows[0]!
  return isPending ? (counted_at ?? 'being counted') : null
}
