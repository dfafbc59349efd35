import type { StoreTx } from '../../core/db/db.ts'
import * as sql from './coupon-use-sql.ts'
import type { OrderRow } from './sql.ts'

// Orders name the coupons they were placed with. One with a personal code is a touch of that code's message, by whoever bought (A1).

/** After the orders are written and before purchases are weighed. The same orders again, in whatever order, change nothing. */
export async function recordCouponUse(tx: StoreTx, orders: readonly OrderRow[]): Promise<void> {
  if (orders.length === 0) return
  await sql.writeOrderCoupons(tx, orders)
  const ids = orders.map((order) => order.order_id)
  const used = await sql.markUsedCodes(tx, ids)
  if (used === 0) return
  await sql.insertCouponTouches(tx, ids)
  await sql.insertUseEvents(tx, ids)
}
