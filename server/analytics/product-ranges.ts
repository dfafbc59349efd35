import { type Db, type StoreDb, transact } from '../core/db.ts'
import { addUpRange, hasRange, lockRanges } from './product-ranges-sql.ts'
import type { RangeDays } from './ranges.ts'

/** Before the products of a range that ends today are read: whoever is the first on a day adds them up. */
export async function haveRange(store: StoreDb<Db>, range: RangeDays): Promise<void> {
  if (await hasRange(store, range)) return
  await transact(store, async (tx) => {
    await lockRanges(tx)
    if (!(await hasRange(tx, range))) await addUpRange(tx, range)
  })
}
