import { type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'
import { isCountedOrder } from './fragments.ts'

// SQL for the links between orders, touches and carts.

/** Human touches of these shoppers, oldest first (A1). */
export async function selectTouches({ db, storeId }: StoreDb, shopperIds: readonly string[]) {
  return db
    .selectFrom('touchpoints')
    .select(['id', 'shopper_id', 'message_id', 'at'])
    .where('store_id', '=', storeId)
    .where('shopper_id', '=', sql<string>`any(${[...shopperIds]}::uuid[])`)
    .where('is_human', '=', true)
    .orderBy('at')
    .execute()
}

export interface Attribution {
  order_id: string
  cart_id: string | null
  touchpoint_id: string | null
  message_id: string | null
}

export async function attributeOrders({ db, storeId }: StoreTx, orders: readonly Attribution[]): Promise<void> {
  if (orders.length === 0) return
  await sql`
    update orders set cart_id = a.cart_id, touchpoint_id = a.touchpoint_id, message_id = a.message_id
    from jsonb_to_recordset(${JSON.stringify(orders)}::jsonb)
      as a(order_id text, cart_id uuid, touchpoint_id uuid, message_id uuid)
    where orders.store_id = ${storeId} and orders.order_id = any(${orders.map((order) => order.order_id)}::text[])
      and orders.order_id = a.order_id`.execute(db)
}

export async function selectPurchases({ db, storeId }: StoreDb, shopperIds: readonly string[]) {
  if (shopperIds.length === 0) return []
  return db
    .selectFrom('orders')
    .select(['order_id', 'shopper_id', 'purchased_at', 'is_staff', 'cart_id', 'touchpoint_id', 'parent_id'])
    .select(
      sql<string[] | null>`(select array_agg(p.order_id) from orders p
        where p.store_id = orders.store_id and p.parent_id = orders.order_id)`.as('part_ids'),
    )
    .where('store_id', '=', storeId)
    .where('shopper_id', '=', sql<string>`any(${[...shopperIds]}::uuid[])`)
    .where('purchased_at', 'is not', null)
    .execute()
}

/** Carts by the order that ended them. */
export async function selectEndedCarts(
  { db, storeId }: StoreDb,
  shopperIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await sql<{ id: string; order_id: string | null }>`
    select id, fold #>> '{episode,orderId}' as order_id from carts
    where store_id = ${storeId} and shopper_id = any(${[...shopperIds]}::uuid[])
      and status in ('recovered', 'purchased')`.execute(db)
  return new Map(rows.rows.flatMap((row) => (row.order_id === null ? [] : [[row.order_id, row.id] as const])))
}

/**
 * Marks purchased carts whose order was cancelled or fully refunded: they keep their state but no longer count (S3). A
 * free order counts, unless it is a request for a quote.
 */
export async function markVoidCarts({ db, storeId }: StoreTx, shopperIds: readonly string[]): Promise<void> {
  await sql`
    update carts c set is_void = v.is_void
    from (select b.id, b.status in ('recovered', 'purchased') and coalesce(o.is_void, false) as is_void from carts b
      left join lateral (select not bool_or(${isCountedOrder}) as is_void
        from orders o where o.store_id = ${storeId} and o.cart_id = b.id and o.purchased_at is not null) o on true
      where b.store_id = ${storeId} and b.shopper_id = any(${[...shopperIds]}::uuid[]) and b.status <> 'merged') v
    where c.store_id = ${storeId} and c.id = v.id and c.is_void <> v.is_void`.execute(db)
}
