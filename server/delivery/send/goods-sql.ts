import { type StoreDb, sql } from '../../core/db/public.ts'
import type { ItemRef } from '../../platforms/platform/public.ts'

/** Returns the distinct items in the carts of these messages. */
export async function listItems({ db, storeId }: StoreDb, ids: readonly string[]): Promise<ItemRef[]> {
  const rows = await sql<ItemRef>`
    select distinct i."productId", i."variationId" from messages m
    join carts c on c.store_id = m.store_id and c.id = m.cart_id
    cross join lateral jsonb_to_recordset(c.items) as i("productId" text, "variationId" text)
    where m.store_id = ${storeId} and m.id = any(${[...ids]}::uuid[])
    order by 1, 2`.execute(db)
  return rows.rows
}
