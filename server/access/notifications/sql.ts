import { type Db, type RawBuilder, type StoreDb, sql, type Tx } from '../../core/db/public.ts'
import type { DraftNotification } from './notifications.ts'

// SQL that writes notifications and deletes old ones.

/**
 * An insert for statements that also do other things: `rows` selects store_id, id, type, data, created_at and, for a
 * shopper's notification, zone. It waits for no lock; `group.ts` turns the rows into notifications.
 */
export const insertNotificationsFrom = (rows: RawBuilder<unknown>, isZoned = false) => sql`
  insert into pending_notifications (store_id, id, type, data, created_at${isZoned ? sql`, zone` : sql``}) ${rows}`

/**
 * `news` selects drafts of messages. Sent messages share one row per channel, because grouping joins them anyway
 * (decision 64).
 */
export const insertNewsOfMessages = (storeId: string, news: RawBuilder<unknown>, now: Date) =>
  insertNotificationsFrom(sql`
    select ${storeId}::uuid, (array_agg(n.id))[1], n.type, case when count(*) = 1 then (array_agg(n.data))[1]
        else jsonb_build_object('count', count(*), 'since', ${now.toISOString()}::text, 'until', ${now.toISOString()}::text,
          'isInMailbox', n.data -> 'isInMailbox') end, ${now}::timestamptz
    from (${news}) told, jsonb_to_record(told.news) as n(id uuid, type text, data jsonb) where jsonb_typeof(told.news) = 'object'
    group by n.type, n.data -> 'isInMailbox', case when right(n.type, 5) = '_sent' then null else n.id end`)

/** Leaves an existing row unchanged. */
export async function insertNotification({ db, storeId }: StoreDb, { id, type, data }: DraftNotification, at: Date) {
  await sql`
    insert into pending_notifications (store_id, id, type, data, created_at)
    select ${storeId}, ${id}, ${type}, ${JSON.stringify(data)}::jsonb, ${at}::timestamptz
    where not exists (select 1 from notifications where store_id = ${storeId} and id = ${id})
    on conflict do nothing`.execute(db)
}

export interface AccountDraft extends DraftNotification {
  accountId: string
  /** Only if this one does not exist either. */
  unlessId: string | null
}

/** Leaves existing rows unchanged. */
export async function insertAccountNotifications(db: Db | Tx, drafts: readonly AccountDraft[], at: Date) {
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

/** Returns the carts among `carts` whose recovery was not reported before. */
export const noteRecoveries = (storeId: string, carts: RawBuilder<unknown>, now: Date) => sql`
  insert into recoveries_told (store_id, cart_id, at) select ${storeId}, t.id, ${now}::timestamptz from (${carts}) t
  on conflict do nothing returning cart_id`

/** Deletes a batch of rows older than `before`, of all stores or accounts, with their marks. Returns their number. */
type DeleteBatch = (db: Db, before: Date, limit: number) => Promise<number>

/**
 * One look-up at the old end of each owner's index finds the batch, which is deleted by ctid: a join would scan the
 * whole table. The last columns are those of that index after its owner, age first.
 */
const createBatchDelete =
  (
    table: string,
    [owners, owner]: readonly [string, string],
    [age, ...order]: readonly [string, ...string[]],
  ): DeleteBatch =>
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

const STORE_OWNER = ['stores', 'store_id'] as const
const ACCOUNT_OWNER = ['accounts', 'account_id'] as const

export const deleteOld = createBatchDelete('notifications', STORE_OWNER, ['created_at', 'id'])
export const deleteOldAccountRows = createBatchDelete('account_notifications', ACCOUNT_OWNER, ['created_at', 'id'])
/** Hours that grouping no longer reads. */
export const deleteOldHours = createBatchDelete('notification_hours', STORE_OWNER, ['hour'])

export async function deleteOldRecoveries(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from recoveries_told where at < ${before} and ctid = any(array(
      select ctid from recoveries_told where at < ${before} order by at limit ${limit}))`.execute(db)
  return Number(numAffectedRows ?? 0)
}
