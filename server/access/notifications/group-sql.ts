import { notificationTypes } from '../../../shared/workspace/notifications.ts'
import { type AccountTx, type Db, type StoreTx, sql } from '../../core/db/public.ts'
import type { Data, Hour, PendingEvent, Plan, Row } from './group-rules.ts'

// SQL that turns pending events into notifications, one account at a time.

/** Events written by another version of the server are left to that version. */
const isKnownType = sql`p.type = any(${notificationTypes}::text[])`
const STORES_AT_ONCE = 10_000

/** One index look-up per store, so that the cost is independent of a store's rows. */
export async function listAccountsWithPending(db: Db, limit: number, without: readonly string[]): Promise<string[]> {
  const rows = await sql<{ account_id: string }>`
    with recursive waiting as (
      (select p.store_id from pending_notifications p where ${isKnownType} order by p.store_id limit 1)
      union all
      select (select p.store_id from pending_notifications p where p.store_id > w.store_id and ${isKnownType} order by p.store_id limit 1)
      from waiting w where w.store_id is not null)
    select account_id from (
      select s.account_id from (select store_id from waiting limit ${STORES_AT_ONCE}) w join stores s on s.id = w.store_id
      union select p.account_id from pending_account_notifications p where ${isKnownType}) accounts
    where account_id <> all(${[...without]}::uuid[]) limit ${limit}`.execute(db)
  return rows.rows.map((row) => row.account_id)
}

/** Locks until the transaction ends. null: another process holds this account. */
export async function lockGrouping({ db, accountId }: AccountTx): Promise<Date | null> {
  await sql`insert into notification_clocks (account_id, last_at) values (${accountId}, 'epoch')
    on conflict do nothing`.execute(db)
  const rows = await sql<{ last_at: Date }>`
    select last_at from notification_clocks where account_id = ${accountId} for update skip locked`.execute(db)
  return rows.rows[0]?.last_at ?? null
}

/** Waits for the process that groups this store's account, and blocks others until the transaction ends. */
export async function waitForGrouping({ db, storeId }: StoreTx): Promise<void> {
  await sql`select c.last_at from stores s join notification_clocks c on c.account_id = s.account_id
    where s.id = ${storeId} for update of c`.execute(db)
}

export async function setLastAt({ db, accountId }: AccountTx, lastAt: Date): Promise<void> {
  await sql`update notification_clocks set last_at = ${lastAt} where account_id = ${accountId}`.execute(db)
}

/**
 * Takes pending events. The queue is nearly always empty, so the planner would choose a nested loop; rows are therefore
 * deleted by ctid. That is safe because nothing updates them.
 */
export async function takePendingEvents({ db, accountId }: AccountTx, limit: number): Promise<PendingEvent[]> {
  const rows = await sql<PendingEvent>`
    with first as materialized (
      select p.place from stores s cross join lateral (
        select p.ctid as place, p.created_at, p.id from pending_notifications p where p.store_id = s.id and ${isKnownType}
        order by p.created_at, p.id limit ${limit}) p
      where s.account_id = ${accountId} order by p.created_at, p.id limit ${limit}),
    deleted as (
      delete from pending_notifications p where p.ctid = any(array(select place from first)) returning p.*)
    select t.store_id as "storeId", t.id, t.type, t.data, t.zone, s.time_zone as "timeZone", t.created_at as at
    from deleted t join stores s on s.id = t.store_id order by t.created_at, t.id`.execute(db)
  return rows.rows
}

type AccountEvent = Omit<PendingEvent, 'storeId' | 'zone' | 'timeZone'>

export async function takePendingAccountEvents({ db, accountId }: AccountTx, limit: number): Promise<AccountEvent[]> {
  const rows = await sql<PendingEvent>`
    with first as materialized (
      select p.ctid as place from pending_account_notifications p where p.account_id = ${accountId} and ${isKnownType}
      order by p.created_at, p.id limit ${limit}),
    deleted as (
      delete from pending_account_notifications p where p.ctid = any(array(select place from first)) returning p.*)
    select id, type, data, created_at as at from deleted order by created_at, id`.execute(db)
  return rows.rows
}

