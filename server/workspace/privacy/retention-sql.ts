import { type Db, PLANNED_EACH_TIME, type StoreDb, type StoreTx, sql } from '../../core/db/db.ts'

// Statements for expired shoppers and nightly runs.

/**
 * When shopper `s` was last seen: cart, order, sign-in at the shop, click, restore or push permission. Uses indexes.
 * Consents are found by address hashes (`findConsentsSince`).
 */
const LAST_SEEN = sql`greatest(s.first_seen_at, s.last_login_at, o.last_at,
  (select max(c.last_activity_at) from carts c where c.store_id = s.store_id and c.shopper_id = s.id),
  (select max(t.at) from touchpoints t where t.store_id = s.store_id and t.shopper_id = s.id and t.is_human),
  (select max(p.created_at) from push_subscriptions p where p.store_id = s.store_id and p.shopper_id = s.id))`

const LAST_ORDER = sql`lateral (select max(o.purchased_at) as last_at from orders o
  where o.store_id = s.store_id and o.shopper_id = s.id and o.purchased_at is not null) o`

export interface VisitedShopper {
  id: string
  first_seen_at: Date
  is_due: boolean
}

/** The next shoppers first seen before the limit. */
export async function nextShoppers(
  { db, storeId }: StoreDb,
  { after, before, limit }: { after: RunPlace | null; before: Date; limit: number },
): Promise<VisitedShopper[]> {
  const rows = await sql<VisitedShopper>`
    select s.id, s.first_seen_at, ${LAST_SEEN} < ${before} as is_due
    from (select * from shoppers where store_id = ${storeId} and ended_at is null and first_seen_at < ${before}
      ${after ? sql`and (first_seen_at, id) > (${after.at}, ${after.id}::uuid)` : sql``}
      order by first_seen_at, id limit ${limit}) s, ${LAST_ORDER}
    order by s.first_seen_at, s.id`.execute(db)
  return rows.rows
}

export interface DueShopper {
  id: string
  has_ordered: boolean
  carts: number
  addresses: string[]
}

const DUE = sql`s.id, o.last_at is not null as has_ordered,
  (select count(*)::int from carts c where c.store_id = s.store_id and c.shopper_id = s.id) as carts,
  array(select k.value from shopper_keys k where k.store_id = s.store_id and k.shopper_id = s.id and k.kind in ('email', 'phone')) as addresses`

/** The expired ones among these shoppers, whom the caller has locked. */
export async function findDueAmong(
  { db, storeId }: StoreTx,
  ids: readonly string[],
  before: Date,
): Promise<DueShopper[]> {
  const rows = await sql<DueShopper>`
    select ${DUE} from shoppers s, ${LAST_ORDER}
    where s.store_id = ${storeId} and s.id = any(${[...ids]}::uuid[]) and s.ended_at is null and ${LAST_SEEN} < ${before}
    order by s.id`.execute(db)
  return rows.rows
}

/** The expired ones among the first `most` shoppers by first visit. `isMore`: there may be others. */
export async function findDue(
  { db, storeId }: StoreDb,
  before: Date,
  most: number,
): Promise<{ due: DueShopper[]; isMore: boolean }> {
  const rows = await sql<DueShopper & { is_due: boolean }>`${PLANNED_EACH_TIME}
    select due.*, is_due from (select * from shoppers where store_id = ${storeId} and ended_at is null and first_seen_at < ${before}
        order by first_seen_at, id limit ${most}) s, ${LAST_ORDER},
      lateral (select ${LAST_SEEN} < ${before} as is_due) seen left join lateral (select ${DUE}) due on is_due`.execute(
    db,
  )
  return { due: rows.rows.filter((row) => row.is_due), isMore: rows.rows.length === most }
}

/** The hashes with a consent since then; imports do not count. */
export async function findConsentsSince(
  { db, storeId }: StoreDb,
  hashes: readonly Buffer[],
  since: Date,
): Promise<Set<string>> {
  if (hashes.length === 0) return new Set()
  const rows = await sql<{ hash: string }>`
    select distinct encode(address_hash, 'hex') as hash from consents
    where store_id = ${storeId} and address_hash = any(${[...hashes]}::bytea[]) and at >= ${since}
      and status <> 'withdrawn' and source not like 'import%'`.execute(db)
  return new Set(rows.rows.map(({ hash }) => hash))
}

