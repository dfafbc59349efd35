// The shopper's API, wc/store/v1: cart and checkout by session cookie and Nonce, or by Cart-Token alone.
import {
  addItem,
  applyCoupon,
  type Choice,
  couponError,
  priceCart,
  removeCoupon,
  removeItem,
  setQuantity,
} from './cart.ts'
import { draftOrder, openOrder, placeOrder, syncDraft, type Visitor } from './checkout.ts'
import { noAddress } from './customers.ts'
import { receivedUrl } from './order-shape.ts'
import type { Order } from './orders.ts'
import { isEmail } from './php.ts'
import { address } from './rest/order-write.ts'
import type { Body, RestReply, RestRequest, Route, Wire, WireReply } from './rest.ts'
import { answerRest } from './rest.ts'
import { RestError } from './rest-error.ts'
import {
  cartToken,
  cookiesOf,
  isNonce,
  newSession,
  type Session,
  saveSession,
  sessionOfCookie,
  sessionOfToken,
  storeNonce,
} from './sessions.ts'
import { nowSeconds, type Shop } from './shop.ts'
import { presentCart } from './store-cart.ts'
import { announce } from './webhooks.ts'

type Visit = { shop: Shop; session: Session; body: Body; visitor: Visitor }
type Change = (visit: Visit) => void

const cart = '/wc/store/v1/cart'

/** Routes for one request: they close over the session its cookie or token names. */
export function answerStoreApi(shop: Shop, wire: Wire): Promise<WireReply> {
  const { session, hasToken } = sessionFor(shop, wire)
  const visitor = { ip: wire.ip, userAgent: String(wire.headers['user-agent'] ?? '') }
  const guard = (request: RestRequest): Visit => {
    if (request.method !== 'GET' && !hasToken) checkNonce(shop, request.headers.nonce)
    return { shop, session, body: request.body, visitor }
  }
  return answerRest(shop, storeRoutes(guard), wire).then((reply) => withShopperHeaders(shop, session, reply))
}

function storeRoutes(guard: (request: RestRequest) => Visit): Route[] {
  const view = { can: 'public' as const, run: (request: RestRequest) => cartReply(guard(request)) }
  const change = (work: Change, status = 200) => ({
    can: 'public' as const,
    run: (request: RestRequest) => changed(guard(request), work, status),
  })
  return [
    { pattern: at(cart), GET: view },
    { pattern: at(`${cart}/add-item`), POST: change(addToCart, 201) },
    {
      pattern: at(`${cart}/update-item`),
      POST: change(({ shop, session, body }) => setQuantity(shop, session, String(body.key), Number(body.quantity))),
    },
    { pattern: at(`${cart}/remove-item`), POST: change(({ session, body }) => removeItem(session, String(body.key))) },
    {
      pattern: at(`${cart}/apply-coupon`),
      POST: change(({ shop, session, body }) => applyCoupon(shop, session, String(body.code ?? ''))),
    },
    { pattern: at(`${cart}/remove-coupon`), POST: change(dropCoupon) },
    { pattern: at(`${cart}/update-customer`), POST: change(updateCustomer) },
    { pattern: at(`${cart}/select-shipping-rate`), POST: change(({ session, body }) => chooseRate(session, body)) },
    {
      pattern: at(`${cart}/coupons`),
      GET: {
        can: 'public',
        run: (request) => ({ body: presentCart(guard(request).shop, guard(request).session).coupons }),
      },
      POST: change(({ shop, session, body }) => applyCoupon(shop, session, String(body.code ?? '')), 201),
      DELETE: {
        can: 'public',
        run: (request) => ({ ...changed(guard(request), ({ session }) => clearCoupons(session)), body: [] }),
      },
    },
    {
      pattern: at(`${cart}/items`),
      GET: {
        can: 'public',
        run: (request) => ({ body: presentCart(guard(request).shop, guard(request).session).items }),
      },
    },
    {
      pattern: at('/wc/store/v1/checkout'),
      GET: { can: 'public', run: (request) => openCheckout(guard(request)) },
      PUT: { can: 'public', run: (request) => postCheckout(guard(request), request.headers) },
    },
  ]
}

function sessionFor(shop: Shop, wire: Wire): { session: Session; hasToken: boolean } {
  const token = wire.headers['cart-token']
  const byToken = typeof token === 'string' ? sessionOfToken(shop, token) : undefined
  if (byToken) return { session: byToken, hasToken: true }
  const cookie = wire.headers.cookie
  const byCookie = sessionOfCookie(shop, typeof cookie === 'string' ? cookie : undefined)
  return { session: byCookie ?? newSession(shop), hasToken: false }
}

