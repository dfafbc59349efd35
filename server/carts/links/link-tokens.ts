import { type Db, sql } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'

/** Keeps transactions short. */
const SLICE = 1_000

/** Deletes expired links. Returns their number. */
export async function deleteExpiredTokens(deps: Pick<Deps, 'db' | 'now'>, slice = SLICE): Promise<number> {
  const now = deps.now()
  for (let deleted = 0; ; ) {
    const count = await deleteExpired(deps.db, now, slice)
    deleted += count
    if (count < slice) return deleted
  }
}

// SQL for link tokens of all stores.

/** Deletes up to `limit` of them. */
async function deleteExpired(db: Db, now: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from link_tokens t
    using (select store_id, token_hash from link_tokens where expires_at <= ${now}
      order by expires_at limit ${limit}) old
    where t.store_id = old.store_id and t.token_hash = old.token_hash`.execute(db)
  return Number(numAffectedRows ?? 0)
}
