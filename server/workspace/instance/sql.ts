import { type Db, sql, type Tx } from '../../core/db/db.ts'

// The instance: one row, and what tells one database from a copy of it.

export function readInstance(db: Db) {
  return db.selectFrom('instance').selectAll().executeTakeFirst()
}

/** Nothing happens when the row is there. */
export function insertInstance(db: Db, fingerprint: string, now: Date) {
  return db
    .insertInto('instance')
    .values({ fingerprint, created_at: now })
    .onConflict((conflict) => conflict.column('is_only').doNothing())
    .execute()
}

export function pause(db: Db, reason: string) {
  return db.updateTable('instance').set({ is_paused: true, paused_reason: reason }).execute()
}

export function confirm(db: Db | Tx, fingerprint: string) {
  return db.updateTable('instance').set({ is_paused: false, paused_reason: null, fingerprint }).execute()
}

/** What stays the same for one database and differs for its restored or copied twin on another server. */
export async function databaseIdentity(db: Db): Promise<string> {
  const found = await sql<{ identity: string }>`
    select (select system_identifier from pg_control_system())::text || '/' || oid::text as identity
    from pg_database where datname = current_database()
  `.execute(db)
  return found.rows[0]!.identity
}