function checkNonce(shop: Shop, nonce: unknown) {
  if (typeof nonce !== 'string' || nonce === '') {
    const text = 'Missing the Nonce header. This endpoint requires a valid nonce.'
    throw new RestError(401, 'woocommerce_rest_missing_nonce', text)
  }
  if (!isNonce(shop, nonce)) throw new RestError(403, 'woocommerce_rest_invalid_nonce', 'Nonce is invalid.')
}

function changed(visit: Visit, work: Change, status = 200): RestReply {
  const { shop, session } = visit
  work(visit)
  saveSession(shop, session)
  syncDraft(shop, session)
  return { ...cartReply(visit), status }
}

function cartReply({ shop, session }: Visit): RestReply {
  return { body: presentCart(shop, session) }
}

function addToCart({ shop, session, body }: Visit) {
  const choices = Array.isArray(body.variation) ? (body.variation as Choice[]) : []
  addItem(shop, session, Number(body.id), Math.max(1, Math.floor(Number(body.quantity ?? 1)) || 1), choices)
}

function dropCoupon({ session, body }: Visit) {
  const code = String(body.code ?? '').toLowerCase()
  if (!session.coupons.includes(code))
    throw couponError({ message: 'Coupon cannot be removed because it is not already applied to the cart.' })
  removeCoupon(session, code)
}

function clearCoupons(session: Session) {
  session.coupons = []
}

function chooseRate(session: Session, body: Body) {
  session.rateId = String(body.rate_id ?? '')
}

// An email that is none is taken without complaint and kept as empty text, as sanitize_email() leaves it.
function updateCustomer({ shop, session, body }: Visit) {
  session.billing = address(session.billing, body.billing_address)
  session.shipping = address(session.shipping, body.shipping_address)
  if (!isEmail(session.billing.email)) session.billing.email = ''
  announce(shop, 'action.woocommerce_store_api_cart_update_customer_from_request', [])
}

function openCheckout({ shop, session, visitor }: Visit): RestReply {
  requireItems(shop, session)
  const order = draftOrder(shop, session, visitor)
  return { body: presentCheckout(shop, order, { payment_status: '', payment_details: [], redirect_url: '' }) }
}

function postCheckout(visit: Visit, headers: RestRequest['headers']): RestReply {
  const { shop, session, body, visitor } = visit
  requireItems(shop, session)
  session.billing = address({ ...session.billing }, body.billing_address)
  session.shipping = address({ ...noAddress }, body.shipping_address ?? body.billing_address)
  session.paymentMethod = String(body.payment_method ?? '')
  saveSession(shop, session)
  const data = Array.isArray(body.payment_data) ? (body.payment_data as { key: string; value: string }[]) : []
  const mode = data.find(({ key }) => key === 'testcard_mode')?.value ?? String(headers['x-testcard-mode'] ?? '')
  const payment = { method: session.paymentMethod, mode, note: String(body.customer_note ?? '') }
  const { order } = placeOrder(shop, session, visitor, payment)
  if (order.status === 'failed') {
    throw new RestError(400, 'woocommerce_rest_checkout_process_payment_error', 'Your card was declined.')
  }
  const redirect = receivedUrl(shop, order)
  const details = [
    { key: 'result', value: 'success' },
    { key: 'redirect', value: redirect },
  ]
  const payment_result = { payment_status: 'success', payment_details: details, redirect_url: redirect }
  return { body: presentCheckout(shop, order, payment_result) }
}

function requireItems(shop: Shop, session: Session) {
  if (session.items.length && priceCart(shop, session).lines.length) return
  const text = 'Cannot place an order, your cart is empty.'
  // The 0 beside the status is how the real store nests the two.
  throw new RestError(409, 'woocommerce_rest_cart_empty', text, { 0: 400, cart: presentCart(shop, session) })
}

function presentCheckout(_shop: Shop, order: Order, payment_result: unknown) {
  return {
    order_id: order.id,
    status: order.status,
    order_key: order.orderKey,
    order_number: String(order.id),
    customer_note: order.customerNote,
    customer_id: order.customerId,
    billing_address: order.billing,
    shipping_address: order.shipping,
    payment_method: order.paymentMethod,
    payment_result,
    additional_fields: {},
    __experimentalCart: null,
    extensions: {},
  }
}

function withShopperHeaders(shop: Shop, session: Session, reply: WireReply): WireReply {
  const { hash } = priceCart(shop, session)
  const headers = {
    ...reply.headers,
    'cart-token': cartToken(shop, session),
    ...(hash ? { 'cart-hash': hash } : {}),
    nonce: storeNonce(shop),
    'nonce-timestamp': String(nowSeconds(shop)),
    'user-id': '0',
    'access-control-expose-headers': 'X-WP-Total, X-WP-TotalPages, Link, Cart-Token',
  }
  const isKept = session.items.length > 0 || openOrder(shop, session) || session.orderIds.length > 0
  return { ...reply, headers, cookies: isKept ? cookiesOf(shop, session, hash) : [] }
}

function at(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('/', '\\/')}$`)
}
