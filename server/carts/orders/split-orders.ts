import type { StoreDb, StoreTx } from '../../core/db/db.ts'
import type { ShopperKey } from '../../shoppers/shoppers/rules.ts'
import { recordCouponUse } from './coupon-use.ts'
import * as parts from './split-orders-sql.ts'
import * as sql from './sql.ts'

// The mirror of the store's orders. One purchase may be several of them, as marketplaces keep it: the order that was placed, and one for
// each vendor (A6).

export type { OrderRow } from './sql.ts'

/** Which of these orders we already have in just this state. */
export const knownHashes = (store: StoreDb, orderIds: readonly string[]) => sql.knownHashes(store, orderIds)

/** Parts and whole of one purchase are recorded one after the other, whoever reports them. */
export const familyKeys = ({ order }: { order?: Pick<sql.OrderRow, 'parent_id'> }): ShopperKey[] =>
  order?.parent_id ? [{ kind: 'order', value: order.parent_id }] : []

/** Each order once. An order may have been a part of another before. Answers which were unproven until now. */
export async function writeOrders(tx: StoreTx, orders: readonly sql.OrderRow[]): Promise<string[]> {
  if (orders.length === 0) return []
  const ids = orders.map((order) => order.order_id)
  const known = await parts.knownAmong(tx, ids)
  await sql.upsertOrders(tx, orders)
  const parents = orders.flatMap((order) => order.parent_id ?? [])
  const before = known.flatMap(({ parent_id }) => parent_id ?? [])
  await parts.settleParts(tx, [...new Set([...ids, ...before, ...parents])])
  await recordCouponUse(tx, orders)
  return known.filter(({ is_unproven }) => is_unproven).map(({ order_id }) => order_id)
}
