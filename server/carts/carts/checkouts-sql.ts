import { type StoreDb, sql } from '../../core/db/db.ts'

// Statements on checkouts.

/** Returns those keys whose fact is stored. */
export async function selectKnownFacts({ db, storeId }: StoreDb, uniqueKeys: readonly string[]): Promise<Set<string>> {
  if (uniqueKeys.length === 0) return new Set()
  const rows = await db
    .selectFrom('facts')
    .select('unique_key')
    .where('store_id', '=', storeId)
    .where('unique_key', '=', sql<string>`any(${[...uniqueKeys]}::text[])`)
    .execute()
  return new Set(rows.map((row) => row.unique_key))
}
