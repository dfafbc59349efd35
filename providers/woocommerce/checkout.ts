// From cart to order. Opening the block checkout creates a draft order. Store API changes of cart and address update it
// (emptying the cart does not). Placing the order keeps its id through pending, failed and further attempts.
import { checkCartStock, type PricedCart, type PricedLine, priceCart } from './cart.ts'
import { changeStock, encodeOption } from './catalog.ts'
import { computeNominalAmount } from './coupons.ts'
import { EMPTY_ORDER } from './order-blank.ts'
import {
  type Address,
  addOrder,
  changeStatus,
  findOrder,
  type Meta,
  type Order,
  type OrderLine,
  saveOrder,
} from './orders.ts'
import { isEmail, md5 } from './php.ts'
import { RestError } from './rest-error.ts'
import { type Session, saveSession } from './sessions.ts'
import { gateways, type Shop } from './shop.ts'
import { takeNextId, transact } from './sqlite.ts'

export type Visitor = { ip: string; userAgent: string }
/** `agreed`: text of each given consent, by channel. */
export type Payment = { method: string; mode: string; note: string; agreed?: Record<string, string> }
export type Outcome = { order: Order; isPaid: boolean }

const REUSABLE_STATUSES = ['checkout-draft', 'pending', 'failed']

/** Returns the session's order; creates a draft if there is none. */
export function buildDraftOrder(shop: Shop, session: Session, visitor: Visitor): Order {
  return transact(shop.db, () => {
    const cart = priceCart(shop, session)
    const existing = findOpenOrder(shop, session)
    const order = existing
      ? saveOrder(shop, { ...existing, ...buildContents(shop, session, cart, existing) })
      : addOrder(shop, { ...EMPTY_ORDER, ...visitor, ...buildContents(shop, session, cart) })
    session.orderId = order.id
    saveSession(shop, session)
    return order
  })
}

/** Updates the draft after a Store API change, unless the cart is empty. */
export function syncDraft(shop: Shop, session: Session) {
  const order = findOpenOrder(shop, session)
  if (order?.status !== 'checkout-draft') return
  const cart = priceCart(shop, session)
  if (cart.lines.length) saveOrder(shop, { ...order, ...buildContents(shop, session, cart, order) })
}

export function placeOrder(shop: Shop, session: Session, visitor: Visitor, payment: Payment): Outcome {
  return transact(shop.db, () => {
    checkAddresses(shop, session)
    checkGateway(payment.method)
    checkCartStock(shop, session)
    const draft = buildDraftOrder(shop, session, visitor)
    const meta = [...draft.meta, ...buildConsentMeta(shop, draft, payment.agreed ?? {})]
    const named = saveOrder(shop, { ...draft, meta, customerNote: payment.note })
    const pending = named.status === 'pending' ? named : changeStatus(shop, named, 'pending')
    const outcome = payOrder(shop, pending, payment)
    if (outcome.order.status !== 'failed') clearCart(shop, session, outcome.order.id)
    return outcome
  })
}

/** Consent meta data as the plugin writes it, unless a failed attempt already wrote it. */
function buildConsentMeta(shop: Shop, { meta }: Order, agreed: Record<string, string>): Meta[] {
  const pairs = Object.entries(agreed).flatMap(([channel, wording]) => [
    [`_recoup_consent_${channel}`, 'yes'],
    [`_recoup_consent_${channel}_wording`, wording],
  ])
  return pairs
    .filter(([key]) => !meta.some((existing) => existing.key === key))
    .map(([key, value]) => ({ id: takeNextId(shop.db, 'meta'), key: key!, value: value! }))
}

