import type { Db, StoreDb, Tx } from '../../core/db/db.ts'
import { type RawBuilder, sql } from '../../core/db/db.ts'
import type { DraftNotification } from './notifications.ts'

// Notifications as they are written where something happens, and their end: SQL and nothing else.

/**
 * An insert for statements that do other things too: `rows` selects store_id, id, type, data, created_at and, for a shopper's, zone.
 * Nothing waits here for anything; `gather.ts` makes notifications of it.
 */
export const insertNotificationsFrom = (rows: RawBuilder<unknown>, isZoned = false) => sql`
  insert into pending_notifications (store_id, id, type, data, created_at${isZoned ? sql`, zone` : sql``}) ${rows}`

/** `news` selects drafts of messages. Sent messages share one row per channel, because gathering groups them anyway (decision 64). */
export const insertNewsOfMessages = (storeId: string, news: RawBuilder<unknown>, now: Date) =>
  insertNotificationsFrom(sql`
    select ${storeId}::uuid, (array_agg(n.id))[1], n.type, case when count(*) = 1 then (array_agg(n.data))[1]
        else jsonb_build_object('count', count(*), 'since', ${now.toISOString()}::text, 'until', ${now.toISOString()}::text,
          'isInMailbox', n.data -> 'isInMailbox') end, ${now}::timestamptz
    from (${news}) told, jsonb_to_record(told.news) as n(id uuid, type text, data jsonb) where jsonb_typeof(told.news) = 'object'
    group by n.type, n.data -> 'isInMailbox', case when right(n.type, 5) = '_sent' then null else n.id end`)

/** One that is there already stays as it is. */
export async function insertNotification({ db, storeId }: StoreDb, { id, type, data }: DraftNotification, at: Date) {
  await sql`
    insert into pending_notifications (store_id, id, type, data, created_at)
    select ${storeId}, ${id}, ${type}, ${JSON.stringify(data)}::jsonb, ${at}::timestamptz
    where not exists (select 1 from notifications where store_id = ${storeId} and id = ${id})
    on conflict do nothing`.execute(db)
}

export interface DraftOfAccount extends DraftNotification {
  accountId: string
  /** Only where this one is not there either. */
  unlessId: string | null
}

/** Those that are there already stay as they are. */
export async function insertAccountNotifications(db: Db | Tx, drafts: readonly DraftOfAccount[], at: Date) {
  const isNew = (id: string) => sql`
    not exists (select 1 from account_notifications t where t.account_id = n."accountId" and t.id = ${sql.ref(`n.${id}`)})
    and not exists (select 1 from pending_account_notifications t where t.account_id = n."accountId" and t.id = ${sql.ref(`n.${id}`)})`
  await sql`
    insert into pending_account_notifications (account_id, id, type, data, created_at)
    select n."accountId", n.id, n.type, n.data, ${at}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(drafts)}::jsonb)
      as n("accountId" uuid, id uuid, "unlessId" uuid, type text, data jsonb)
    where ${isNew('id')} and ${isNew('unlessId')}
    on conflict do nothing`.execute(db)
}

/** Answers those of `carts` whose recovery was not told before. */
export const noteRecoveries = (storeId: string, carts: RawBuilder<unknown>, now: Date) => sql`
  insert into recoveries_told (store_id, cart_id, at) select ${storeId}, t.id, ${now}::timestamptz from (${carts}) t
  on conflict do nothing returning cart_id`

/** Deletes a slice of those older than this, of all stores or accounts; their marks go with them. Answers how many. */
type DeleteSlice = (db: Db, before: Date, limit: number) => Promise<number>

/**
 * One look at the old end of each owner's index finds the slice, and it is deleted by its place: a join would read through the whole table.
 * The last columns are those of that index after its owner, the age first.
 */
const slicesOf =
  (
    table: string,
    [owners, owner]: readonly [string, string],
    [age, ...order]: readonly [string, ...string[]],
  ): DeleteSlice =>
  async (db, before, limit) => {
    const [from, key, at] = [sql.table(table), sql.ref(`t.${owner}`), sql.ref(age)]
    const { numAffectedRows } = await sql`
      delete from ${from} where ${at} < ${before} and ctid = any(array(
        select t.ctid from ${sql.table(owners)} o cross join lateral (
          select t.ctid from ${from} t where ${key} = o.id and ${sql.ref(`t.${age}`)} < ${before}
          order by ${sql.join([age, ...order].map((column) => sql.ref(`t.${column}`)))} limit ${limit}) t
        limit ${limit}))`.execute(db)
    return Number(numAffectedRows ?? 0)
  }

const OF_STORES = ['stores', 'store_id'] as const
const OF_ACCOUNTS = ['accounts', 'account_id'] as const

export const deleteOld = slicesOf('notifications', OF_STORES, ['created_at', 'id'])
export const deleteOldOfAccounts = slicesOf('account_notifications', OF_ACCOUNTS, ['created_at', 'id'])
/** What gathering no longer asks for. */
export const deleteOldHours = slicesOf('notification_hours', OF_STORES, ['hour'])

export async function deleteOldRecoveries(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from recoveries_told where at < ${before} and ctid = any(array(
      select ctid from recoveries_told where at < ${before} order by at limit ${limit}))`.execute(db)
  return Number(numAffectedRows ?? 0)
}