/** An hour whose row was deleted (an erased person's) gets a new one. */
export async function readHours({ db, accountId }: AccountTx, storeIds: string[], since: Date): Promise<Hour[]> {
  const rows = await sql<
    Omit<Hour, 'row'> & { id: string | null; type: PendingEvent['type']; data: Data; created_at: Date }
  >`
    select h.store_id as "storeId", h.topic, h.hour, h.count, n.id, n.type, n.data, n.created_at
    from stores s join notification_hours h on h.store_id = s.id
    left join notifications n on n.store_id = h.store_id and n.id = h.notification_id
    where s.account_id = ${accountId} and h.store_id = any(${storeIds}::uuid[]) and h.hour > ${since}`.execute(db)
  return rows.rows.map(({ storeId, topic, hour, count, id, type, data, created_at }) => ({
    storeId,
    topic,
    hour,
    count,
    row: id === null ? null : { id, type, data, createdAt: created_at },
  }))
}

export async function writePlan({ db }: AccountTx, { inserts, updates, hours }: Plan): Promise<void> {
  await insertRows(db, inserts)
  if (updates.length > 0) {
    await sql`
      update notifications n set data = u.data, search = u.search, zone = null
      from jsonb_to_recordset(${JSON.stringify(updates)}::jsonb) as u("storeId" uuid, id uuid, data jsonb, search text)
      where n.store_id = u."storeId" and n.id = u.id`.execute(db)
  }
  const counted = hours.map(({ storeId, topic, hour, count, row }) => ({ storeId, topic, hour, count, id: row?.id }))
  if (counted.length > 0) {
    await sql`
      insert into notification_hours (store_id, topic, hour, count, notification_id)
      select h."storeId", h.topic, h.hour, h.count, h.id
      from jsonb_to_recordset(${JSON.stringify(counted)}::jsonb)
        as h("storeId" uuid, topic text, hour timestamptz, count integer, id uuid)
      on conflict (store_id, topic, hour) do update set count = excluded.count, notification_id = excluded.notification_id`.execute(
      db,
    )
  }
}

async function insertRows(db: AccountTx['db'], rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    insert into notifications (store_id, id, type, data, zone, search, is_problem, created_at)
    select r."storeId", r.id, r.type, r.data, r.zone, r.search, r."isProblem", r."createdAt"
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r("storeId" uuid, id uuid, type text, data jsonb, zone jsonb,
      search text, "isProblem" boolean, "createdAt" timestamptz)
    on conflict do nothing`.execute(db)
}

export async function insertAccountRows({ db, accountId }: AccountTx, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    insert into account_notifications (account_id, id, type, data, search, is_problem, created_at)
    select ${accountId}, r.id, r.type, r.data, r.search, r."isProblem", r."createdAt"
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(id uuid, type text, data jsonb, search text,
      "isProblem" boolean, "createdAt" timestamptz)
    on conflict do nothing`.execute(db)
}

/** Tells open tabs of these stores about new or grown rows. */
export async function announceNews({ db }: AccountTx, news: { news: string[]; grown: string[] }): Promise<void> {
  await sql`
    select pg_notify('recoup_live', 'news:' || store_id) from live_watches where store_id = any(${news.news}::uuid[])
    union all
    select pg_notify('recoup_live', 'store:' || store_id || ':notifications') from live_watches
    where store_id = any(${news.grown}::uuid[])`.execute(db)
}

export async function listStoreIds({ db, accountId }: AccountTx): Promise<string[]> {
  const rows = await sql<{ id: string }>`select id from stores where account_id = ${accountId}`.execute(db)
  return rows.rows.map(({ id }) => id)
}
