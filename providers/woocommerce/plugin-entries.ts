// Builds the plugin's cart and order entries (docs/plugin-protocol.md).
import { createHmac } from 'node:crypto'
import { buildFullName, findProduct, priceMinor } from './catalog.ts'
import { presentOrder } from './order-shape.ts'
import type { Order } from './orders.ts'
import type { Box } from './plugin-link.ts'
import type { Session } from './sessions.ts'
import type { Shop } from './shop.ts'

/** A cart's token, derived from the session without revealing its key. Each order starts a new cart. */
export function createCartToken(shop: Shop, session: Session, ordersBefore = session.orderIds.length): string {
  const text = ordersBefore === 0 ? session.id : `${session.id}:${ordersBefore}`
  return createHmac('sha256', shop.secret).update(text).digest('base64url').slice(0, 32)
}

export function buildCartEntry(shop: Shop, session: Session, boxes: readonly Box[]): Record<string, unknown> {
  const { billing, orderId, said = {}, back } = session
  const contact = {
    email: billing.email,
    phone: billing.phone,
    firstName: billing.first_name,
    lastName: billing.last_name,
  }
  const typed = Object.fromEntries(Object.entries(contact).filter(([, text]) => text))
  return {
    type: 'cart',
    cart: createCartToken(shop, session),
    lines: session.items.map((item) => buildLine(shop, item)),
    coupons: session.coupons,
    currency: shop.pricing.currency,
    ...(Object.keys(typed).length > 0 ? { contact: { ...typed, country: billing.country } } : {}),
    ...(orderId ? { draft: String(orderId) } : {}),
    ...(Object.keys(said).length > 0 ? { consent: said } : {}),
    // The boxes are shown where the draft is created.
    ...(orderId && boxes.length > 0
      ? { boxes: Object.fromEntries(boxes.map(({ channel, id }) => [channel, id])) }
      : {}),
    ...(back ? { back } : {}),
  }
}

export const buildOrderEntry = (shop: Shop, order: Order, cart: string | null): Record<string, unknown> => ({
  type: 'order',
  order: presentOrder(shop, order),
  cart,
  event: 'changed',
})

function buildLine(shop: Shop, { productId, variationId, quantity, chosen = [] }: Session['items'][number]) {
  const product = findProduct(shop, variationId || productId)
  const parent = variationId ? findProduct(shop, productId) : undefined
  return {
    product: String(productId),
    variation: variationId ? String(variationId) : null,
    quantity,
    name: product ? buildFullName(product, parent) : null,
    price: product ? (priceMinor(shop, product) / 100).toFixed(2) : null,
    choices: chosen.map(({ name, option }) => ({ name, value: option })),
  }
}
