import { type StoreDb, sql } from '../core/db.ts'
import { brandOfStore } from './fragments.ts'
import type { StoredBrand } from './rules.ts'

// Brand kits: SQL and nothing else.

export async function readBrand({ db, storeId }: StoreDb): Promise<StoredBrand | null> {
  const rows = await sql<{ brand: StoredBrand | null }>`select ${brandOfStore(sql`${storeId}::uuid`)} as brand`.execute(
    db,
  )
  return rows.rows[0]?.brand ?? null
}
