import type { ChartPeriod, DashboardStats } from '../../../shared/dashboard.ts'
import type { StoreRow } from '../../access/stores/store.ts'
import { readStreams } from '../../carts/sync/streams.ts'
import { findSyncProblem, syncAge } from '../../carts/sync/sync-status.ts'
import type { Db, StoreDb } from '../../core/db/db.ts'
import { type AskedOfStores, storesAsked } from './analytics.ts'
import { activePeople } from './rollups.ts'
import * as sql from './rollups-sql.ts'
import { type Bucket, type ChartSums, chartBuckets, chartSums, daySpans, figuresOf, sumsByCurrency } from './rules.ts'

// The dashboard: figures and chart of one store, or of all stores of the account with one currency (decision 154), from
// rollups only (Way D). It never calls the shops; it shows the state of their last syncs (decision 28).

export async function readStats(asked: AskedOfStores): Promise<DashboardStats> {
  const { now } = asked
  const { stores, currency } = await readStanding(asked)
  const counted = await Promise.all(
    stores.map(async ({ store, zone }) => {
      const [sums, people] = await Promise.all([
        sql.sumSpans(store, daySpans(now, zone)),
        activePeople(store, zone, now),
      ])
      return { ...sums, people }
    }),
  )
  const added = (span: keyof sql.Spans) => sumsByCurrency(counted.flatMap((each) => each[span]))
  const people = {
    active: counted.reduce((sum, each) => sum + each.people.active, 0),
    active_before: counted.reduce((sum, each) => sum + each.people.active_before, 0),
  }
  const ages = stores.map(({ streams }) => syncAge(streams, now))
  return {
    ...figuresOf({ currency, now: added('now'), before: added('before'), totals: added('totals'), people }),
    // The age of the oldest sync.
    syncAgeSeconds: ages.includes(null) ? null : Math.max(...ages.map(Number)),
    ...(asked.query.stores === 'all' && {
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
export async function readChart(asked: AskedOfStores, period: ChartPeriod): Promise<Chart> {
  const { stores, currency } = await readStanding(asked)
  const drawn = await Promise.all(
    stores.map(async ({ store, zone }) => {
      const { buckets, until } = chartBuckets(period, asked.now, zone)
      return { buckets, sums: await sql.sumBuckets(store, [...buckets.map(({ from }) => from), until]) }
    }),
  )
  const { buckets } = drawn[0]!
  const sums = drawn.flatMap((each) => each.sums)
  return { timeZone: stores[0]!.zone, currency, buckets, ...chartSums(sums, { currency, count: buckets.length }) }
}

interface Standing {
  row: StoreRow
  store: StoreDb<Db>
  zone: string
  streams: Awaited<ReturnType<typeof readStreams>>
  problem: Error | null
}

/** Loads the stores' sync state. Throws if one selected store, or each of several, has a sync problem. */
async function readStanding(asked: AskedOfStores): Promise<{ stores: Standing[]; currency: string }> {
  const { rows, currency } = await storesAsked(asked)
  const stores = await Promise.all(
    rows.map(async (row): Promise<Standing> => {
      const store = { storeId: row.id, db: asked.store.db }
      const streams = await readStreams(store)
      return { row, store, zone: row.time_zone, streams, problem: findSyncProblem(streams, asked.now) }
    }),
  )
  if (stores.every(({ problem }) => problem !== null)) throw stores[0]!.problem
  return { stores, currency }
}
