import type { ChartPeriod, DashboardStats } from '../../../shared/insights/dashboard.ts'
import { readPlugin } from '../../access/plugin/public.ts'
import type { StoreRow } from '../../access/stores/public.ts'
import { findSyncProblem, isServedByPlugin, readStreams, syncAge } from '../../carts/sync/public.ts'
import { type Db, type RawBuilder, type StoreDb, sql } from '../../core/db/public.ts'
import { type AccountQuery, listRequestedStores } from './analytics.ts'
import { countPeople } from './rollups.ts'
import { MEASURES } from './rollups-sql.ts'
import type { DaySpans, Sums } from './rules.ts'
import {
  type Bucket,
  buildDaySpans,
  buildStats,
  type ChartSums,
  chartBuckets,
  chartSums,
  findWholeDays,
  groupByCurrency,
} from './rules.ts'

// The dashboard: figures and chart of one store, or of all stores of the account with one currency (decision 154), from
// rollups only (Way D). It never calls the shops; it shows the state of their last syncs (decision 28).

export async function readStats(accountQuery: AccountQuery): Promise<DashboardStats> {
  const { now } = accountQuery
  const { stores, currency } = await readStores(accountQuery)
  const counted = await Promise.all(
    stores.map(async ({ store, zone }) => {
      const [sums, people] = await Promise.all([
        sumSpans(store, buildDaySpans(now, zone)),
        activePeople(store, zone, now),
      ])
      return { ...sums, people }
    }),
  )
  const added = (span: keyof Spans) => groupByCurrency(counted.flatMap((each) => each[span]))
  const people = {
    active: counted.reduce((sum, each) => sum + each.people.active, 0),
    active_before: counted.reduce((sum, each) => sum + each.people.active_before, 0),
  }
  const ages = stores.map(({ streams }) => syncAge(streams, now))
  return {
    ...buildStats({ currency, now: added('now'), before: added('before'), totals: added('totals'), people }),
    // The age of the oldest sync.
    syncAgeSeconds: ages.includes(null) ? null : Math.max(...ages.map(Number)),
    ...(accountQuery.query.stores === 'all' && {
      stores: stores.map(({ row, problem }) => ({ name: row.name, isFailing: problem !== null })),
    }),
  }
}

export interface Chart extends ChartSums {
  timeZone: string
  currency: string
  buckets: Bucket[]
}

/** For several stores, buckets follow each store's clock; the labels are the first store's. */
export async function readChart(accountQuery: AccountQuery, period: ChartPeriod): Promise<Chart> {
  const { stores, currency } = await readStores(accountQuery)
  const drawn = await Promise.all(
    stores.map(async ({ store, zone }) => {
      const { buckets, until } = chartBuckets(period, accountQuery.now, zone)
      return { buckets, sums: await sumBuckets(store, [...buckets.map(({ from }) => from), until]) }
    }),
  )
  const { buckets } = drawn[0]!
  const sums = drawn.flatMap((each) => each.sums)
  return { timeZone: stores[0]!.zone, currency, buckets, ...chartSums(sums, { currency, count: buckets.length }) }
}

interface StoreStanding {
  row: StoreRow
  store: StoreDb<Db>
  zone: string
  streams: Awaited<ReturnType<typeof readStreams>>
  problem: Error | null
  /** Its figures are not shown. */
  isDown: boolean
}

/** Loads the stores' sync state. Throws if one selected store, or each of several, is down. */
async function readStores(accountQuery: AccountQuery): Promise<{ stores: StoreStanding[]; currency: string }> {
  const { rows, currency } = await listRequestedStores(accountQuery)
  const stores = await Promise.all(
    rows.map(async (row): Promise<StoreStanding> => {
      const store = { storeId: row.id, db: accountQuery.store.db }
      const streams = await readStreams(store)
      const problem = findSyncProblem(streams, accountQuery.now)
      const isDown = problem !== null && !isServedByPlugin(await readPlugin(store), streams, accountQuery.now)
      return { row, store, zone: row.time_zone, streams, problem, isDown }
    }),
  )
  if (stores.every(({ isDown }) => isDown)) throw stores[0]!.problem
  return { stores, currency }
}

