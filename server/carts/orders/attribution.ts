import type { StoreTx } from '../../core/db/db.ts'
import * as sql from './attribution-sql.ts'

// Which touch a purchase is owed to (A1, A2). Carts need it to know recovered from purchased (S3), orders to be attributed.

interface Window {
  attribution_window_days: number
}

export interface Evidence {
  /** By their ids. */
  orders: Map<string, Purchase>
  /** By the id of any order of the same purchase (A6). */
  purchases: Map<string, Purchase>
  touches: Map<string, Touch[]>
}

type Purchase = Awaited<ReturnType<typeof sql.purchasesOf>>[number]
type Touch = Awaited<ReturnType<typeof sql.touchesOf>>[number]

/** What these shoppers bought, and what they did with our messages. */
export async function readEvidence(tx: StoreTx, shopperIds: readonly string[]): Promise<Evidence> {
  const orders = await sql.purchasesOf(tx, shopperIds)
  const buyers = [...new Set(orders.flatMap((order) => order.shopper_id ?? []))]
  const rows = buyers.length > 0 ? await sql.touchesOf(tx, buyers) : []
  return {
    orders: new Map(orders.map((order) => [order.order_id, order])),
    purchases: new Map([
      ...orders.flatMap((order) => relatedIds(order).map((id) => [id, order] as const)),
      ...orders.map((order) => [order.order_id, order] as const),
    ]),
    touches: Map.groupBy(rows, (touch) => touch.shopper_id),
  }
}

/** The parts of an order, and the one it is said to be a part of though it counts by itself. */
const relatedIds = ({ part_ids, parent_id }: Purchase): string[] => [
  ...(parent_id ? [parent_id] : []),
  ...(part_ids ?? []),
]

/** Stores tell the time of a purchase in whole seconds: what was done within that second was done before it. */
export function secondsEnd(purchasedAt: Date): number {
  return Math.floor(purchasedAt.getTime() / 1_000) * 1_000 + 999
}

/** The shopper's last human touch in the window before a purchase. */
export function lastTouch({ touches }: Evidence, shopperId: string, until: Date, store: Window): Touch | undefined {
  const from = until.getTime() - store.attribution_window_days * 86_400_000
  const isWithin = (touch: Touch) => touch.at.getTime() <= secondsEnd(until) && touch.at.getTime() >= from
  return touches.get(shopperId)?.findLast(isWithin)
}

/**
 * Gives every order of these shoppers to the last human touch in the window before it, or to none (A1, A2). Each order once;
 * staff orders never. Cart and order are joined where the order ended the cart.
 */
export async function attributeOrders(tx: StoreTx, store: Window, evidence: Evidence): Promise<void> {
  const orders = [...evidence.orders.values()]
  if (orders.length === 0) return
  const buyers = [...new Set(orders.map((order) => order.shopper_id!))]
  const carts = await sql.endedCarts(tx, buyers)
  const attributed = orders.map((order) => {
    const until = order.purchased_at!
    const touch = order.is_staff ? undefined : lastTouch(evidence, order.shopper_id!, until, store)
    const ended = [order.order_id, ...relatedIds(order)].find((id) => carts.has(id))
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
