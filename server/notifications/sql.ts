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

/** A slice of those older than this, of all stores; their marks go with them. Answers how many. */
export async function deleteOld(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from notifications n using (
      select store_id, id from notifications where created_at < ${before} order by created_at limit ${limit}) old
    where n.store_id = old.store_id and n.id = old.id`.execute(db)
  return Number(numAffectedRows ?? 0)
}

export async function deleteOldOfAccounts(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from account_notifications n using (
      select account_id, id from account_notifications where created_at < ${before} order by created_at limit ${limit}) old
    where n.account_id = old.account_id and n.id = old.id`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** What gathering no longer asks for. */
export async function deleteOldHours(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from notification_hours h using (
      select store_id, topic, hour from notification_hours where hour < ${before} order by hour limit ${limit}) old
    where h.store_id = old.store_id and h.topic = old.topic and h.hour = old.hour`.execute(db)
  return Number(numAffectedRows ?? 0)
}

export async function deleteOldRecoveries(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from recoveries_told r using (
      select store_id, cart_id from recoveries_told where at < ${before} order by at limit ${limit}) old
    where r.store_id = old.store_id and r.cart_id = old.cart_id`.execute(db)
  return Number(numAffectedRows ?? 0)
}
