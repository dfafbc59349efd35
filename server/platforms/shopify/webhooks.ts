import { createHash, createHmac } from 'node:crypto'
import { isSameSecret } from '../../core/common/public.ts'
import { isPublicHost } from '../../core/net/public.ts'
import {
  isRecord,
  type PlatformCart,
  type PlatformItem,
  parseId,
  parseWebAddress,
  type RawDelivery,
  type StoreEvent,
  type StoreKeys,
  toPlainText,
} from '../platform/public.ts'

import { getPath, instant, parseAmount, parseGid } from './fields.ts'

import { parseToken } from './order-wire.ts'

// Webhooks only speed things up: they arrive twice, late, in any order or not at all, and after eight failures in a row
// Shopify drops the subscription. Their bodies have no published schema, so we read little more than an id.

export const TOPICS = [
  'CHECKOUTS_CREATE',
  'CHECKOUTS_UPDATE',
  'CHECKOUTS_DELETE',
  'CARTS_CREATE',
  'CARTS_UPDATE',
  'ORDERS_CREATE',
  'ORDERS_PAID',
  'ORDERS_UPDATED',
  'ORDERS_CANCELLED',
  'CUSTOMERS_UPDATE',
  'CUSTOMERS_EMAIL_MARKETING_CONSENT_UPDATE',
  'CUSTOMERS_MARKETING_CONSENT_UPDATE',
  'CUSTOMERS_WHATS_APP_MARKETING_CONSENT_UPDATE',
  'PRODUCTS_UPDATE',
  'APP_UNINSTALLED',
  'APP_SCOPES_UPDATE',
] as const

/** Shopify delivers to public https addresses only. */
export function canDeliverTo(publicUrl: string): boolean {
  const url = new URL(publicUrl)
  return url.protocol === 'https:' && isPublicHost(url.hostname)
}

/** The app's secret signs them, never the token. */
export const webhookSecret = (keys: StoreKeys): string | null =>
  keys.kind === 'shopify_app' ? keys.clientSecret : keys.kind === 'shopify_token' ? keys.apiSecret : null

/** Verifies a delivery over its raw bytes. null: missing or wrong signature, so reply 401 and store nothing. */
export function readDelivery(raw: RawDelivery, secret: string): StoreEvent | null {
  const signature = header(raw, 'x-shopify-hmac-sha256')
  // With an empty secret every signature could be forged.
  if (signature === null || secret === '') return null
  const expected = createHmac('sha256', secret).update(raw.rawBody).digest()
  if (!isSameSecret(Buffer.from(signature, 'base64'), expected)) return null
  const topic = toPlainText(header(raw, 'x-shopify-topic'), 200) ?? ''
  return readEvent(topic, { key: deliveryKey(raw, topic), body: parse(raw.rawBody) })
}

/** One event can be delivered for several topics, and each repeatedly. */
function deliveryKey(raw: RawDelivery, topic: string): string {
  const id = toPlainText(header(raw, 'x-shopify-event-id') ?? header(raw, 'x-shopify-webhook-id'), 200)
  return [topic, id ?? createHash('sha256').update(raw.rawBody).digest('hex')].join('|')
}

interface Delivery {
  key: string
  body: unknown
}

type Reader = (topic: string, delivered: Delivery) => StoreEvent | null

const readOrderEvent: Reader = (topic, { key, body }) => {
  const orderId = readId(body)
  if (!orderId) return null
  return { kind: 'order', topic, order: { orderId }, key }
}

const readCheckoutEvent: Reader = (topic, { key, body }) => {
  const checkoutId = readId(body)
  const tokens = {
    checkoutToken: parseToken(getPath(body, 'token')),
    cartToken: parseToken(getPath(body, 'cart_token')),
  }
  if (!checkoutId) return null
  return { kind: 'checkout', topic, checkoutId, ...tokens, key }
}

const readCustomerEvent: Reader = (topic, { key, body }) => {
  const customerId = parseId(getPath(body, 'customer_id')) ?? readId(body)
  if (!customerId) return null
  return { kind: 'customer', topic, customerId, key }
}

const readProductEvent: Reader = (topic, { key, body }) => {
  const productId = readId(body)
  if (!productId) return null
  return { kind: 'product', topic, productId, key }
}