/** Limits lock waits: shoppers locked by another transaction are left for the next night. */
export async function limitLockWait({ db }: StoreTx, waitMs: number): Promise<void> {
  await sql`select set_config('lock_timeout', ${`${waitMs}ms`}, true)`.execute(db)
}

export interface RunPlace {
  at: Date
  id: string
}

/** Stores whose run of this day has not begun or was interrupted. A run begins at this time in the store's zone. */
export async function dueStores(db: Db, now: Date, time: string): Promise<{ store_id: string; day: string }[]> {
  const rows = await sql<{ store_id: string; day: string }>`
    select s.id as store_id, l.day::text as day
    from stores s cross join lateral (select (${now}::timestamptz at time zone s.time_zone) as local) z
    cross join lateral (select z.local::date as day) l
    left join retention_runs r on r.store_id = s.id and r.day = l.day
    where s.retention_days is not null and z.local::time >= ${time}::time and r.finished_at is null
    order by s.id limit 1000`.execute(db)
  return rows.rows
}

export interface RunRow {
  day: string
  days: number
  started_at: Date
  finished_at: Date | null
  cursor_at: Date | null
  cursor_id: string | null
  contacts: number
  customers: number
  counts: Record<string, number>
}

const RUN = sql`day::text as day, days, started_at, finished_at, cursor_at, cursor_id, contacts, customers, counts`

/** Also deletes runs older than some weeks. */
export async function startRun(
  { db, storeId }: StoreTx,
  { day, days, now }: { day: string; days: number; now: Date },
): Promise<void> {
  await sql`insert into retention_runs (store_id, day, days, started_at) values (${storeId}, ${day}::date, ${days}, ${now})
    on conflict (store_id, day) do nothing`.execute(db)
  await sql`delete from retention_runs where store_id = ${storeId} and day < ${day}::date - 60`.execute(db)
}

/** undefined: done, or held by another process. */
export async function lockRun({ db, storeId }: StoreTx, day: string): Promise<RunRow | undefined> {
  const rows = await sql<RunRow>`select ${RUN} from retention_runs
    where store_id = ${storeId} and day = ${day}::date and finished_at is null for update skip locked`.execute(db)
  return rows.rows[0]
}

export async function recordErased(
  { db, storeId }: StoreTx,
  day: string,
  done: { contacts: number; customers: number; counts: Record<string, number> },
): Promise<void> {
  await sql`update retention_runs set contacts = ${done.contacts}, customers = ${done.customers},
    counts = ${JSON.stringify(done.counts)}::jsonb where store_id = ${storeId} and day = ${day}::date`.execute(db)
}

export async function recordRunPlace({ db, storeId }: StoreDb, day: string, place: RunPlace): Promise<void> {
  await sql`update retention_runs set cursor_at = ${place.at}, cursor_id = ${place.id}
    where store_id = ${storeId} and day = ${day}::date`.execute(db)
}

export async function finishRun({ db, storeId }: StoreDb, day: string, now: Date): Promise<void> {
  await sql`update retention_runs set finished_at = ${now} where store_id = ${storeId} and day = ${day}::date`.execute(
    db,
  )
}

export async function lastRuns({ db, storeId }: StoreDb, limit: number): Promise<RunRow[]> {
  const rows = await sql<RunRow>`
    select ${RUN} from retention_runs where store_id = ${storeId} order by day desc limit ${limit}`.execute(db)
  return rows.rows
}

/** undefined: unknown store. */
export async function readDays({ db, storeId }: StoreDb): Promise<number | null | undefined> {
  const row = await db.selectFrom('stores').select('retention_days').where('id', '=', storeId).executeTakeFirst()
  return row?.retention_days
}

export async function saveDays({ db, storeId }: StoreDb, days: number | null): Promise<void> {
  await db.updateTable('stores').set({ retention_days: days }).where('id', '=', storeId).execute()
}
