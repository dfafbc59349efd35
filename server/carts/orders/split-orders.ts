import type { StoreDb, StoreTx } from '../../core/db/public.ts'
import type { ShopperKey } from '../../shoppers/shoppers/public.ts'
import { recordCouponUse } from './coupon-use.ts'
import * as parts from './split-orders-sql.ts'
import * as sql from './sql.ts'

// Writes our copy of the store's orders. Marketplaces store one purchase as several orders: the parent, and a part for
// each vendor (A6).

/** Content hash of each known order. */
export const readKnownHashes = (store: StoreDb, orderIds: readonly string[]) => sql.readKnownHashes(store, orderIds)

/** Key to lock so that parts and parent of a purchase are recorded one after the other. */
export const listParentKeys = ({ order }: { order?: Pick<sql.OrderRow, 'parent_id'> }): ShopperKey[] =>
  order?.parent_id ? [{ kind: 'order', value: order.parent_id }] : []

/** Writes each order once and updates earlier parents. Returns orders that were unproven before. */
export async function writeOrders(tx: StoreTx, orders: readonly sql.OrderRow[]): Promise<string[]> {
  if (orders.length === 0) return []
  const ids = orders.map((order) => order.order_id)
  const known = await parts.selectKnownOrders(tx, ids)
  await sql.upsertOrders(tx, orders)
  const parents = orders.flatMap((order) => order.parent_id ?? [])
  const before = known.flatMap(({ parent_id }) => parent_id ?? [])
  await parts.settleParts(tx, [...new Set([...ids, ...before, ...parents])])
  await recordCouponUse(tx, orders)
  return known.filter(({ is_unproven }) => is_unproven).map(({ order_id }) => order_id)
}
