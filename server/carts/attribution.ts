import type { StoreTx } from '../db.ts'
import * as sql from './sql.ts'

/**
 * Gives every order of the shopper to the last human touch in the window before it, or to none (A1, A2). Each order once;
 * staff orders never. Cart and order are joined where the order ended the cart.
 */
export async function attributeOrders(
  tx: StoreTx,
  store: { attribution_window_days: number },
  shopperId: string,
): Promise<void> {
  const orders = await sql.ordersOf(tx, shopperId)
  if (orders.length === 0) return
  const carts = await sql.endedCarts(tx, shopperId)
  for (const order of orders) {
    const cartId = carts.find((cart) => cart.fold.episode?.orderId === order.order_id)?.id ?? null
    const until = order.purchased_at!
    const from = new Date(until.getTime() - store.attribution_window_days * 86_400_000)
    const touch = order.is_staff ? undefined : await sql.lastTouch(tx, shopperId, from, until)
    const values = { cart_id: cartId, touch_id: touch?.id ?? null, message_id: touch?.message_id ?? null }
    const isSame = order.cart_id === values.cart_id && order.touch_id === values.touch_id
    if (!isSame) await sql.attributeOrder(tx, order.order_id, values)
  }
}
