import type { ChartPeriod, DashboardStats } from '../../shared/dashboard.ts'
import type { Db, StoreDb } from '../db.ts'
import { found } from '../errors.ts'
import { readStore } from '../stores/sql.ts'
import { readStreams } from '../stores/sync-sql.ts'
import { syncAge, troubleOf } from '../stores/trouble.ts'
import { activePeople } from './rollups.ts'
import * as sql from './rollups-sql.ts'
import { chartBuckets, daySpans, figuresOf } from './rules.ts'

// The dashboard: figures and chart of one store, from rollups alone (Way D). The store itself is never asked; what its syncs
// last met with is said instead (decision 28).

export async function readStats(store: StoreDb<Db>, now: Date): Promise<DashboardStats> {
  const { currency, zone, streams } = await readStanding(store, now)
  const [sums, people] = await Promise.all([sql.sumSpans(store, daySpans(now, zone)), activePeople(store, zone, now)])
  return { ...figuresOf({ currency, ...sums, people }), syncAgeSeconds: syncAge(streams, now) }
}

export interface Chart {
  timeZone: string
  buckets: { from: Date; label: string; abandoned: number; recovered: number }[]
}

export async function readChart(store: StoreDb<Db>, period: ChartPeriod, now: Date): Promise<Chart> {
  const { zone } = await readStanding(store, now)
  const { buckets, until } = chartBuckets(period, now, zone)
  const sums = await sql.sumBuckets(store, [...buckets.map(({ from }) => from), until])
  const sumOf = new Map(sums.map((sum) => [sum.bucket, sum]))
  return {
    timeZone: zone,
    buckets: buckets.map((bucket, index) => ({
      ...bucket,
      abandoned: sumOf.get(index)?.abandoned ?? 0,
      recovered: sumOf.get(index)?.recovered ?? 0,
    })),
  }
}

async function readStanding(store: StoreDb<Db>, now: Date) {
  const [row, streams] = await Promise.all([readStore(store), readStreams(store)])
  const trouble = troubleOf(streams, now)
  if (trouble) throw trouble
  const { currency, time_zone: zone } = found(row, 'Store')
  return { currency, zone, streams }
}
