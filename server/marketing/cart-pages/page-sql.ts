import { CART_COLUMNS, type ListedCart, withMerged } from '../../carts/carts/public.ts'
import { type StoreDb, sql } from '../../core/db/public.ts'

// SQL for the page of a cart.

export async function readCart({ db, storeId }: StoreDb, cartId: string): Promise<ListedCart | undefined> {
  const rows = await sql<ListedCart>`
    select ${CART_COLUMNS} from carts o join carts c on c.store_id = o.store_id and c.id = coalesce(o.merged_into, o.id)
    where o.store_id = ${storeId} and o.id = ${cartId}`.execute(db)
  return rows.rows[0]
}

/** Start of the newest order pull that completed (Y3). */
export async function readLastSyncedAt({ db, storeId }: StoreDb): Promise<Date | null> {
  const rows = await sql<{ at: Date | null }>`
    select max(completed_start) as at from sync_state where store_id = ${storeId} and stream in ('order_check', 'sweep', 'import')`.execute(
    db,
  )
  return rows.rows[0]?.at ?? null
}

export function readEvents({ db, storeId }: StoreDb, cartId: string) {
  return db
    .selectFrom('cart_events')
    .select(['at', 'kind', 'detail'])
    .where('store_id', '=', storeId)
    .where('cart_id', '=', cartId)
    .orderBy('at')
    .orderBy('id')
    .execute()
}

export function readTouches({ db, storeId }: StoreDb, cartId: string) {
  return db
    .selectFrom('touchpoints')
    .select(['id', 'message_id', 'kind', 'is_human', 'class_reason', 'at'])
    .where('store_id', '=', storeId)
    .where('cart_id', 'in', withMerged(storeId, cartId))
    .orderBy('at')
    .execute()
}

export function readOrder({ db, storeId }: StoreDb, cartId: string) {
  return db
    .selectFrom('orders')
    .select(['order_id', 'total_minor', 'net_minor', 'currency', 'purchased_at', 'message_id', 'status'])
    .where('store_id', '=', storeId)
    .where('cart_id', '=', cartId)
    .orderBy('purchased_at')
    .limit(1)
    .executeTakeFirst()
}
