import type { CartBadge, CartState } from '../../../shared/carts.ts'
import { BADGE } from '../../carts/carts/fragments.ts'
import { COUNTS } from '../../carts/orders/fragments.ts'
import { type StoreDb, sql } from '../../core/db/db.ts'
import { CUSTOMER_COLUMNS } from './fragments.ts'
import type { ListedCustomer } from './list-sql.ts'

// Statements for the customer page. Customers have few rows; for one with many, the newest are shown.

export interface CustomerRow extends ListedCustomer {
  country: string | null
  emails: string[]
  phones: string[]
  unconfirmed: string[]
}

/** undefined also for a shopper without registration or contact, who is no customer. */
export async function readCustomer({ db, storeId }: StoreDb, id: string): Promise<CustomerRow | undefined> {
  const ofKind = (kind: 'email' | 'phone') => sql`array(select value from shopper_keys k
    where k.store_id = s.store_id and k.shopper_id = s.id and k.kind = ${kind} order by value limit 20)`
  const { rows } = await sql<CustomerRow>`
    select ${CUSTOMER_COLUMNS}, s.country, ${ofKind('email')} as emails, ${ofKind('phone')} as phones,
      array(select value from unconfirmed_contacts u where u.store_id = s.store_id and u.shopper_id = s.id
        order by value limit 20) as unconfirmed
    from shoppers s where s.store_id = ${storeId} and s.id = ${id} and s.is_customer`.execute(db)
  return rows[0]
}

export interface CartRow {
  id: string
  item_count: number
  value_minor: number
  currency: string
  badge: CartBadge
  status: CartState
  last_activity_at: Date
  total: number
}

/** Merged carts are covered by the cart they were merged into. */
export async function readCarts({ db, storeId }: StoreDb, shopperId: string, most: number): Promise<CartRow[]> {
  const { rows } = await sql<CartRow>`
    select id, item_count, value_minor, currency, ${BADGE} as badge, status, last_activity_at, count(*) over ()::int as total from carts c
    where store_id = ${storeId} and shopper_id = ${shopperId} and status <> 'merged'
    order by last_activity_at desc, id desc limit ${most}`.execute(db)
  return rows
}

export interface OrderRow {
  order_id: string
  status: string
  total_minor: number
  net_minor: number
  currency: string
  cart_id: string | null
  is_purchase: boolean
  at: Date
  total: number
}

/** Unplaced orders appear as carts, and partial orders within their main order (A6). */
export async function readOrders({ db, storeId }: StoreDb, shopperId: string, most: number): Promise<OrderRow[]> {
  const { rows } = await sql<OrderRow>`
    select o.order_id, o.status, o.total_minor, o.net_minor, o.currency, o.cart_id, o.kind = 'purchase' as is_purchase,
      coalesce(o.purchased_at, o.created_at) as at, count(*) over ()::int as total
    from shopper_keys k join orders o on o.store_id = k.store_id and o.order_id = k.value
    where k.store_id = ${storeId} and k.shopper_id = ${shopperId} and k.kind = 'order' and o.kind <> 'draft'
      and (o.parent_id is null or o.purchased_at is not null
        or not exists (select 1 from orders p where p.store_id = o.store_id and p.order_id = o.parent_id))
    order by at desc, o.order_id desc limit ${most}`.execute(db)
  return rows
}

/** Sums all linked customer records, in the store's currency; undefined if the store reports no totals. */
export async function readLifetime({ db, storeId }: StoreDb, shopperId: string) {
  const { rows } = await sql<{ orders: number; spent_minor: number; currency: string }>`
    select sum(c.orders_count)::int as orders, sum(coalesce(c.spent_minor, 0))::bigint as spent_minor, t.currency
    from shopper_keys k
    join customers c on c.store_id = k.store_id and c.customer_id = k.value
    join stores t on t.id = k.store_id
    where k.store_id = ${storeId} and k.shopper_id = ${shopperId} and k.kind = 'customer' and c.orders_count is not null
    group by t.currency`.execute(db)
  return rows[0]
}

/** By currency. Cancelled and fully refunded orders count as nothing, and other refunds are deducted (S3). */
export async function readValue({ db, storeId }: StoreDb, shopperId: string) {
  const { rows } = await sql<{ currency: string; orders: number; net_minor: number }>`
    select o.currency, count(*)::int as orders, sum(o.net_minor)::bigint as net_minor from orders o
    where o.store_id = ${storeId} and o.shopper_id = ${shopperId} and o.purchased_at is not null and ${COUNTS}
    group by o.currency order by count(*) desc, o.currency`.execute(db)
  return rows
}
