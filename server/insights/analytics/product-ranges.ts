import { analyticsRanges, rangeDays } from '../../../shared/analytics.ts'
import { type Db, type StoreDb, transact } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { dayOf } from './days.ts'
import { addUpRange, hasMoreRows, hasRange, lockRanges, rangesToAdd, zonesLookedAt } from './product-ranges-sql.ts'
import { daysOfRange, type RangeDays } from './ranges.ts'

/** Stores not viewed for this long are summed on the next request. */
const LOOKED_AT_MS = 31 * 86_400_000
const RANGES_AT_ONCE = 50
/** Up to this many rows of days and months, summing takes about 10 ms. */
const FEW_ROWS = 5_000

/** Call before reading products of a range that ends today; the first call of a day computes the sums. */
export async function ensureRange(store: StoreDb<Db>, range: RangeDays): Promise<void> {
  if (await hasRange(store, range)) return
  await transact(store, async (tx) => {
    await lockRanges(tx)
    if (!(await hasRange(tx, range))) await addUpRange(tx, range)
  })
}

/**
 * Call before showing products of a range. Returns false if there are many and their sums are missing or of another
 * last day; `renewRanges` computes them soon.
 */
export async function ensureRangeSoon(store: StoreDb<Db>, range: RangeDays): Promise<boolean> {
  if (await hasRange(store, range)) return true
  if (await hasMoreRows(store, range, FEW_ROWS)) return false
  await ensureRange(store, range)
  return true
}

/**
 * Tick: computes missing and outdated ranges of all stores whose figures were viewed in the last month, so that no
 * request has to wait.
 */
export async function renewRanges(deps: Deps): Promise<void> {
  const now = deps.now()
  const since = new Date(now.getTime() - LOOKED_AT_MS)
  const zones = (await zonesLookedAt(deps.db, since)).map((zone) => ({ time_zone: zone, today: dayOf(now, zone) }))
  const lengths = Object.values(rangeDays)
  const wanted = await rangesToAdd(deps.db, { since, lengths, zones, limit: RANGES_AT_ONCE })
  for (const { store_id: storeId, time_zone: zone, days } of wanted) {
    const range = analyticsRanges.find((each) => rangeDays[each] === days)!
    await ensureRange({ storeId, db: deps.db }, daysOfRange(range, now, zone)).catch((error) => {
      // The other stores are still summed.
      deps.log.error({ err: error, storeId, days }, 'analytics.ranges_failed')
    })
  }
}
