// The Store API wc/store/v1: cart and checkout by session cookie and Nonce, or by Cart-Token alone.
import {
  addItem,
  applyCoupon,
  createCouponError,
  type DroppedCoupon,
  dropInvalidCoupons,
  priceCart,
  removeCoupon,
  removeItem,
  setQuantity,
} from './cart.ts'
import { buildDraftOrder, findOpenOrder, placeOrder, syncDraft, type Visitor } from './checkout.ts'
import { checkAtPlacing } from './coupon-rules.ts'
import { findCouponByCode } from './coupons.ts'
import { noAddress } from './customers.ts'
import { buildReceivedUrl } from './order-shape.ts'
import type { Order } from './orders.ts'
import { isEmail } from './php.ts'
import { readConsentTexts, recordBoxAnswers } from './plugin-boxes.ts'
import { mergeAddress } from './rest/order-write.ts'
import type { Action, Body, HttpCall, HttpReply, RestReply, RestRequest, Route } from './rest.ts'
import { answerRest, listObjects } from './rest.ts'
import { RestError } from './rest-error.ts'
import {
  buildSessionCookies,
  createCartToken,
  createNonce,
  createSession,
  findSessionByCookie,
  findSessionByToken,
  isValidNonce,
  type Session,
  saveSession,
} from './sessions.ts'
import { readSeconds, type Shop } from './shop.ts'
import { presentCart } from './store-cart.ts'
import { announce } from './webhooks.ts'

/** `dropped`: coupons that became invalid before or by this request. */
type ApiRequest = { shop: Shop; session: Session; body: Body; visitor: Visitor; dropped: DroppedCoupon[] }
type Change = (visit: ApiRequest) => void

const cart = '/wc/store/v1/cart'

/** Creates the routes for one request, bound to its session. */
export function answerStoreApi(shop: Shop, wire: HttpCall): Promise<HttpReply> {
  const { session, hasToken } = findSession(shop, wire)
  const visitor = { ip: wire.ip, userAgent: String(wire.headers['user-agent'] ?? '') }
  const guard = (request: RestRequest): ApiRequest => {
    if (request.method !== 'GET' && !hasToken) checkNonce(shop, request.headers.nonce)
    const dropped = dropInvalidCoupons(shop, session)
    if (dropped.length) saveSessionAndDraft(shop, session)
    return { shop, session, body: request.body, visitor, dropped }
  }
  return answerRest(shop, storeRoutes(guard), wire).then((reply) => withShopperHeaders(shop, session, reply))
}

function storeRoutes(guard: (request: RestRequest) => ApiRequest): Route[] {
  const action = (run: Action['run']): Action => ({ can: 'public', run })
  const change = (work: Change, status = 200) => action((request) => applyChange(guard(request), work, status))
  const part = (name: 'coupons' | 'items') =>
    action((request) => {
      const { shop, session } = guard(request)
      return { body: presentCart(shop, session)[name] }
    })
  const post = (action: string, work: Change, status = 200): Route => {
    return { pattern: buildPathPattern(`${cart}/${action}`), POST: change(work, status) }
  }
  return [
    { pattern: buildPathPattern(cart), GET: action((request) => buildCartReply(guard(request))) },
    post('add-item', addToCart, 201),
    post('update-item', ({ shop, session, body }) =>
      setQuantity(shop, session, String(body.key), Number(body.quantity)),
    ),
    post('remove-item', ({ session, body }) => removeItem(session, String(body.key))),
    post('apply-coupon', addCoupon),
    post('remove-coupon', dropCoupon),
    post('update-customer', updateCustomer),
    post('select-shipping-rate', ({ session, body }) => chooseRate(session, body)),
    {
      pattern: buildPathPattern(`${cart}/coupons`),
      GET: part('coupons'),
      POST: change(addCoupon, 201),
      DELETE: action((request) => ({
        ...applyChange(guard(request), ({ session }) => clearCoupons(session)),
        body: [],
      })),
    },
    { pattern: buildPathPattern(`${cart}/items`), GET: part('items') },
    {
      pattern: buildPathPattern('/wc/store/v1/checkout'),
      GET: action((request) => openCheckout(guard(request))),
      // The block updates the checkout by a POST with a PUT override header and the ticked boxes
      // (additional-fields.json).
      PUT: action((request) =>
        request.query.__experimental_calc_totals ? renewCheckout(guard(request)) : postCheckout(guard(request)),
      ),
    },
  ]
}