/** Pays an open order by a gateway. Declined cards set it to failed, off-site payments to pending. */
export function payOrder(shop: Shop, open: Order, { method, mode }: Pick<Payment, 'method' | 'mode'>): Outcome {
  const gateway = checkGateway(method)
  const order = { ...open, paymentMethod: gateway.id, paymentTitle: gateway.title }
  if (method === 'bacs')
    return {
      order: reduceOrderStock(shop, changeStatus(shop, order, 'on-hold', 'Awaiting BACS payment.')),
      isPaid: true,
    }
  if (method === 'cod') {
    return {
      order: reduceOrderStock(shop, changeStatus(shop, order, 'processing', 'Payment to be made upon delivery.')),
      isPaid: true,
    }
  }
  if (mode === 'decline')
    return { order: changeStatus(shop, order, 'failed', 'Your card was declined.'), isPaid: false }
  if (mode === 'pending') return { order: reduceOrderStock(shop, saveOrder(shop, order)), isPaid: false }
  return {
    order: reduceOrderStock(shop, changeStatus(shop, { ...order, transactionId: `txn_${order.id}` }, 'processing')),
    isPaid: true,
  }
}

export function findOpenOrder(shop: Shop, session: Session): Order | undefined {
  const order = session.orderId === null ? undefined : findOrder(shop, session.orderId)
  return order && REUSABLE_STATUSES.includes(order.status) ? order : undefined
}

export function checkAddresses(shop: Shop, session: Session) {
  if (!isEmail(session.billing.email)) {
    throw new RestError(400, 'woocommerce_rest_missing_email_address', 'A valid email address is required')
  }
  checkCountry(shop, session.billing.country, 'we do not allow orders from the provided country')
  checkCountry(shop, session.shipping.country, 'we do not ship orders to the provided country')
  checkFields(session.billing, 'billing')
  checkFields(session.shipping, 'shipping')
}

function checkCountry(shop: Shop, country: string, message: string) {
  if (shop.sellingCountries.includes(country)) return
  const data = { allowed_countries: shop.sellingCountries }
  throw new RestError(400, 'woocommerce_rest_invalid_address_country', `Sorry, ${message} (${country})`, data)
}

const requiredFields: [keyof Address, string][] = [
  ['first_name', 'First name'],
  ['last_name', 'Last name'],
  ['address_1', 'Address'],
  ['city', 'City'],
  ['state', 'State'],
  ['postcode', 'ZIP Code'],
]

function checkFields(address: Address, kind: string) {
  const empty = requiredFields
    // Only US addresses need a state here.
    .filter(([field]) => !address[field].trim() && (field !== 'state' || address.country === 'US'))
    .map(([, label]) => `${label} is required`)
  if (!empty.length) return
  const text = `There was a problem with the provided ${kind} address: ${empty.join(', ')}`
  throw new RestError(400, 'woocommerce_rest_invalid_address', text)
}

function checkGateway(method: string) {
  const gateway = gateways.find(({ id }) => id === method)
  if (gateway) return gateway
  throw new RestError(
    400,
    'woocommerce_rest_checkout_payment_method_disabled',
    'This payment gateway is not available.',
  )
}

function clearCart(shop: Shop, session: Session, orderId: number) {
  session.items = []
  session.coupons = []
  session.orderId = null
  session.orderIds.push(orderId)
  delete session.said
  delete session.back
  saveSession(shop, session)
}

// Stock is reduced once per order, regardless of payment attempts.
function reduceOrderStock(shop: Shop, order: Order): Order {
  if (order.isStockTaken) return order
  const lines = order.lines.map((line) => {
    const isManaged = changeStock(shop, line.variationId || line.productId, line.quantity)
    const reduced = { id: takeNextId(shop.db, 'meta'), ...buildReducedMeta(line.quantity) }
    return isManaged ? { ...line, meta: [...line.meta, reduced] } : line
  })
  return saveOrder(shop, { ...order, lines, isStockTaken: true })
}

function buildReducedMeta(quantity: number) {
  const key = '_reduced_stock'
  return { key, value: String(quantity), display_key: key, display_value: String(quantity) }
}

