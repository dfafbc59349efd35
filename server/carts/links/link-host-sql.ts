import { type Db, type StoreDb, sql, type Tx } from '../../core/db/public.ts'

// SQL for shops' own hosts for links.

export interface LinkHostRow {
  store_id: string
  host: string
  checked_at: Date | null
  proven_at: Date | null
  passed_at: Date | null
  problem: string | null
}

export async function readLinkHost({ db, storeId }: StoreDb): Promise<LinkHostRow | undefined> {
  const rows = await sql<LinkHostRow>`select store_id, host, checked_at, proven_at, passed_at, problem from link_hosts
    where store_id = ${storeId}`.execute(db)
  return rows.rows[0]
}

export type Claim = Pick<LinkHostRow, 'store_id' | 'host'>

/** Stores an unproven claim, which gives the store no rights to the host. */
export async function saveLinkHost({ db, storeId }: StoreDb, host: string, now: Date): Promise<void> {
  await sql`
    insert into link_hosts (store_id, host, created_at, next_check_at) values (${storeId}, ${host}, ${now}, ${now})
    on conflict (store_id) do update set host = excluded.host, created_at = excluded.created_at, checked_at = null,
      proven_at = null, failing_since = null, passed_at = null, problem = null, next_check_at = excluded.next_check_at`.execute(
    db,
  )
}

/** The store with the proven host. Locks the host, so that two proofs are handled one after the other. */
export async function lockProven(db: Tx, host: string): Promise<Claim[]> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`link host ${host}`}, 0))`.execute(db)
  const rows = await sql<Claim>`select store_id, host from link_hosts
    where host = ${host} and proven_at is not null for update`.execute(db)
  return rows.rows
}

export async function markProven({ db, storeId }: StoreDb<Tx>, host: string, now: Date): Promise<void> {
  await sql`update link_hosts set proven_at = ${now}
    where store_id = ${storeId} and host = ${host} and proven_at is null`.execute(db)
}

export async function clearProven(db: Tx, { store_id, host }: Claim, problem: string): Promise<void> {
  await sql`update link_hosts set proven_at = null, passed_at = null, failing_since = null, problem = ${problem}
    where store_id = ${store_id} and host = ${host}`.execute(db)
}

/** Deletes unproven claims made before `unproven`, and hosts that have failed since `failing`. */
export async function deleteExpired(db: Db, { unproven, failing }: { unproven: Date; failing: Date }): Promise<void> {
  await sql`delete from link_hosts where (proven_at is null and created_at < ${unproven}) or failing_since < ${failing}`.execute(
    db,
  )
}

export async function deleteLinkHost({ db, storeId }: StoreDb): Promise<void> {
  await sql`delete from link_hosts where store_id = ${storeId}`.execute(db)
}

/** Only if the host is still the checked one. */
export async function recordCheck(
  { db, storeId }: StoreDb,
  { host, problem, now, again }: { host: string; problem: string | null; now: Date; again: Date },
): Promise<void> {
  await sql`update link_hosts set checked_at = ${now}, problem = ${problem}, next_check_at = ${again},
      passed_at = case when ${problem}::text is null and proven_at is not null then ${now}::timestamptz end,
      failing_since = case when ${problem}::text is not null and proven_at is not null
        then coalesce(failing_since, ${now}::timestamptz) end
    where store_id = ${storeId} and host = ${host}`.execute(db)
}

/** Hosts due for a check, each claimed by one process. */
export async function claimDueHosts(db: Db, now: Date, again: Date): Promise<Claim[]> {
  const rows = await sql<Claim>`
    update link_hosts set next_check_at = ${again}
    where store_id in (select store_id from link_hosts where next_check_at <= ${now}
      order by next_check_at limit 20 for update skip locked)
    returning store_id, host`.execute(db)
  return rows.rows
}

/** Whether the host serves links only: it does when proven, regardless of the last check. */
export async function isLinkHost(db: Db, host: string): Promise<boolean> {
  const rows = await sql`select 1 from link_hosts where host = ${host} and proven_at is not null`.execute(db)
  return rows.rows.length > 0
}