function findSession(shop: Shop, wire: HttpCall): { session: Session; hasToken: boolean } {
  const token = wire.headers['cart-token']
  const byToken = typeof token === 'string' ? findSessionByToken(shop, token) : undefined
  if (byToken) return { session: byToken, hasToken: true }
  const cookie = wire.headers.cookie
  const byCookie = findSessionByCookie(shop, typeof cookie === 'string' ? cookie : undefined)
  return { session: byCookie ?? createSession(shop), hasToken: false }
}

function checkNonce(shop: Shop, nonce: unknown) {
  if (typeof nonce !== 'string' || nonce === '') {
    const text = 'Missing the Nonce header. This endpoint requires a valid nonce.'
    throw new RestError(401, 'woocommerce_rest_missing_nonce', text)
  }
  if (!isValidNonce(shop, nonce)) throw new RestError(403, 'woocommerce_rest_invalid_nonce', 'Nonce is invalid.')
}

function applyChange(visit: ApiRequest, work: Change, status = 200): RestReply {
  const { shop, session } = visit
  work(visit)
  visit.dropped.push(...dropInvalidCoupons(shop, session))
  saveSessionAndDraft(shop, session)
  return { ...buildCartReply(visit), status }
}

function saveSessionAndDraft(shop: Shop, session: Session) {
  saveSession(shop, session)
  syncDraft(shop, session)
}

function buildCartReply({ shop, session, dropped }: ApiRequest): RestReply {
  return { body: presentCart(shop, session, dropped) }
}

function addToCart({ shop, session, body }: ApiRequest) {
  const choices = listObjects(body.variation).map(({ attribute, value }) => ({
    attribute: String(attribute),
    value: String(value),
  }))
  addItem(shop, session, Number(body.id), Math.max(1, Math.floor(Number(body.quantity ?? 1)) || 1), choices)
}

function addCoupon({ shop, session, body }: ApiRequest) {
  applyCoupon(shop, session, String(body.code ?? ''))
}

function dropCoupon({ session, body }: ApiRequest) {
  const code = String(body.code ?? '').toLowerCase()
  if (!session.coupons.includes(code))
    throw createCouponError({ message: 'Coupon cannot be removed because it is not already applied to the cart.' })
  removeCoupon(session, code)
}

function clearCoupons(session: Session) {
  session.coupons = []
}

function chooseRate(session: Session, body: Body) {
  session.rateId = String(body.rate_id ?? '')
}

// Like sanitize_email(), stores an invalid email as empty text without an error.
function updateCustomer({ shop, session, body }: ApiRequest) {
  session.billing = mergeAddress(session.billing, body.billing_address)
  session.shipping = mergeAddress(session.shipping, body.shipping_address)
  if (!isEmail(session.billing.email)) session.billing.email = ''
  announce(shop, 'action.woocommerce_store_api_cart_update_customer_from_request', [])
}

function openCheckout({ shop, session, visitor }: ApiRequest): RestReply {
  requireItems(shop, session)
  const order = buildDraftOrder(shop, session, visitor)
  return { body: presentCheckout(order, { payment_status: '', payment_details: [], redirect_url: '' }) }
}

function renewCheckout({ shop, session, body, visitor }: ApiRequest): RestReply {
  requireItems(shop, session)
  recordBoxAnswers(shop, session, body.additional_fields)
  const order = buildDraftOrder(shop, session, visitor)
  return { body: presentCheckout(order, { payment_status: '', payment_details: [], redirect_url: '' }) }
}