/** Folded and unfolded counts of [from, until). */
function slots(storeId: string, from: Date, until: Date): RawBuilder<unknown> {
  const part = (table: string) => sql`select slot, currency, ${MEASURES} from ${sql.table(table)}
    where store_id = ${storeId} and slot >= ${from} and slot < ${until}`
  return sql`(${part('rollups')} union all ${part('rollup_changes')}) slots`
}

/** Sums per currency of [since, until), of [before, since) and of all time (revenue only). */
interface Spans {
  now: Sums[]
  before: Sums[]
  totals: Sums[]
}

/** Sums whole days, plus slots at both ends of a span. Unfolded changes are read once for all spans. */
export async function sumSpans({ db, storeId }: StoreDb, { before, since, until }: DaySpans): Promise<Spans> {
  const part = (span: keyof Spans, table: 'rollups' | 'rollup_days', from: Date, to: Date) => {
    const key = sql.ref(table === 'rollups' ? 'slot' : 'day')
    return sql`select ${sql.lit(span)} as span, currency, ${MEASURES} from ${sql.table(table)}
      where store_id = ${storeId} and ${key} >= ${from} and ${key} < ${to}`
  }
  const folded = (span: 'now' | 'before', from: Date, to: Date) => {
    const [firstDay, lastDay] = findWholeDays(from, to)
    return sql`${part(span, 'rollup_days', firstDay, lastDay)} union all ${part(span, 'rollups', from, firstDay)}
      union all ${part(span, 'rollups', lastDay, to)}`
  }
  const rows = await sql<Sums & { span: keyof Spans }>`
    select span, currency, sum(abandoned)::bigint as abandoned, sum(recovered)::bigint as recovered,
      sum(abandoned_recovered)::bigint as abandoned_recovered, sum(attributed_minor)::bigint as attributed_minor,
      sum(attributed_orders)::bigint as attributed_orders
    from (
      ${folded('now', since, until)} union all ${folded('before', before, since)}
      union all
      select 'totals', currency, ${MEASURES} from rollups where store_id = ${storeId} and slot = '-infinity'
      union all
      select case when slot = '-infinity' then 'totals' when slot >= ${since} then 'now' else 'before' end, currency, ${MEASURES}
      from rollup_changes
      where store_id = ${storeId} and (slot = '-infinity' or slot >= ${before} and slot < ${until})) parts
    group by 1, 2`.execute(db)
  const of = (span: keyof Spans) => rows.rows.filter((row) => row.span === span)
  return { now: of('now'), before: of('before'), totals: of('totals') }
}

async function sumBuckets({ db, storeId }: StoreDb, bounds: readonly Date[]): Promise<BucketSums[]> {
  const rows = await sql<BucketSums>`
    select width_bucket(slot, ${bounds.map((bound) => bound.toISOString())}::timestamptz[]) - 1 as bucket, currency,
      sum(abandoned)::bigint as abandoned, sum(recovered)::bigint as recovered, sum(attributed_minor)::bigint as attributed_minor
    from ${slots(storeId, bounds[0]!, bounds.at(-1)!)} group by 1, 2`.execute(db)
  return rows.rows
}

/** Sums of one currency between two bounds, by the index of the lower bound. Empty buckets are omitted. */
interface BucketSums {
  bucket: number
  currency: string
  abandoned: number
  recovered: number
  attributed_minor: number
}

/** A count of 0 expires sooner, so that a new store is counted again on request. */
const IDLE_MS = 3_000

/** Returns the last count; without one, counts now. */
async function activePeople(store: StoreDb<Db>, zone: string, now: Date): Promise<PeopleRow> {
  const known = await readPeople(store)
  const isOld = !known || (known.active === 0 && now.getTime() - known.counted_at.getTime() > IDLE_MS)
  if (!isOld) return known
  await countPeople(store, zone, now)
  return (await readPeople(store)) ?? { counted_at: now, active: 0, active_before: 0 }
}

/** Active customers: with an order or a cart that has a contact (decision 28). */
interface PeopleRow {
  counted_at: Date
  active: number
  active_before: number
}

async function readPeople({ db, storeId }: StoreDb): Promise<PeopleRow | undefined> {
  return db
    .selectFrom('active_shopper_counts')
    .select(['counted_at', 'active', 'active_before'])
    .where('store_id', '=', storeId)
    .executeTakeFirst()
}
