import { type Db, sql } from '../../core/db/db.ts'

// Statements on link tokens of all stores.

/** Deletes up to `limit` of them. */
export async function deleteExpired(db: Db, now: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from link_tokens t
    using (select store_id, token_hash from link_tokens where expires_at <= ${now}
      order by expires_at limit ${limit}) old
    where t.store_id = old.store_id and t.token_hash = old.token_hash`.execute(db)
  return Number(numAffectedRows ?? 0)
}