type Contents = Pick<
  Order,
  | 'billing'
  | 'shipping'
  | 'cartHash'
  | 'meta'
  | 'lines'
  | 'taxLineId'
  | 'taxRateId'
  | 'shippingLines'
  | 'couponLines'
  | 'discountMinor'
  | 'discountTaxMinor'
  | 'shippingMinor'
  | 'taxMinor'
  | 'totalMinor'
  | 'paymentMethod'
>

function buildContents(shop: Shop, session: Session, cart: PricedCart, existing?: Order): Contents {
  const { discountMinor, discountTaxMinor, shippingMinor, taxMinor, totalMinor } = cart
  const chosen = cart.rates.find((rate) => rate.isChosen)
  const takeItemId = () => takeNextId(shop.db, 'item')
  const taxLineId = cart.taxRate ? (existing?.taxLineId ?? takeItemId()) : null
  const title = chosen && { title: chosen.name, method: chosen.method, instance: String(chosen.instance) }
  const ids = existing?.shippingLines[0] ?? { id: takeItemId(), metaId: takeNextId(shop.db, 'meta') }
  return {
    billing: session.billing,
    shipping: session.shipping,
    cartHash: cart.hash,
    meta: buildHashes(shop, session, cart, existing),
    lines: cart.lines.map((line) => orderLine(shop, line, existing)),
    taxLineId,
    taxRateId: cart.taxRate?.id ?? null,
    shippingLines: title ? [{ id: ids.id, metaId: ids.metaId, ...title, totalMinor: shippingMinor }] : [],
    couponLines: cart.coupons.map(({ coupon, ...off }) => ({
      id: existing?.couponLines.find(({ code }) => code === coupon.code)?.id ?? takeItemId(),
      code: coupon.code,
      couponId: coupon.id,
      ...off,
      discountType: coupon.discountType,
      nominalAmount: computeNominalAmount(shop, coupon),
      freeShipping: coupon.freeShipping,
    })),
    discountMinor,
    discountTaxMinor,
    shippingMinor,
    taxMinor,
    totalMinor,
    paymentMethod: session.paymentMethod || gateways[0].id,
  }
}

function buildHashes(shop: Shop, session: Session, cart: PricedCart, existing?: Order): Meta[] {
  const facts: [string, unknown][] = [
    ['_coupons_hash', session.coupons],
    ['_fees_hash', []],
    ['_shipping_hash', cart.rates],
    ['_taxes_hash', [cart.taxRate, cart.taxMinor]],
  ]
  const id = (key: string) => existing?.meta.find((meta) => meta.key === key)?.id ?? takeNextId(shop.db, 'meta')
  const hashed = facts.map(([key, fact]) => ({ id: id(key), key, value: md5(JSON.stringify(fact)) }))
  return [...hashed, { id: id('is_vat_exempt'), key: 'is_vat_exempt', value: 'no' }]
}

function orderLine(shop: Shop, line: PricedLine, existing?: Order): OrderLine {
  const { item, product, parent, name } = line
  const before = existing?.lines.find((old) => old.productId === item.productId && old.variationId === item.variationId)
  const { subtotalMinor, subtotalTaxMinor, totalMinor, totalTaxMinor } = line
  const options = [...product.options, ...(item.chosen ?? [])].map(({ name: label, slug, option }) => {
    const id = before?.meta.find(({ key }) => key === slug)?.id ?? takeNextId(shop.db, 'meta')
    return { id, key: slug, value: encodeOption(slug, option), display_key: label, display_value: option }
  })
  return {
    id: before?.id ?? takeNextId(shop.db, 'item'),
    productId: item.productId,
    variationId: item.variationId,
    name,
    parentName: parent?.name ?? null,
    quantity: item.quantity,
    subtotalMinor,
    subtotalTaxMinor,
    totalMinor,
    totalTaxMinor,
    sku: product.sku,
    picture: product.pictures[0] ?? null,
    meta: options,
  }
}
