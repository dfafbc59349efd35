import type { CartItem } from '../../shared/carts.ts'
import { type StoreDb, sql } from '../db.ts'
import type { Fold } from './fold.ts'

// Restoring: SQL and nothing else.

/** A joined cart's link opens the one it was joined to (S6). */
export async function restorableCart({ db, storeId }: StoreDb, cartId: string) {
  const rows = await sql<{
    id: string
    items: CartItem[]
    value_minor: number
    currency: string
    store_name: string
    home_url: string
    has_checkout_link: boolean
    coupons: string[]
    /** Of the shopper, by id, as last seen. */
    orders: Fold['orders']
  }>`
    select c.id, c.items, c.value_minor, c.currency, c.coupons, s.name as store_name, s.home_url, s.has_checkout_link,
      coalesce(c.fold -> 'orders', '{}') as orders
    from carts o join carts c on c.store_id = o.store_id and c.id = coalesce(o.merged_into, o.id)
    join stores s on s.id = c.store_id
    where o.store_id = ${storeId} and o.id = ${cartId}`.execute(db)
  return rows.rows[0]
}

export interface Availability {
  product_id: string
  variation_id: string
  price_minor: number
  is_available: boolean
  stock_quantity: number | null
}

export async function availabilityOf({ db, storeId }: StoreDb, productIds: readonly string[]): Promise<Availability[]> {
  if (productIds.length === 0) return []
  return db
    .selectFrom('products')
    .select(['product_id', 'variation_id', 'price_minor', 'is_available', 'stock_quantity'])
    .where('store_id', '=', storeId)
    .where('product_id', 'in', [...productIds])
    .execute()
}
