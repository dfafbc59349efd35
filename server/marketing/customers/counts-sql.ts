import { type Db, type StoreDb, sql } from '../../core/db/db.ts'

// Customer counters, maintained by a trigger on `shoppers`.

/** null: both registered customers and guests. */
export type IsRegistered = boolean | null

const ofKind = (isRegistered: IsRegistered) =>
  isRegistered === null ? sql`` : sql`and is_registered = ${isRegistered}`

export async function countListed({ db, storeId }: StoreDb, isRegistered: IsRegistered): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select coalesce(sum(change), 0)::int as total from customer_counts
    where store_id = ${storeId} ${ofKind(isRegistered)}`.execute(db)
  return rows[0]!.total
}

/**
 * The day on which the running count passes `offset`, from the newest (`isNewest`) or the oldest, and how many come
 * before it.
 */
export async function dayAt(
  { db, storeId }: StoreDb,
  { isRegistered, offset, isNewest }: { isRegistered: IsRegistered; offset: number; isNewest: boolean },
): Promise<{ midnight: number; passed: number } | undefined> {
  const [way, back] = isNewest ? [sql`desc`, sql`asc`] : [sql`asc`, sql`desc`]
  const { rows } = await sql<{ day: string; passed: number }>`
    select day, passed::int from (
      select day, sum(customers) over (order by day ${way}) - customers as passed from (
        select day, sum(change) as customers from customer_counts
        where store_id = ${storeId} ${ofKind(isRegistered)} group by day having sum(change) > 0) days) sums
    where passed <= ${offset} order by day ${back} limit 1`.execute(db)
  const [row] = rows
  return row && { midnight: Date.parse(`${row.day}T00:00:00Z`), passed: row.passed }
}

/**
 * Folds new rows into one row per kind and day. Rows added concurrently stay for the next call; two calls at once are
 * safe.
 */
export async function foldCustomerCounts(db: Db): Promise<void> {
  await sql`
    with fresh as (
      delete from customer_counts where not is_folded returning store_id, is_registered, day, change)
    insert into customer_counts (store_id, is_registered, day, change, is_folded)
    select store_id, is_registered, day, sum(change), true from fresh group by 1, 2, 3 having sum(change) <> 0 order by 1, 2, 3
    on conflict (store_id, is_registered, day) where is_folded
      do update set change = customer_counts.change + excluded.change`.execute(db)
  await sql`delete from customer_counts where is_folded and change = 0`.execute(db)
}
