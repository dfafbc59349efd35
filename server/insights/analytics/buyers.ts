import { type AnalyticsRange, analyticsRanges, rangeDays } from '../../../shared/insights/analytics.ts'
import { readStore } from '../../access/stores/public.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { getDayBounds } from './days.ts'
import * as sql from './people-sql.ts'
import { daysOfRange } from './ranges.ts'

// Counts distinct buyers of a range (decision 95). A request gets the last count. A count older than 15 minutes, or of
// another last day, is repeated: at once in a store with few orders, else in the background.

const OLD_MS = 15 * 60_000
/** Up to this many orders, counting takes a few milliseconds. */
const MAX_ORDERS_AT_ONCE = 5_000
const RANGES_AT_ONCE = 50

export interface Buyers {
  /** null: never counted yet. */
  counts: sql.BuyerCounts | null
  /** A newer count is requested. */
  isBeingCounted: boolean
}

interface BuyerQuery {
  range: AnalyticsRange
  zone: string
  now: Date
}

export async function readBuyers(store: StoreDb<Db>, query: BuyerQuery): Promise<Buyers> {
  const days = rangeDays[query.range]
  const counts = await sql.readBuyers(store, days)
  if (isFresh(counts, query)) return { counts, isBeingCounted: false }
  if (await sql.hasMoreOrders(store, MAX_ORDERS_AT_ONCE)) {
    await sql.askForBuyers(store, days, query.now)
    return { counts, isBeingCounted: true }
  }
  await transact(store, async (tx) => {
    await sql.lockBuyers(tx, days)
    if (!isFresh(await sql.readBuyers(tx, days), query)) await countBuyers(tx, query)
  })
  return { counts: await sql.readBuyers(store, days), isBeingCounted: false }
}

/** A count from the future was made before the clock was set back. */
function isFresh(counts: sql.BuyerCounts | null, { range, zone, now }: BuyerQuery): boolean {
  if (counts === null || counts.until !== daysOfRange(range, now, zone).last) return false
  const ageMs = now.getTime() - counts.counted_at.getTime()
  return ageMs >= 0 && ageMs < OLD_MS
}

function countBuyers(tx: StoreTx, { range, zone, now }: BuyerQuery): Promise<void> {
  const { first, last } = daysOfRange(range, now, zone)
  const [from, to] = [getDayBounds(first, zone).since, getDayBounds(last, zone).until]
  return sql.countBuyers(tx, { days: rangeDays[range], until: last, from, to, now })
}

/** Tick: counts the requested ranges of all stores, one at a time. */
export async function countRequestedBuyers(deps: Pick<Deps, 'db' | 'log' | 'now'>): Promise<void> {
  for (const { store_id: storeId, days } of await sql.listBuyerRequests(deps.db, RANGES_AT_ONCE)) {
    await countRequested({ storeId, db: deps.db }, days, deps.now()).catch((error) => {
      // The other stores are still counted.
      deps.log.error({ err: error, storeId, days }, 'analytics.buyers_failed')
    })
  }
}

async function countRequested(store: StoreDb<Db>, days: number, now: Date): Promise<void> {
  const range = analyticsRanges.find((each) => rangeDays[each] === days)!
  await transact(store, async (tx) => {
    const zone = (await readStore(tx))?.time_zone
    if (zone !== undefined && (await sql.lockRequest(tx, days))) await countBuyers(tx, { range, zone, now })
  })
}
