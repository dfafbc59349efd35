import type { AccountDb, Db, StoreDb } from '../core/db.ts'
import { type RawBuilder, sql } from '../core/db.ts'
import type { DraftNotification } from './notifications.ts'

// Notifications as they are written where something happens, and their end: SQL and nothing else.

/**
 * An insert for statements that do other things too: `rows` selects store_id, id, type, data, created_at and, for a shopper's, zone.
 * Nothing waits here for anything; `gather.ts` makes notifications of it.
 */
export const insertNotificationsFrom = (rows: RawBuilder<unknown>, isZoned = false) => sql`
  insert into pending_notifications (store_id, id, type, data, created_at${isZoned ? sql`, zone` : sql``}) ${rows}`

/** One that is there already stays as it is. */
export async function insertNotification({ db, storeId }: StoreDb, { id, type, data }: DraftNotification, at: Date) {
  await sql`
    insert into pending_notifications (store_id, id, type, data, created_at)
    select ${storeId}, ${id}, ${type}, ${JSON.stringify(data)}::jsonb, ${at}::timestamptz
    where not exists (select 1 from notifications where store_id = ${storeId} and id = ${id})
    on conflict do nothing`.execute(db)
}

export async function insertAccountNotification(
  { db, accountId }: AccountDb,
  { id, type, data }: DraftNotification,
  at: Date,
) {
  await sql`
    insert into pending_account_notifications (account_id, id, type, data, created_at)
    select ${accountId}, ${id}, ${type}, ${JSON.stringify(data)}::jsonb, ${at}::timestamptz
    where not exists (select 1 from account_notifications where account_id = ${accountId} and id = ${id})
    on conflict do nothing`.execute(db)
}

/** Answers those of `carts` whose recovery was not told before. */
export const noteRecoveries = (storeId: string, carts: RawBuilder<unknown>, now: Date) => sql`
  insert into recoveries_told (store_id, cart_id, at) select ${storeId}, t.id, ${now}::timestamptz from (${carts}) t
  on conflict do nothing returning cart_id`

/**
 * A slice of those older than this, of all stores; their marks go with them. Answers how many. One look at the old end of each store's index
 * finds them, and they are deleted by their place: a join would read through all notifications.
 */
export async function deleteOld(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from notifications where created_at < ${before} and ctid = any(array(
      select n.ctid from stores s cross join lateral (
        select n.ctid from notifications n where n.store_id = s.id and n.created_at < ${before}
        order by n.created_at, n.id limit ${limit}) n
      limit ${limit}))`.execute(db)
  return Number(numAffectedRows ?? 0)
}

export async function deleteOldOfAccounts(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from account_notifications where created_at < ${before} and ctid = any(array(
      select n.ctid from accounts a cross join lateral (
        select n.ctid from account_notifications n where n.account_id = a.id and n.created_at < ${before}
        order by n.created_at, n.id limit ${limit}) n
      limit ${limit}))`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** What gathering no longer asks for. */
export async function deleteOldHours(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from notification_hours where hour < ${before} and ctid = any(array(
      select h.ctid from stores s cross join lateral (
        select h.ctid from notification_hours h where h.store_id = s.id and h.hour < ${before}
        order by h.hour limit ${limit}) h
      limit ${limit}))`.execute(db)
  return Number(numAffectedRows ?? 0)
}

export async function deleteOldRecoveries(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from recoveries_told where at < ${before} and ctid = any(array(
      select ctid from recoveries_told where at < ${before} order by at limit ${limit}))`.execute(db)
  return Number(numAffectedRows ?? 0)
}
