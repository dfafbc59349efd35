import { type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'

// SQL for our copy of the store's orders.

export interface OrderRow {
  order_id: string
  kind: string
  status: string
  created_at: string
  modified_at: string
  purchased_at: string | null
  currency: string
  total_minor: number
  net_minor: number
  /** Amount that is not revenue yet, because the order may not be a purchase (S4). */
  waiting_minor: number | null
  /** Never paid, and never in a status that counts. */
  is_unproven: boolean
  email: string | null
  phone: string | null
  is_staff: boolean
  content_hash: string
  customer_id: string | null
  /** The platform's cart token in the order. */
  cart_token: string | null
  shopper_id: string
  /** Parent order of a part (A6). */
  parent_id: string | null
  product_ids: string[]
  is_renewal: boolean
  /** Upper case. */
  coupons: { code: string; discount_minor: number }[]
}

/**
 * Writes the newest state of each order as reported; an older state is ignored (Y1), except for what it proves.
 * `purchased_at` only moves earlier. An amount that counted before never waits again.
 */
export async function upsertOrders({ db, storeId }: StoreTx, orders: readonly OrderRow[]): Promise<void> {
  if (orders.length === 0) return
  await sql`
    insert into orders (store_id, order_id, kind, status, created_at, modified_at, purchased_at, currency, total_minor,
      net_minor, email, phone, is_staff, content_hash, customer_id, cart_token, shopper_id, parent_id, is_renewal, product_ids,
      waiting_minor, is_unproven)
    select ${storeId}, o.order_id, o.kind, o.status, o.created_at, o.modified_at, o.purchased_at, o.currency, o.total_minor,
      case when h.has_counted then coalesce(o.waiting_minor, o.net_minor) else o.net_minor end,
      o.email, o.phone, o.is_staff, o.content_hash, o.customer_id, o.cart_token, o.shopper_id, o.parent_id, o.is_renewal, o.product_ids,
      case when not h.has_counted then o.waiting_minor end, o.is_unproven
    from jsonb_to_recordset(${JSON.stringify(orders)}::jsonb) as o(order_id text, kind text, status text,
      created_at timestamptz, modified_at timestamptz, purchased_at timestamptz, currency text, total_minor bigint,
      net_minor bigint, email text, phone text, is_staff boolean, content_hash text, customer_id text,
      cart_token text, shopper_id uuid, parent_id text, is_renewal boolean, product_ids text[], waiting_minor bigint,
      is_unproven boolean)
    cross join lateral (select exists (select 1 from orders b where b.store_id = ${storeId} and b.order_id = o.order_id
      and not b.is_unproven and coalesce(b.own_net_minor, b.net_minor) > 0) as has_counted) h
    on conflict (store_id, order_id) do update set
      purchased_at = least(coalesce(orders.own_purchased_at, orders.purchased_at), excluded.purchased_at),
      shopper_id = excluded.shopper_id,
      kind = case when excluded.modified_at >= orders.modified_at then excluded.kind else orders.kind end,
      status = case when excluded.modified_at >= orders.modified_at then excluded.status else orders.status end,
      modified_at = case when excluded.modified_at >= orders.modified_at then excluded.modified_at else orders.modified_at end,
      total_minor = case when excluded.modified_at >= orders.modified_at then excluded.total_minor else orders.total_minor end,
      net_minor = case when excluded.modified_at >= orders.modified_at then excluded.net_minor
        when excluded.net_minor > 0 then coalesce(orders.waiting_minor, orders.own_net_minor, orders.net_minor)
        else coalesce(orders.own_net_minor, orders.net_minor) end,
      waiting_minor = case when excluded.modified_at >= orders.modified_at then excluded.waiting_minor
        when excluded.net_minor = 0 then orders.waiting_minor end,
      is_unproven = excluded.is_unproven and (orders.is_unproven or coalesce(orders.own_purchased_at, orders.purchased_at) is null),
      own_purchased_at = null, own_net_minor = null,
      parent_id = case when excluded.modified_at >= orders.modified_at then excluded.parent_id else orders.parent_id end,
      product_ids = case when excluded.modified_at >= orders.modified_at then excluded.product_ids else orders.product_ids end,
      is_renewal = orders.is_renewal or excluded.is_renewal,
      email = case when excluded.modified_at >= orders.modified_at then excluded.email else orders.email end,
      phone = case when excluded.modified_at >= orders.modified_at then excluded.phone else orders.phone end,
      customer_id = case when excluded.modified_at >= orders.modified_at then excluded.customer_id else orders.customer_id end,
      cart_token = coalesce(orders.cart_token, excluded.cart_token),
      content_hash = case when excluded.modified_at >= orders.modified_at then excluded.content_hash else orders.content_hash end`.execute(
    db,
  )
}

/** Content hash of each known order. */
export async function readKnownHashes(
  { db, storeId }: StoreDb,
  orderIds: readonly string[],
): Promise<Map<string, string>> {
  if (orderIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('orders')
    .select(['order_id', 'content_hash'])
    .where('store_id', '=', storeId)
    .where('order_id', '=', sql<string>`any(${[...orderIds]}::text[])`)
    .execute()
  return new Map(rows.map((row) => [row.order_id, row.content_hash]))
}
