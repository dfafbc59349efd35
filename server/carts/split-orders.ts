import type { StoreTx } from '../core/db.ts'
import type { ShopperKey } from '../shoppers/rules.ts'
import * as sql from './split-orders-sql.ts'
import type { OrderRow } from './sql.ts'

// One purchase that the shop keeps as several orders, as marketplaces do: the order that was placed, and one for each vendor (A6).

/** Parts and whole of one purchase are recorded one after the other, whoever reports them. */
export const familyKeys = ({ order }: { order?: Pick<OrderRow, 'parent_id'> }): ShopperKey[] =>
  order?.parent_id ? [{ kind: 'order', value: order.parent_id }] : []

/** Writes orders, and has each purchase counted once. An order may have been a part of another before. */
export async function writeFamilies(
  tx: StoreTx,
  orders: readonly OrderRow[],
  write: (tx: StoreTx, orders: readonly OrderRow[]) => Promise<void>,
): Promise<void> {
  if (orders.length === 0) return
  const ids = orders.map((order) => order.order_id)
  const before = await sql.parentsOf(tx, ids)
  await write(tx, orders)
  const parents = orders.flatMap((order) => order.parent_id ?? [])
  await sql.settleParts(tx, [...new Set([...ids, ...before, ...parents])])
}
