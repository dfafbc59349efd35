import { PLANNED_EACH_TIME, type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'
import type { StoredFilters } from '../../core/schema/public.ts'
import { type AudienceFilter, isAmongItems, isAmongKeys, matchesWithoutProduct } from './fragments.ts'

// SQL for saved audiences and their size.

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

/** Serializes concurrent additions, so that both see the correct count. */
export async function lockAudiences({ db, storeId }: StoreTx): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`audiences:${storeId}`}, 0))`.execute(db)
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from audiences where store_id = ${storeId}`.execute(db)
  return rows[0]!.count
}

/** false: the name exists, ignoring case. */
export async function insertAudience({ db, storeId }: StoreTx, row: AudienceRow, now: Date): Promise<boolean> {
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

/**
 * Counts distinct shoppers by an index-only scan of `carts_audience`; only carts with more products than the index
 * holds are read.
 * With a generic plan, PostgreSQL would treat every range as narrow and read the carts in it.
 */
export async function countMatching({ db, storeId }: StoreDb, filter: AudienceFilter): Promise<number> {
  const { productId } = filter.filters
  const reached = (cart: 'c' | 'n') => sql`store_id = ${storeId} and ${matchesWithoutProduct(storeId, filter, cart)}`
  const total =
    productId === undefined
      ? sql`select count(distinct c.shopper_id)::int as total from carts c where c.${reached('c')}`
      : sql`select (select count(distinct c.shopper_id) from carts c where c.${reached('c')} and ${isAmongKeys(productId, 'c')})::int
        + (select count(distinct c.shopper_id) from carts c
          where c.${reached('c')} and c.product_keys is null and ${isAmongItems(productId, 'c')}
            and not exists (select 1 from carts n where n.shopper_id = c.shopper_id
              and n.${reached('n')} and ${isAmongKeys(productId, 'n')} offset 0))::int as total`
  const { rows } = await sql<{ total: number }>`${PLANNED_EACH_TIME} ${total}`.execute(db)
  return rows[0]!.total
}
