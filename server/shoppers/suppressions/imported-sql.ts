import { type AccountTx, sql } from '../../core/db/public.ts'
import type { InsertedEntry } from './sql.ts'

// SQL for entries from imports of consents.

/** Returns the number of new entries. One from another import belongs to both; one of another origin is unchanged. */
export async function insertImported(
  { db, accountId }: AccountTx,
  importId: string,
  entries: readonly InsertedEntry[],
  { source, at }: { source: string; at: Date },
): Promise<number> {
  const rows = await sql<{ isNew: boolean }>`
    insert into suppressions (account_id, address_hash, channel, address, reason, source, created_at, note, import_ids)
    select distinct on (2, 3, 5) ${accountId}::uuid, decode(e.hash, 'hex'), e.channel, e.address, e.reason, ${source}, ${at}::timestamptz,
      e.note, array[${importId}]::uuid[]
    from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as e(address text, hash text, channel text, reason text, note text)
    order by 2, 3, 5
    on conflict (account_id, address_hash, channel, reason) do update set import_ids = suppressions.import_ids || excluded.import_ids
      where not suppressions.import_ids @> excluded.import_ids
    returning cardinality(import_ids) = 1 as "isNew"`.execute(db)
  return rows.rows.filter(({ isNew }) => isNew).length
}

/** Deletes entries of this import only, and records their removal. */
export async function removeImported(
  { db, accountId }: AccountTx,
  importId: string,
  { userId, at }: { userId: string; at: Date },
): Promise<void> {
  await sql`
    update suppressions set import_ids = array_remove(import_ids, ${importId}::uuid)
    where account_id = ${accountId} and import_ids @> array[${importId}]::uuid[]`.execute(db)
  await sql`
    with deleted as (
      delete from suppressions where account_id = ${accountId} and import_ids = '{}' returning *)
    insert into suppression_removals (account_id, id, address_hash, address, channel, reason, source, created_at, removed_by, removed_at)
    select account_id, gen_random_uuid(), address_hash, address, channel, reason, source, created_at, ${userId}::uuid, ${at}
    from deleted`.execute(db)
}
