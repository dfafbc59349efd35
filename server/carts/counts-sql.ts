import { type Db, sql } from '../db.ts'

// The counters of the list. They are written by a trigger on `carts`; here they are kept short.

/** Folds what was added into one row per badge. Rows added meanwhile are not seen and stay; twice at once does no harm. */
export async function foldCartCounts(db: Db): Promise<void> {
  await sql`
    with long as (
      select store_id from cart_counts group by store_id
      having count(*) > count(distinct badge) or sum(abs(change)) = 0),
    gone as (
      delete from cart_counts c using long where c.store_id = long.store_id returning c.store_id, c.badge, c.change)
    insert into cart_counts (store_id, badge, change)
    select store_id, badge, sum(change) from gone group by store_id, badge having sum(change) <> 0`.execute(db)
}
