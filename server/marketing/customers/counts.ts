import { type Db, sql } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'

/** Tick: folds the counters, so that a total reads only a few rows. */
export function foldCustomerListCounts(deps: Pick<Deps, 'db'>): Promise<void> {
  return foldCustomerCounts(deps.db)
}

// Customer counters, maintained by a trigger on `shoppers`.

/**
 * Folds new rows into one row per kind and day. Rows added concurrently stay for the next call; two calls at once are
 * safe.
 */
async function foldCustomerCounts(db: Db): Promise<void> {
  await sql`
    with fresh as (
      delete from customer_counts where not is_folded returning store_id, is_registered, day, change)
    insert into customer_counts (store_id, is_registered, day, change, is_folded)
    select store_id, is_registered, day, sum(change), true from fresh group by 1, 2, 3 having sum(change) <> 0 order by 1, 2, 3
    on conflict (store_id, is_registered, day) where is_folded
      do update set change = customer_counts.change + excluded.change`.execute(db)
  await sql`delete from customer_counts where is_folded and change = 0`.execute(db)
}
