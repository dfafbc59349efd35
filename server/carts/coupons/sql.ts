import type { Insertable, Selectable, Updateable } from 'kysely'
import { type Db, type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'
import type { CouponsTable } from '../../core/schema/public.ts'

// SQL for our copy of the store's coupons. The list is in list-sql.ts.

export type CouponRow = Selectable<CouponsTable>

export function readCoupon({ db, storeId }: StoreDb, id: string) {
  return db
    .selectFrom('coupons')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .where('gone_at', 'is', null)
    .executeTakeFirst()
}

export function insertCoupon({ db, storeId }: StoreTx, row: Omit<Insertable<CouponsTable>, 'store_id'>) {
  return db
    .insertInto('coupons')
    .values({ ...row, store_id: storeId })
    .onConflict((conflict) => conflict.columns(['store_id', 'id']).doUpdateSet({ ...row, gone_at: null }))
    .execute()
}

/** Whether another personal coupon has this prefix. Locks the prefix until the end of the transaction. */
export async function isPrefixUsed({ db, storeId }: StoreTx, code: string, id: string): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`personal coupon ${storeId} ${code}`}, 0))`.execute(db)
  const rows = await db
    .selectFrom('coupons')
    .select('id')
    .where('store_id', '=', storeId)
    .where('kind', '=', 'personal')
    .where('code', '=', code)
    .where('gone_at', 'is', null)
    .where('id', '<>', id)
    .execute()
  return rows.length > 0
}

export function updateCoupon({ db, storeId }: StoreDb, id: string, change: Updateable<CouponsTable>) {
  return db.updateTable('coupons').set(change).where('store_id', '=', storeId).where('id', '=', id).execute()
}

const CLOCKS_DIFFER_MS = 60_000

/**
 * Returns undefined if the coupon does not exist or is locked. A lock that ends much later was set before the clock was
 * set back, so it is ignored.
 */
export function lockCoupon({ db, storeId }: StoreDb, id: string, { now, until }: { now: Date; until: Date }) {
  return db
    .updateTable('coupons')
    .set({ locked_until: until })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .where('gone_at', 'is', null)
    .where(({ or, eb }) =>
      or([
        eb('locked_until', 'is', null),
        eb('locked_until', '<=', now),
        eb('locked_until', '>', new Date(until.getTime() + CLOCKS_DIFFER_MS)),
      ]),
    )
    .returningAll()
    .executeTakeFirst()
}

/** Leaves a later lock in place. */
export function unlockCoupon({ db, storeId }: StoreDb, id: string, until: Date) {
  return db
    .updateTable('coupons')
    .set({ locked_until: null })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .where('locked_until', '=', until)
    .execute()
}

/** Finds coupons by the store's id, including deleted ones, or by the id in their mark. */
export function selectKnownCoupons({ db, storeId }: StoreDb, platformIds: readonly string[], ids: readonly string[]) {
  return db
    .selectFrom('coupons')
    .select(['id', 'platform_id'])
    .where('store_id', '=', storeId)
    .where(({ or, eb }) =>
      or([
        eb('platform_id', '=', sql<string>`any(${[...platformIds]}::text[])`),
        eb('id', '=', sql<string>`any(${[...ids]}::uuid[])`),
      ]),
    )
    .execute()
}

/** A coupon as listed by the store. */
export interface ListedRow {
  id: string
  made_by: 'recoup' | 'store'
  platform_id: string
  code: string
  type: string
  platform_type: string
  percent: number | null
  amount_minor: number | null
  currency: string
  min_spend_minor: number | null
  max_spend_minor: number | null
  ends_at: string | null
  usage_limit: number | null
  usage_count: number
  is_active: boolean
  terms: object
  modified_at: string | null
  created_at: string
}

/**
 * The store's values win, but those of a later read stay. A read in the future was made before the clock was set back,
 * so it does not win. Values that the store does not know are not changed: the start, and the real end of a withheld
 * coupon, until its end is changed in the store.
 */
export async function upsertListed(
  { db, storeId }: StoreDb,
  rows: readonly ListedRow[],
  readAt: Date,
  now: Date,
): Promise<void> {
  await sql`
    insert into coupons as c (store_id, id, made_by, kind, platform_id, code, type, platform_type, percent, amount_minor, currency,
      min_spend_minor, max_spend_minor, ends_at, usage_limit, usage_count, is_active, terms, modified_at, created_at, seen_at)
    select ${storeId}::uuid, r.id, r.made_by, 'shared', r.platform_id, r.code, r.type, r.platform_type, r.percent, r.amount_minor,
      r.currency, r.min_spend_minor, r.max_spend_minor, r.ends_at, r.usage_limit, r.usage_count, r.is_active, r.terms,
      r.modified_at, r.created_at, ${readAt}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(id uuid, made_by text, platform_id text, code text, type text,
      platform_type text, percent integer, amount_minor bigint, currency text, min_spend_minor bigint, max_spend_minor bigint,
      ends_at timestamptz, usage_limit integer, usage_count integer, is_active boolean, terms jsonb, modified_at timestamptz,
      created_at timestamptz)
    order by r.id
    on conflict (store_id, id) do update set
      platform_id = excluded.platform_id, code = excluded.code, type = excluded.type, platform_type = excluded.platform_type,
      percent = excluded.percent, amount_minor = excluded.amount_minor, currency = excluded.currency,
      min_spend_minor = excluded.min_spend_minor, max_spend_minor = excluded.max_spend_minor,
      ends_at = case when ${stillWithheld(readAt)} then c.ends_at else excluded.ends_at end,
      is_withheld = ${stillWithheld(readAt)},
      is_active = case when c.made_by = 'store' then excluded.is_active when ${stillWithheld(readAt)} then c.is_active
        else c.is_active or c.is_withheld end,
      usage_limit = excluded.usage_limit, usage_count = excluded.usage_count, terms = excluded.terms,
      modified_at = excluded.modified_at, seen_at = excluded.seen_at, gone_at = null
    where c.seen_at <= excluded.seen_at or c.seen_at > ${now}`.execute(db)
}

const stillWithheld = (readAt: Date) =>
  sql`(c.is_withheld and coalesce(excluded.ends_at <= ${readAt}::timestamptz, false))`

/** Marks coupons as seen that exist in the store but could not be read. */
export async function markRead({ db, storeId }: StoreDb, platformIds: readonly string[], readAt: Date): Promise<void> {
  await db
    .updateTable('coupons')
    .set({ seen_at: readAt })
    .where('store_id', '=', storeId)
    .where('platform_id', '=', sql<string>`any(${[...platformIds]}::text[])`)
    .where('seen_at', '<', readAt)
    .execute()
}

/** Call after a complete listing only. Returns those created here. */
export async function closeUnseen({ db, storeId }: StoreDb, readBefore: Date, now: Date): Promise<string[]> {
  const rows = await db
    .updateTable('coupons')
    .set({ gone_at: now })
    .where('store_id', '=', storeId)
    .where('platform_id', 'is not', null)
    .where('gone_at', 'is', null)
    .where('seen_at', '<', readBefore)
    .returning(['id', 'made_by'])
    .execute()
  return rows.filter(({ made_by }) => made_by === 'recoup').map(({ id }) => id)
}

/** Store ids of shared coupons created here, which are read by id. */
export async function selectOwnPlatformIds({ db, storeId }: StoreDb): Promise<string[]> {
  const rows = await db
    .selectFrom('coupons')
    .select('platform_id')
    .where('store_id', '=', storeId)
    .where('made_by', '=', 'recoup')
    .where('platform_id', 'is not', null)
    .where('gone_at', 'is', null)
    .orderBy('id')
    .execute()
  return rows.map(({ platform_id }) => platform_id!)
}

export async function saveUses(
  { db, storeId }: StoreDb,
  uses: readonly { platform_id: string; usage_count: number }[],
): Promise<void> {
  await sql`
    update coupons c set usage_count = r.usage_count
    from jsonb_to_recordset(${JSON.stringify(uses)}::jsonb) as r(platform_id text, usage_count integer)
    where c.store_id = ${storeId} and c.platform_id = r.platform_id and c.usage_count <> r.usage_count`.execute(db)
}

/** Lower bound for the size of a listing: coupons of our copy and personal codes. */
export async function countInStore({ db, storeId }: StoreDb): Promise<number> {
  const rows = await sql<{ n: number }>`
    select (select count(*) from coupons where store_id = ${storeId} and platform_id is not null and gone_at is null)
      + (select count(*) from coupon_codes where store_id = ${storeId} and state = 'made') as n`.execute(db)
  return rows.rows[0]!.n
}

/** Connected stores with write access and a coupon to start. */
export async function selectStoresToStart(db: Db, now: Date): Promise<string[]> {
  const rows = await sql<{ store_id: string }>`
    select distinct c.store_id from coupons c join stores s on s.id = c.store_id
    where c.is_withheld and c.is_active and c.gone_at is null and c.starts_at <= ${now} and s.is_active and s.can_write`.execute(
    db,
  )
  return rows.rows.map(({ store_id }) => store_id)
}

export function selectCouponsToStart({ db, storeId }: StoreDb, now: Date) {
  return db
    .selectFrom('coupons')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('is_withheld', '=', true)
    .where('is_active', '=', true)
    .where('gone_at', 'is', null)
    .where('starts_at', '<=', now)
    .orderBy('starts_at')
    .limit(100)
    .execute()
}

/** Marks the coupon as written. Returns false if it changed since it was read. */
export async function markStarted(
  { db, storeId }: StoreDb,
  read: CouponRow,
  change: Pick<Updateable<CouponsTable>, 'terms' | 'seen_at'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('coupons')
    .set({ ...change, is_withheld: false })
    .where('store_id', '=', storeId)
    .where('id', '=', read.id)
    .where('is_withheld', '=', true)
    .where('is_active', '=', true)
    .where('starts_at', 'is not distinct from', read.starts_at)
    .where('ends_at', 'is not distinct from', read.ends_at)
    .where('gone_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Removes the coupon from flow steps and returns them. */
export async function removeFromSteps({ db, storeId }: StoreTx, couponId: string) {
  const rows = await sql<StepRow>`
    update flow_steps s set coupon_id = null from flows f
    where s.store_id = ${storeId} and s.coupon_id = ${couponId} and f.store_id = s.store_id and f.id = s.flow_id
    returning f.id as flow_id, f.name as flow_name, s.step`.execute(db)
  return rows.rows
}

export interface StepRow {
  flow_id: string
  flow_name: string
  step: number
}

/** Whether one of the upper-case codes is a shared coupon created here. */
export async function hasOwnCoupon({ db, storeId }: StoreTx, codes: readonly string[]): Promise<boolean> {
  const rows = await sql`
    select 1 from coupons c where c.store_id = ${storeId} and c.code collate "C" = any(${[...codes]}::text[])
      and c.gone_at is null and c.made_by = 'recoup' and c.kind = 'shared' limit 1`.execute(db)
  return rows.rows.length > 0
}
