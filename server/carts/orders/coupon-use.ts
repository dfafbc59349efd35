import type { StoreTx } from '../../core/db/db.ts'
import * as sql from './coupon-use-sql.ts'
import type { OrderRow } from './sql.ts'

// Orders name their coupons. A personal code is a touch of that code's message, by the buyer (A1).

/** Call after the orders are written and before they are attributed. Idempotent, in any order. */
export async function recordCouponUse(tx: StoreTx, orders: readonly OrderRow[]): Promise<void> {
  if (orders.length === 0) return
  await sql.writeOrderCoupons(tx, orders)
  const ids = orders.map((order) => order.order_id)
  const used = await sql.markUsedCodes(tx, ids)
  if (used === 0) return
  await sql.insertCouponTouches(tx, ids)
  await sql.insertUseEvents(tx, ids)
}
