import { analyticsRanges, rangeDays } from '../../../shared/analytics.ts'
import { type Db, type StoreDb, transact } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { dayOf } from './days.ts'
import { addUpRange, hasMoreRows, hasRange, lockRanges, rangesToAdd, zonesLookedAt } from './product-ranges-sql.ts'
import { daysOfRange, type RangeDays } from './ranges.ts'

/** Stores that nobody has looked at for so long are left to whoever looks next. */
const LOOKED_AT_MS = 31 * 86_400_000
const RANGES_AT_ONCE = 50
/** Rows of days and months: they are added up in some 10 ms. */
const FEW_ROWS = 5_000

/** Before the products of a range that ends today are read: the first one on a day adds them up. */
export async function haveRange(store: StoreDb<Db>, range: RangeDays): Promise<void> {
  if (await hasRange(store, range)) return
  await transact(store, async (tx) => {
    await lockRanges(tx)
    if (!(await hasRange(tx, range))) await addUpRange(tx, range)
  })
}

/**
 * Before the products of a range are shown. false: they are many, and what is there is of another last day, or nothing yet; `renewRanges` adds
 * them up soon, as somebody has looked at the store.
 */
export async function haveRangeSoon(store: StoreDb<Db>, range: RangeDays): Promise<boolean> {
  if (await hasRange(store, range)) return true
  if (await hasMoreRows(store, range, FEW_ROWS)) return false
  await haveRange(store, range)
  return true
}

/**
 * Adds up the ranges that end on a day that has just begun, and those nobody has looked at yet, so that nobody waits for them: of all stores
 * whose figures somebody has looked at in the last month.
 */
export async function renewRanges(deps: Deps): Promise<void> {
  const now = deps.now()
  const since = new Date(now.getTime() - LOOKED_AT_MS)
  const zones = (await zonesLookedAt(deps.db, since)).map((zone) => ({ time_zone: zone, today: dayOf(now, zone) }))
  const lengths = Object.values(rangeDays)
  const wanted = await rangesToAdd(deps.db, { since, lengths, zones, limit: RANGES_AT_ONCE })
  for (const { store_id: storeId, time_zone: zone, days } of wanted) {
    const range = analyticsRanges.find((each) => rangeDays[each] === days)!
    await haveRange({ storeId, db: deps.db }, daysOfRange(range, now, zone)).catch((error) => {
      // The others are added up.
      deps.log.error({ err: error, storeId, days }, 'analytics.ranges_failed')
    })
  }
}
