import type { StoreTx } from '../../core/db/public.ts'
import * as sql from './attribution-sql.ts'

// Finds the touch that a purchase is attributed to (A1, A2). It also decides whether a cart is recovered or purchased
// (S3).

interface StoreWindow {
  attribution_window_days: number
}

export interface Evidence {
  /** By order id. */
  orders: Map<string, Purchase>
  /** By the id of any order of the purchase (A6). */
  purchases: Map<string, Purchase>
  touches: Map<string, Touch[]>
}

type Purchase = Awaited<ReturnType<typeof sql.selectPurchases>>[number]
type Touch = Awaited<ReturnType<typeof sql.selectTouches>>[number]

/** Orders of these shoppers and their touches of our messages. */
export async function readEvidence(tx: StoreTx, shopperIds: readonly string[]): Promise<Evidence> {
  const orders = await sql.selectPurchases(tx, shopperIds)
  const buyers = [...new Set(orders.flatMap((order) => order.shopper_id ?? []))]
  const rows = buyers.length > 0 ? await sql.selectTouches(tx, buyers) : []
  return {
    orders: new Map(orders.map((order) => [order.order_id, order])),
    purchases: new Map([
      ...orders.flatMap((order) => listRelatedIds(order).map((id) => [id, order] as const)),
      ...orders.map((order) => [order.order_id, order] as const),
    ]),
    touches: Map.groupBy(rows, (touch) => touch.shopper_id),
  }
}

/** Ids of an order's parts, and of the parent named by an order that counts on its own. */
const listRelatedIds = ({ part_ids, parent_id }: Purchase): string[] => [
  ...(parent_id ? [parent_id] : []),
  ...(part_ids ?? []),
]

/** Stores date purchases to the second, so a touch within that second counts as earlier. */
export function endOfSecond(purchasedAt: Date): number {
  return Math.floor(purchasedAt.getTime() / 1_000) * 1_000 + 999
}

/** The shopper's last human touch within the window before a purchase. */
export function findLastTouch(
  { touches }: Evidence,
  shopperId: string,
  until: Date,
  store: StoreWindow,
): Touch | undefined {
  const from = until.getTime() - store.attribution_window_days * 86_400_000
  const isWithin = (touch: Touch) => touch.at.getTime() <= endOfSecond(until) && touch.at.getTime() >= from
  return touches.get(shopperId)?.findLast(isWithin)
}

/**
 * Attributes each order of these shoppers to the last human touch in the window before it, or to none (A1, A2). Staff
 * orders are never attributed. Links the order to the cart that it ended.
 */
export async function attributeOrders(tx: StoreTx, store: StoreWindow, evidence: Evidence): Promise<void> {
  const orders = [...evidence.orders.values()]
  if (orders.length === 0) return
  const buyers = [...new Set(orders.map((order) => order.shopper_id!))]
  const carts = await sql.selectEndedCarts(tx, buyers)
  const attributed = orders.map((order) => {
    const until = order.purchased_at!
    const touch = order.is_staff ? undefined : findLastTouch(evidence, order.shopper_id!, until, store)
    const ended = [order.order_id, ...listRelatedIds(order)].find((id) => carts.has(id))
    return { order, cart_id: (ended && carts.get(ended)) ?? null, touch }
  })
  const changed = attributed.filter(
    ({ order, cart_id, touch }) => order.cart_id !== cart_id || order.touchpoint_id !== (touch?.id ?? null),
  )
  await sql.attributeOrders(
    tx,
    changed.map(({ order, cart_id, touch }) => ({
      order_id: order.order_id,
      cart_id,
      touchpoint_id: touch?.id ?? null,
      message_id: touch?.message_id ?? null,
    })),
  )
  await sql.markVoidCarts(tx, buyers)
}
