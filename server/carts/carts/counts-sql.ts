import { type Db, sql } from '../../core/db/db.ts'

// Compacts the counters of the cart list, which a trigger on `cart_badges` writes.

/**
 * Adds new counter rows to the one row per badge and day. Safe to run concurrently: later rows are left for the next
 * run.
 */
export async function foldCartCounts(db: Db): Promise<void> {
  await sql`
    with fresh as (
      delete from cart_counts where not is_folded returning store_id, badge, day, change)
    insert into cart_counts (store_id, badge, day, change, is_folded)
    select store_id, badge, day, sum(change), true from fresh group by 1, 2, 3 having sum(change) <> 0 order by 1, 2, 3
    on conflict (store_id, badge, day) where is_folded do update set change = cart_counts.change + excluded.change`.execute(
    db,
  )
  await sql`delete from cart_counts where is_folded and change = 0`.execute(db)
}
