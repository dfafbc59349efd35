import { type RawBuilder, sql } from '../server/core/db/db.ts'
import { type Day, toDay } from '../server/insights/analytics/days.ts'
import { buildTrendBuckets, daysOfRange, type RangeDays } from '../server/insights/analytics/ranges.ts'
import type { AnalyticsRange } from '../shared/insights/analytics.ts'

// The calls of the analytics screen, and the figure rows that each needs. The ceiling reads the same rows.

/** As in `createStore`. */
const ZONE = 'America/New_York'

interface AnalyticsCall {
  name: string
  path: (range: AnalyticsRange) => string
  /** The ceiling sums each part's rows. */
  parts: (days: RangeDays, buckets: { first: Day; last: Day }) => RowSource[]
}

interface RowSource {
  table: string
  column: string
  /** Condition in addition to the store. */
  where: RawBuilder<unknown>
}

const FIRST_DAY = '2000-01-01'
const buildDayRange = (first: Day, last: Day, key = 'day') =>
  sql`${sql.ref(key)} >= ${first}::date and ${sql.ref(key)} <= ${last}::date`

const buildAllCarts = (first: Day, last: Day): RowSource => ({
  table: 'cart_figures',
  column: 'began',
  where: sql`dimension = 'all' and ${buildDayRange(first, last)}`,
})
const buildCartShares = ({ first, last }: RangeDays): RowSource => ({
  table: 'cart_figures',
  column: 'began',
  where: sql`dimension in ('country', 'device', 'shopper') and ${buildDayRange(first, last)}`,
})
const buildOrders = (first: Day, last: Day): RowSource => ({
  table: 'order_figures',
  column: 'orders',
  where: buildDayRange(first, last),
})
const buildFunnels = ({ first, last }: RangeDays): RowSource => ({
  table: 'funnel_figures',
  column: 'sent',
  where: sql`channel in ('all', 'email', 'sms', 'whatsapp', 'push') and ${buildDayRange(first, last)}`,
})
const buildMessages = (first: Day, last: Day): RowSource => ({
  table: 'message_figures',
  column: 'accepted',
  where: buildDayRange(first, last),
})

/** Products of a range that a user has viewed before. */
const buildProducts = ({ first, last }: RangeDays): RowSource => ({
  table: 'product_range_figures',
  column: 'lost_minor',
  where: sql`days = ${last}::date - ${first}::date + 1`,
})

const names: RowSource = { table: 'figure_products', column: 'length(name)', where: sql`true` }

export const analyticsCalls: AnalyticsCall[] = [
  {
    name: 'figures',
    path: (range) => `/analytics?range=${range}`,
    parts: (days) => [
      buildAllCarts(days.before, days.last),
      buildOrders(FIRST_DAY, days.last),
      buildFunnels(days),
      buildMessages(days.first, days.last),
      buildProducts(days),
    ],
  },
  {
    name: 'details',
    path: (range) => `/analytics/details?range=${range}`,
    parts: (days) => [buildOrders(FIRST_DAY, days.last), buildMessages(days.first, days.last), buildCartShares(days)],
  },
  {
    name: 'trend of rates',
    path: (range) => `/analytics/recovery-rate-trend?period=${range}`,
    parts: (_, { first, last }) => [buildAllCarts(first, last)],
  },
  {
    name: 'trend of revenue',
    path: (range) => `/analytics/revenue-trend?period=${range}`,
    parts: (_, { first, last }) => [buildAllCarts(first, last), buildOrders(first, last)],
  },
  {
    name: 'ROI',
    path: (range) => `/analytics/roi?range=${range}`,
    parts: ({ first, last }) => [buildMessages(first, last), buildMessages(yearBefore(last), last)],
  },
  {
    name: 'products, first page',
    path: (range) => `/analytics/products?range=${range}`,
    parts: (days) => [buildProducts(days), names],
  },
  {
    name: 'products, page 40',
    path: (range) => `/analytics/products?range=${range}&page=40`,
    parts: (days) => [buildProducts(days), names],
  },
  {
    name: 'products, search',
    path: (range) => `/analytics/products?range=${range}&search=no.%2012`,
    parts: (days) => [buildProducts(days), names],
  },
]

const yearBefore = (last: Day): Day =>
  Temporal.PlainDate.from(last).with({ day: 1 }).subtract({ months: 11 }).toString()

/** Runs the ceiling as one bare statement. */
export function runCeiling({ parts }: AnalyticsCall, { storeId }: { storeId: string }, range: AnalyticsRange) {
  const now = new Date()
  const buckets = buildTrendBuckets(range, now, ZONE)
  const span = { first: buckets[0]!.first, last: toDay(now, ZONE) }
  const sums = parts(daysOfRange(range, now, ZONE), span).map(
    ({ table, column, where }) =>
      sql`(select sum(${sql.raw(column)}) from ${sql.table(table)} where store_id = ${storeId} and ${where})`,
  )
  return sql`select ${sql.join(sums)}`
}
