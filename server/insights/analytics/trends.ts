import type { Trend } from '../../../shared/insights/analytics.ts'
import { type StoreDb, sql } from '../../core/db/public.ts'
import { buildFrame, demandAdvanced, type RangeQuery, resolveScopes, type Scope } from './analytics.ts'
import { computeShare, sum, toDecimal } from './analytics-rules.ts'
import type { CartSums } from './analytics-sql.ts'
import { sumAttributedByDay } from './analytics-sql.ts'
import type { Day } from './days.ts'
import { buildTrendBuckets, buildWeekBuckets, isNoise, type TrendBucket } from './ranges.ts'

// The two trends (B 7, decision 98). A bucket without a denominator is a gap, not a zero.

type Dated<T> = T & { bucket: number }

export async function readRateTrend(rangeQuery: RangeQuery): Promise<Trend> {
  const { frame, buckets, rows } = await read(rangeQuery, (store, first, last) => cartsByDay(store, first, last))
  const ofBucket = buckets.map((_, place) => rows.filter((row) => row.bucket === place))
  const rates = (part: 'recovered' | 'began_abandoned', whole: 'abandoned' | 'began_over') =>
    ofBucket.map((own) =>
      computeShare(
        sum(own, (row) => row[part]),
        sum(own, (row) => row[whole]),
      ),
    )
  const datasets = [
    { label: 'Recovery rate', data: rates('recovered', 'abandoned'), borderColor: '#12857a' },
    { label: 'Abandonment rate', data: rates('began_abandoned', 'began_over'), borderColor: '#3a7bd5' },
  ]
  return { ...buildLabels(buckets), datasets, unit: 'rate', ...frame }
}

export async function readRevenueTrend(rangeQuery: RangeQuery): Promise<Trend> {
  const { frame, buckets, rows } = await read(rangeQuery, async (store, first, last) => {
    const [won, carts] = await Promise.all([sumAttributedByDay(store, first, last), cartsByDay(store, first, last)])
    return [
      ...won.map(({ day, currency, net_minor }) => ({ day, currency, won: net_minor, lost: 0, abandoned: 0 })),
      ...carts.map(({ day, currency, unbought_minor, abandoned }) => ({
        ...{ day, currency, abandoned },
        won: 0,
        lost: unbought_minor,
      })),
    ]
  })
  const amounts = (of: 'won' | 'lost') =>
    buckets.map((_, place) =>
      toDecimal(
        sum(rows, (row) => (row.bucket === place && row.currency === frame.currency ? row[of] : 0)),
        frame.currency,
      ),
    )
  const datasets = [
    { label: 'Recovered revenue', data: amounts('won'), borderColor: '#12857a' },
    { label: 'Revenue opportunity', data: amounts('lost'), borderColor: '#3a7bd5' },
  ]
  return { ...buildLabels(buckets), datasets, unit: 'money', ...frame }
}

const buildLabels = (buckets: readonly TrendBucket[]) => ({
  labels: buckets.map(({ label }) => label),
  starts: buckets.map(({ first }) => first),
})

/** Reads each store's days by its own calendar and merges buckets with the same index. */
async function read<T extends { day: Day; abandoned: number }>(
  rangeQuery: RangeQuery,
  days: (store: Scope['store'], first: Day, last: Day) => Promise<T[]>,
) {
  await demandAdvanced(rangeQuery)
  const { range, now, buckets: wanted } = rangeQuery
  const asking = await resolveScopes(rangeQuery)
  const [found, frame] = await Promise.all([
    Promise.all(
      asking.scopes.map(async ({ store, row }) => {
        const buckets = buildTrendBuckets(range, now, row.time_zone)
        return { zone: row.time_zone, rows: await days(store, buckets[0]!.first, buckets.at(-1)!.last) }
      }),
    ),
    buildFrame(asking),
  ])
  const abandoned = sum(
    found.flatMap(({ rows }) => rows),
    (row) => row.abandoned,
  )
  const isByWeek = wanted === 'auto' && isNoise(abandoned, range)
  const buildBuckets = (zone: string) => (isByWeek ? buildWeekBuckets(now, zone) : buildTrendBuckets(range, now, zone))
  const rows = found.flatMap(({ zone, rows: own }): Dated<T>[] => {
    const buckets = buildBuckets(zone)
    return own.map((each) => ({ ...each, bucket: findBucket(buckets, each.day) }))
  })
  return { frame, rows, buckets: buildBuckets(frame.timeZone) }
}

const findBucket = (buckets: readonly TrendBucket[], day: Day) => buckets.findLastIndex(({ first }) => first <= day)

/** Sums carts per day and currency. */
async function cartsByDay({ db, storeId }: StoreDb, first: Day, last: Day) {
  const { rows } = await sql<CartSums & { day: Day }>`
    select day, currency, began, began_over, began_abandoned, began_bought, abandoned, abandoned_minor, unbought, unbought_minor, recovered
    from cart_figures where store_id = ${storeId} and dimension = 'all' and day >= ${first}::date and day <= ${last}::date`.execute(
    db,
  )
  return rows
}
