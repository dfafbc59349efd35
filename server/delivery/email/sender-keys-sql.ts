import { type Db, sql } from '../../core/db/db.ts'

// SQL for the server's DKIM keys. They belong to the server, not to an account.

export interface SenderKeyRow {
  domain: string
  selector: string
  public_key: string
  encrypted: Buffer
  seen_at: Date | null
}

export function readSenderKey(db: Db, domain: string): Promise<SenderKeyRow | undefined> {
  return db
    .selectFrom('sender_keys')
    .select(['domain', 'selector', 'public_key', 'encrypted', 'seen_at'])
    .where('domain', '=', domain)
    .executeTakeFirst()
}

/** Inserts the key unless another process has done so. */
export async function insertSenderKey(
  db: Db,
  row: Omit<SenderKeyRow, 'seen_at'> & { created_at: Date },
): Promise<void> {
  await db
    .insertInto('sender_keys')
    .values(row)
    .onConflict((conflict) => conflict.column('domain').doNothing())
    .execute()
}

export async function noteKeyLook(db: Db, domain: string, isSeen: boolean, now: Date): Promise<void> {
  await sql`update sender_keys set checked_at = ${now}, seen_at = case when ${isSeen} then ${now}::timestamptz end
    where domain = ${domain}`.execute(db)
}

/** Takes the keys not checked since then and marks them as checked, so that only one worker checks each. */
export async function takeKeysToCheck(db: Db, before: Date, now: Date): Promise<SenderKeyRow[]> {
  const rows = await sql<SenderKeyRow>`update sender_keys set checked_at = ${now}
    where coalesce(checked_at, created_at) < ${before} returning domain, selector, public_key, encrypted, seen_at`.execute(
    db,
  )
  return rows.rows
}
