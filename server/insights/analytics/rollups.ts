import { type Db, type StoreDb, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import * as people from './people-sql.ts'
import * as sql from './rollups-sql.ts'
import { buildDaySpans } from './rules.ts'

// Rollups: the counts of pages and reports, maintained by triggers. `/api/dashboard` reads them.

/** Tick: folds recorded changes into the rollups, so that reads sum few rows. */
export async function foldRollups(deps: Pick<Deps, 'db'>): Promise<void> {
  await sql.foldRollups(deps.db)
}

/** Repairs a store's rollups if they differ from its carts and orders. Safe while the store is active. */
export function rebuildRollups(store: StoreDb<Db>): Promise<void> {
  return transact(store, sql.recount)
}

const PEOPLE_EVERY_MS = 15 * 60_000
const STORES_AT_ONCE = 200

/** Tick: counts the people of stores whose count is 15 minutes old. */
export async function countDuePeople(deps: Pick<Deps, 'db' | 'now'>): Promise<void> {
  const now = deps.now()
  for (;;) {
    const due = await listStoresToCount(deps.db, new Date(now.getTime() - PEOPLE_EVERY_MS), now, STORES_AT_ONCE)
    if (due.length > 0) await people.countPeople(deps.db, addDaySpans(due, now), now)
    if (due.length < STORES_AT_ONCE) return
  }
}

/** Counts now, for example after a bulk insert. */
export function countPeople(store: StoreDb<Db>, zone: string, now: Date): Promise<void> {
  return people.countPeople(store.db, addDaySpans([{ store_id: store.storeId, time_zone: zone }], now), now)
}

const addDaySpans = (stores: readonly { store_id: string; time_zone: string }[], now: Date) =>
  stores.map(({ store_id, time_zone }) => ({ store_id, ...buildDaySpans(now, time_zone) }))

/**
 * Lists connected stores not counted since then, oldest count first. A count dated in the future was taken
 * before the clock was set back.
 */
async function listStoresToCount(db: Db, since: Date, now: Date, limit: number) {
  return db
    .selectFrom('stores')
    .leftJoin('active_shopper_counts', 'active_shopper_counts.store_id', 'stores.id')
    .select(['stores.id as store_id', 'stores.time_zone'])
    .where('stores.is_active', '=', true)
    .where((eb) =>
      eb.or([
        eb('active_shopper_counts.counted_at', 'is', null),
        eb('active_shopper_counts.counted_at', '<=', since),
        eb('active_shopper_counts.counted_at', '>', new Date(now.getTime() + 60_000)),
      ]),
    )
    .orderBy('active_shopper_counts.counted_at', (order) => order.asc().nullsFirst())
    .limit(limit)
    .execute()
}