function postCheckout(visit: ApiRequest): RestReply {
  const { shop, session, body, visitor } = visit
  requireItems(shop, session)
  recordBoxAnswers(shop, session, body.additional_fields)
  session.billing = mergeAddress({ ...session.billing }, body.billing_address)
  session.shipping = mergeAddress({ ...noAddress }, body.shipping_address ?? body.billing_address)
  session.paymentMethod = String(body.payment_method ?? '')
  saveSession(shop, session)
  checkCoupons(visit)
  const data = listObjects(body.payment_data)
  const mode = String(data.find(({ key }) => key === 'testcard_mode')?.value ?? '')
  const payment = {
    method: session.paymentMethod,
    mode,
    note: String(body.customer_note ?? ''),
    agreed: { ...readConsents(body), ...readConsentTexts(session) },
  }
  const { order } = placeOrder(shop, session, visitor, payment)
  if (order.status === 'failed') {
    throw new RestError(400, 'woocommerce_rest_checkout_process_payment_error', 'Your card was declined.')
  }
  const redirect = buildReceivedUrl(shop, order)
  const details = [
    { key: 'result', value: 'success' },
    { key: 'redirect', value: redirect },
  ]
  const payment_result = { payment_status: 'success', payment_details: details, redirect_url: redirect }
  return { body: presentCheckout(order, payment_result) }
}

/**
 * Checks coupons again with the order's address. Rejected ones leave the cart, and the shopper confirms again (409).
 */
function checkCoupons({ shop, session }: ApiRequest) {
  const refused = session.coupons.flatMap((code) => {
    const message = checkAtPlacing(findCouponByCode(shop, code)!, session.billing.email)
    return message ? [{ code, message }] : []
  })
  if (!refused.length) return
  for (const { code } of refused) removeCoupon(session, code)
  saveSessionAndDraft(shop, session)
  const codes = refused.map(({ code }) => `"${code}"`).join(', ')
  const text =
    refused.length === 1
      ? `${codes} was removed from the cart. ${refused[0]!.message}`
      : `Invalid coupons were removed from the cart: ${codes}`
  const removed_coupons = Object.fromEntries(refused.map(({ code, message }) => [code, message]))
  throw new RestError(409, 'woocommerce_rest_cart_coupon_errors', text, {
    removed_coupons,
    cart: presentCart(shop, session),
  })
}

/** Reads the plugin's checkout extension: the text of each given consent. */
function readConsents({ extensions }: Body): Record<string, string> {
  const fields = (extensions as { recoup?: Record<string, unknown> } | undefined)?.recoup ?? {}
  const channels = ['email', 'sms', 'whatsapp'].filter((channel) => typeof fields[channel] === 'string')
  return Object.fromEntries(channels.map((channel) => [channel, String(fields[channel]).slice(0, 1_000)]))
}

function requireItems(shop: Shop, session: Session) {
  if (session.items.length && priceCart(shop, session).lines.length) return
  const text = 'Cannot place an order, your cart is empty.'
  // The real store also returns a 0 next to the status.
  throw new RestError(409, 'woocommerce_rest_cart_empty', text, { 0: 400, cart: presentCart(shop, session) })
}

function presentCheckout(order: Order, payment_result: unknown) {
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

function withShopperHeaders(shop: Shop, session: Session, reply: HttpReply): HttpReply {
  const { hash } = priceCart(shop, session)
  const headers = {
    ...reply.headers,
    'cart-token': createCartToken(shop, session),
    ...(hash ? { 'cart-hash': hash } : {}),
    nonce: createNonce(shop),
    'nonce-timestamp': String(readSeconds(shop)),
    'user-id': '0',
    'access-control-expose-headers': 'X-WP-Total, X-WP-TotalPages, Link, Cart-Token',
  }
  const hasState = session.items.length > 0 || findOpenOrder(shop, session) || session.orderIds.length > 0
  return { ...reply, headers, cookies: hasState ? buildSessionCookies(shop, session, hash) : [] }
}

function buildPathPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('/', '\\/')}$`)
}