const readCartEvent: Reader = (topic, { key, body }) => {
  const cart = readCart(body)
  return cart ? { kind: 'cart', topic, cart, key } : null
}

/**
 * The required content of each body. The signature covers the body, not the topic: without this check, any signed body
 * under another topic could erase people or the whole shop.
 */
const REQUIRED_CONTENT = {
  data: ['shop_id', 'customer', 'orders_requested'],
  redact_customer: ['shop_id', 'customer', 'orders_to_redact'],
  redact_shop: ['shop_id', 'shop_domain'],
} as const

const privacy =
  (request: keyof typeof REQUIRED_CONTENT): Reader =>
  (topic, { key, body }) => {
    if (!isRecord(body) || REQUIRED_CONTENT[request].some((name) => !Object.hasOwn(body, name))) return null
    // It names the shop and no record of it.
    if (request === 'redact_shop' && Object.hasOwn(body, 'id')) return null
    const customer = getPath(body, 'customer')
    const text = (name: string) => toPlainText(getPath(customer, name), 254)
    return {
      kind: 'privacy',
      topic,
      key,
      request,
      customerId: parseId(getPath(customer, 'id')),
      email: text('email'),
      phone: text('phone'),
    }
  }

/** By topic as in the header: `orders/create`. */
const READERS: readonly (readonly [topic: RegExp, read: Reader])[] = [
  [/^orders\//, readOrderEvent],
  [/^checkouts\//, readCheckoutEvent],
  [/^carts\//, readCartEvent],
  [/^customers\/data_request$/, privacy('data')],
  [/^customers\/redact$/, privacy('redact_customer')],
  [/^shop\/redact$/, privacy('redact_shop')],
  [/^customers(_[a-z_]{1,60})?\//, readCustomerEvent],
  [/^products\//, readProductEvent],
  [/^app\/uninstalled$/, (topic, { key }) => ({ kind: 'uninstalled', topic, key })],
  [/^app\/scopes_update$/, (topic, { key }) => ({ kind: 'scopes', topic, key })],
]

function readEvent(topic: string, delivered: Delivery): StoreEvent {
  const read = READERS.find(([pattern]) => pattern.test(topic))?.[1]
  return read?.(topic, delivered) ?? { kind: 'other', topic, key: delivered.key }
}

const readId = (body: unknown): string | null =>
  parseId(getPath(body, 'id')) ?? parseGid(getPath(body, 'admin_graphql_api_id'))

/** A cart's items; null without a token. A cart names no person. */
function readCart(body: unknown): PlatformCart | null {
  const cartToken = parseToken(getPath(body, 'token')) ?? parseToken(getPath(body, 'id'))
  const modifiedAt = instant(getPath(body, 'updated_at'))
  if (!cartToken || !modifiedAt) return null
  const lines = getPath(body, 'line_items')
  const items = (Array.isArray(lines) ? lines.slice(0, 500) : []).map(readItem).filter((item) => item !== null)
  return { cartToken, modifiedAt, items }
}

function readItem(line: unknown): PlatformItem | null {
  const [productId, variationId] = [parseId(getPath(line, 'product_id')), parseId(getPath(line, 'variant_id'))]
  const quantity = getPath(line, 'quantity')
  if (!isRecord(line) || !productId || typeof quantity !== 'number' || !Number.isInteger(quantity)) return null
  if (quantity < 1 || quantity > 1_000_000) return null
  const price = parseAmount(getPath(line, 'price_set', 'shop_money'))
  return {
    productId,
    variationId,
    quantity,
    name: toPlainText(line.title, 300) ?? `#${productId}`,
    sku: toPlainText(line.sku, 100),
    unitPriceMinor: Math.max(price?.amountMinor ?? 0, 0),
    imageUrl: parseWebAddress(line.image),
  }
}

function parse(rawBody: Buffer): unknown {
  try {
    return JSON.parse(rawBody.toString('utf8'))
  } catch {
    return null
  }
}

function header(raw: RawDelivery, name: string): string | null {
  const value = raw.headers[name]
  return (Array.isArray(value) ? value[0] : value) ?? null
}
