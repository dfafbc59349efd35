import { type Db, sql, type Tx } from '../../core/db/db.ts'

// Statements for the instance row and the identity of the database.

export function readInstance(db: Db) {
  return db.selectFrom('instance').selectAll().executeTakeFirst()
}

/** Keeps an existing row. */
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

/** Constant for a database, different for a restored or copied one on another server. */
export async function databaseIdentity(db: Db): Promise<string> {
  const found = await sql<{ identity: string }>`
    select (select system_identifier from pg_control_system())::text || '/' || oid::text as identity
    from pg_database where datname = current_database()
  `.execute(db)
  return found.rows[0]!.identity
}
