import { type Db, type StoreDb, type StoreTx, sql } from '../../core/db/db.ts'
import type { Day } from '../../insights/analytics/days.ts'

// Statements for the schedule of weekly reports, and for created and sent ones.

/** For newly connected stores. */
export async function startClocks(db: Db, now: Date): Promise<void> {
  await sql`
    insert into weekly_report_clocks (store_id, due_at)
    select s.id, ${now} from stores s
    where s.is_active and not exists (select 1 from weekly_report_clocks c where c.store_id = s.id)
    on conflict do nothing`.execute(db)
}

export async function dueClocks(db: Db, now: Date, limit: number): Promise<string[]> {
  const { rows } = await sql<{ store_id: string }>`
    select store_id from weekly_report_clocks where due_at <= ${now} order by due_at limit ${limit}`.execute(db)
  return rows.map(({ store_id }) => store_id)
}

/** False: another process holds it or has done it. */
export async function lockClock({ db, storeId }: StoreTx, now: Date): Promise<boolean> {
  const { rows } = await sql`
    select 1 as due from weekly_report_clocks where store_id = ${storeId} and due_at <= ${now} for update skip locked`.execute(
    db,
  )
  return rows.length > 0
}

export async function setClock({ db, storeId }: StoreTx, at: Date): Promise<void> {
  await sql`update weekly_report_clocks set due_at = ${at} where store_id = ${storeId}`.execute(db)
}

/** Returns the members without this report, and deletes older records. */
export async function addReports({ db, storeId }: StoreTx, userIds: readonly string[], monday: Day): Promise<string[]> {
  await sql`delete from weekly_reports where store_id = ${storeId} and monday < ${monday}::date`.execute(db)
  const { rows } = await sql<{ user_id: string }>`
    insert into weekly_reports (store_id, user_id, monday)
    select ${storeId}, u.id, ${monday}::date from unnest(${[...userIds]}::uuid[]) as u(id)
    on conflict do nothing returning user_id`.execute(db)
  return rows.map(({ user_id }) => user_id)
}

export interface Report {
  userId: string
  monday: Day
}

/** False: already sent. */
export async function claimReport({ db, storeId }: StoreDb, { userId, monday }: Report, now: Date): Promise<boolean> {
  const { rows } = await sql`
    update weekly_reports set handed_at = ${now}
    where store_id = ${storeId} and user_id = ${userId} and monday = ${monday}::date and handed_at is null
    returning user_id`.execute(db)
  return rows.length > 0
}

export async function releaseReport({ db, storeId }: StoreDb, { userId, monday }: Report): Promise<void> {
  await sql`
    update weekly_reports set handed_at = null
    where store_id = ${storeId} and user_id = ${userId} and monday = ${monday}::date`.execute(db)
}
