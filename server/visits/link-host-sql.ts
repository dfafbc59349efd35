import { type Db, type StoreDb, sql } from '../db.ts'

// Hosts of shops for the links in their mails: SQL and nothing else.

export interface LinkHostRow {
  store_id: string
  host: string
  checked_at: Date | null
  passed_at: Date | null
  problem: string | null
}

export async function readLinkHost({ db, storeId }: StoreDb): Promise<LinkHostRow | undefined> {
  const rows = await sql<LinkHostRow>`select store_id, host, checked_at, passed_at, problem from link_hosts
    where store_id = ${storeId}`.execute(db)
  return rows.rows[0]
}

/** Not used before it is checked. false: another store has it. */
export async function saveLinkHost({ db, storeId }: StoreDb, host: string, now: Date): Promise<boolean> {
  const rows = await sql`
    insert into link_hosts (store_id, host, created_at, next_check_at)
    select ${storeId}, ${host}, ${now}, ${now}
    where not exists (select from link_hosts where host = ${host} and store_id <> ${storeId})
    on conflict (store_id) do update set host = excluded.host, created_at = excluded.created_at, checked_at = null,
      passed_at = null, problem = null, next_check_at = excluded.next_check_at
    returning 1`.execute(db)
  return rows.rows.length > 0
}

export async function deleteLinkHost({ db, storeId }: StoreDb): Promise<void> {
  await sql`delete from link_hosts where store_id = ${storeId}`.execute(db)
}

/** Only of the host that was looked at. */
export async function noteCheck(
  { db, storeId }: StoreDb,
  { host, problem, now, again }: { host: string; problem: string | null; now: Date; again: Date },
): Promise<void> {
  await sql`update link_hosts set checked_at = ${now}, problem = ${problem}, next_check_at = ${again},
      passed_at = case when ${problem}::text is null then ${now}::timestamptz end
    where store_id = ${storeId} and host = ${host}`.execute(db)
}

/** The clock's: those to be looked at by now, each for one process. */
export async function takeDueHosts(db: Db, now: Date, again: Date): Promise<{ store_id: string; host: string }[]> {
  const rows = await sql<{ store_id: string; host: string }>`
    update link_hosts set next_check_at = ${again}
    where store_id in (select store_id from link_hosts where next_check_at <= ${now}
      order by next_check_at limit 20 for update skip locked)
    returning store_id, host`.execute(db)
  return rows.rows
}

/** Whether requests to this host are for links alone, whatever the last check said. */
export async function isLinkHost(db: Db, host: string): Promise<boolean> {
  const rows = await sql`select 1 from link_hosts where host = ${host}`.execute(db)
  return rows.rows.length > 0
}
