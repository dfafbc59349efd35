import { type StoreDb, sql } from '../core/db.ts'
import type { StoredFilters } from '../schema/campaigns.ts'

// Sets of filters kept by a name: SQL and nothing else.

export interface AudienceRow {
  id: string
  name: string
  filters: StoredFilters
}

/** By name. */
export function listAudiences({ db, storeId }: StoreDb): Promise<AudienceRow[]> {
  return db
    .selectFrom('audiences')
    .select(['id', 'name', 'filters'])
    .where('store_id', '=', storeId)
    .orderBy(sql`lower(name)`)
    .execute()
}

/** false: there is one of this name, in whatever case. */
export async function insertAudience({ db, storeId }: StoreDb, row: AudienceRow, now: Date): Promise<boolean> {
  const { rows } = await sql`
    insert into audiences (store_id, id, name, filters, created_at)
    values (${storeId}, ${row.id}, ${row.name}, ${JSON.stringify(row.filters)}, ${now})
    on conflict (store_id, lower(name)) do nothing returning 1`.execute(db)
  return rows.length > 0
}

export async function deleteAudience({ db, storeId }: StoreDb, id: string): Promise<boolean> {
  const { rows } = await sql`delete from audiences where store_id = ${storeId} and id = ${id} returning 1`.execute(db)
  return rows.length > 0
}
