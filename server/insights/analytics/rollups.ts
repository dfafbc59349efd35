import { type Db, type StoreDb, transact } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import * as people from './people-sql.ts'
import * as sql from './rollups-sql.ts'
import { daySpans } from './rules.ts'

// Rollups (Way D): the counts of pages and reports, maintained by triggers. `/api/dashboard` reads them.

/** Tick: folds recorded changes into the rollups, so that reads sum few rows. */
export async function foldRollups(deps: Deps): Promise<void> {
  await sql.foldRollups(deps.db)
}

/** Repairs a store's rollups if they differ from its carts and orders. Safe while the store is active. */
export function rebuildRollups(store: StoreDb<Db>): Promise<void> {
  return transact(store, sql.recount)
}

const PEOPLE_EVERY_MS = 15 * 60_000
const STORES_AT_ONCE = 200

/** Tick: counts the people of stores whose count is 15 minutes old. */
export async function countDuePeople(deps: Deps): Promise<void> {
  const now = deps.now()
  for (;;) {
    const due = await people.storesToCount(deps.db, new Date(now.getTime() - PEOPLE_EVERY_MS), now, STORES_AT_ONCE)
    if (due.length > 0) await people.countPeople(deps.db, spansOf(due, now), now)
    if (due.length < STORES_AT_ONCE) return
  }
}

/** A count of 0 expires sooner, so that a new store is counted again on request. */
const NOBODY_FOR_MS = 3_000

/** Returns the last count; without one, counts now. */
export async function activePeople(store: StoreDb<Db>, zone: string, now: Date): Promise<people.PeopleRow> {
  const known = await people.readPeople(store)
  const isOld = !known || (known.active === 0 && now.getTime() - known.counted_at.getTime() > NOBODY_FOR_MS)
  if (!isOld) return known
  await countPeople(store, zone, now)
  return (await people.readPeople(store)) ?? { counted_at: now, active: 0, active_before: 0 }
}

/** Counts now, for example after a bulk insert. */
export function countPeople(store: StoreDb<Db>, zone: string, now: Date): Promise<void> {
  return people.countPeople(store.db, spansOf([{ store_id: store.storeId, time_zone: zone }], now), now)
}

const spansOf = (stores: readonly { store_id: string; time_zone: string }[], now: Date) =>
  stores.map(({ store_id, time_zone }) => ({ store_id, ...daySpans(now, time_zone) }))
