import type { ChartPeriod, DashboardStats } from '../../shared/dashboard.ts'
import type { Db, StoreDb } from '../core/db.ts'
import { found } from '../core/errors.ts'
import { readStore } from '../stores/store.ts'
import { readStreams } from '../sync/streams.ts'
import { syncAge, syncProblemOf } from '../sync/sync-status.ts'
import { activePeople } from './rollups.ts'
import * as sql from './rollups-sql.ts'
import { type Bucket, type ChartSums, chartBuckets, chartSums, daySpans, figuresOf } from './rules.ts'

// The dashboard: figures and chart of one store, from rollups alone (Way D). The store itself is never asked; what its syncs
// last met with is said instead (decision 28).

export async function readStats(store: StoreDb<Db>, now: Date): Promise<DashboardStats> {
  const { currency, zone, streams } = await readStanding(store, now)
  const [sums, people] = await Promise.all([sql.sumSpans(store, daySpans(now, zone)), activePeople(store, zone, now)])
  return { ...figuresOf({ currency, ...sums, people }), syncAgeSeconds: syncAge(streams, now) }
}

export interface Chart extends ChartSums {
  timeZone: string
  currency: string
  buckets: Bucket[]
}

export async function readChart(store: StoreDb<Db>, period: ChartPeriod, now: Date): Promise<Chart> {
  const { currency, zone } = await readStanding(store, now)
  const { buckets, until } = chartBuckets(period, now, zone)
  const sums = await sql.sumBuckets(store, [...buckets.map(({ from }) => from), until])
  return { timeZone: zone, currency, buckets, ...chartSums(sums, { currency, count: buckets.length }) }
}

async function readStanding(store: StoreDb<Db>, now: Date) {
  const [row, streams] = await Promise.all([readStore(store), readStreams(store)])
  const syncProblem = syncProblemOf(streams, now)
  if (syncProblem) throw syncProblem
  const { currency, time_zone: zone } = found(row, 'Store')
  return { currency, zone, streams }
}
