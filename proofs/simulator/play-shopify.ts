import type { Checkout, Order } from '../../providers/shopify/model.ts'
import { insertOrder } from '../../providers/shopify/orders.ts'
import {
  buildCartBody,
  buildEmailConsentBody,
  buildSmsConsentBody,
  buildWhatsAppConsentBody,
  checkoutBody,
  orderBody,
} from '../../providers/shopify/payloads.ts'
import { sumLines } from '../../providers/shopify/pricing.ts'
import { find, save } from '../../providers/shopify/records.ts'
import { pullCheckouts } from '../../server/carts/sync/checkouts.ts'
import { pullCustomers } from '../../server/carts/sync/local-copies.ts'
import { importOrders } from '../../server/carts/sync/sync.ts'
import type { SyncResult } from '../../server/carts/sync/sync-jobs.ts'
import type { PlatformOrder } from '../../server/platforms/platform/platform.ts'
import { normalizePhone } from '../../shared/core/contact.ts'
import type { Actor } from './actors.ts'
import { recordConsents, sendDelivery } from './deliveries.ts'
import type { ActOf, Harness } from './harness.ts'
import { listNumbers } from './people.ts'
import type { OrderVersion } from './shop.ts'
import { buildAddress, buildLines, buildVariantId, findCustomerId, type ShopifyShop } from './shop-shopify.ts'
import type { ShopifyAct, ShopifyOrderFields } from './shopify.ts'

// Events in a Shopify shop: they change the shop itself, which sends webhooks and replies to queries.

type Players = { [Each in ShopifyAct['do']]: (harness: Harness, act: ActOf<Each>) => Promise<unknown> }

export const shopifyPlayers = (findWorker: (harness: Harness, worker: number) => Promise<Actor>): Players => ({
  async checkout(harness, act) {
    const shop = harness.shopify!
    for (const typed of [act.email, act.phone]) if (typed) harness.usable.add(listNumbers(typed)[0]!)
    const { checkout, isNew } = keepCheckout(shop, act, harness)
    tick(harness, checkout, act.ticks)
    const topic = isNew ? 'checkouts/create' : 'checkouts/update'
    await sendDelivery(harness, { topic, body: checkoutBody(shop.store.shop, checkout) }, act.webhook)
  },
  async 'cart reported'(harness, { browser, items, webhook }) {
    const { shop } = harness.shopify!.store
    const at = shop.now()
    const token = buildCartToken(harness, browser)
    const cart = { id: 1, createdAt: at, updatedAt: at, token, key: 'key', lines: [], note: '', attributes: {} }
    const body = buildCartBody(cart, buildLines(harness.shopify!, items))
    await sendDelivery(harness, { topic: 'carts/update', body }, webhook)
  },
  async 'consent kept'(harness, { person, channel, state, isConfirmed, webhook }) {
    const { store } = harness.shopify!
    const { email, typedPhone, country } = harness.people[person]!
    // A customer that the shop already had.
    for (const address of [email, typedPhone]) harness.usable.add(listNumbers(address)[0]!)
    const id = findCustomerId(harness.shopify!, { email, phone: channel === 'email' ? null : typedPhone, country })!
    const name = channel === 'whatsapp' ? 'whatsApp' : channel
    const level = isConfirmed ? 'CONFIRMED_OPT_IN' : 'SINGLE_OPT_IN'
    const customer = store.controls.setConsent(id, name, { state, level: state === 'PENDING' ? null : level })
    if (state === 'SUBSCRIBED')
      harness.consented.add(`${channel}:${listNumbers(channel === 'email' ? email : typedPhone)[0]}`)
    const deliveries = {
      email: ['customers_email_marketing_consent/update', buildEmailConsentBody],
      sms: ['customers_marketing_consent/update', buildSmsConsentBody],
      whatsapp: ['customers_whats_app_marketing_consent/update', buildWhatsAppConsentBody],
    } as const
    const [topic, bodyOf] = deliveries[channel]
    await sendDelivery(harness, { topic, body: bodyOf(store.shop, customer) }, webhook)
  },
  async 'checkouts are read'(harness, { worker }) {
    const actor = await findWorker(harness, worker)
    await recordConsents(harness, actor, () => isDone(pullCheckouts(actor.deps, { storeId: harness.fixture.storeId })))
  },
  async 'customers are read'(harness, { worker }) {
    const actor = await findWorker(harness, worker)
    await recordConsents(harness, actor, () => isDone(pullCustomers(actor.deps, { storeId: harness.fixture.storeId })))
  },
  async import(harness, { worker }) {
    const actor = await findWorker(harness, worker)
    await recordConsents(harness, actor, () => isDone(importOrders(actor.deps, harness.fixture.storeId)))
  },
  async 'token ends'(harness) {
    harness.shopify!.endTokens()
  },
  async 'busy shop'(harness, { refused, points }) {
    const { faults, bucket } = harness.shopify!.store
    faults.throttle(refused)
    if (points !== null) bucket.drain(points)
  },
  async rush(harness, { person }) {
    for (let more = OTHER_ORDERS; more > 0; more--) placeOtherOrder(harness)
    const email = person === null ? null : harness.people[person]!.email
    if (email === null) return
    harness.usable.add(email)
    placeOtherOrder(harness, email)
  },
})

/** A sync counts as done when it read everything; an interrupted list continues the next time. */
const isDone = async (reading: Promise<SyncResult>): Promise<boolean> => (await reading).kind === 'done'

/** More than fit on the first page of a list. */
const OTHER_ORDERS = 12

export const buildCartToken = ({ browsers }: Harness, browser: number): string =>
  `cart-of-browser-${browser}-visit-${browsers[browser]!.visit}`

function keepCheckout(shop: ShopifyShop, act: ActOf<'checkout'>, harness: Harness) {
  const { db } = shop.store.shop
  const known = findOpenCheckout(shop, act.checkout)
  const at = Math.max(shop.store.shop.now(), known ? known.updatedAt + 1 : 0)
  const id = known?.id ?? findFreeCheckout(shop, act.checkout)
  const lines = buildLines(shop, act.items)
  const contact = { email: act.email ?? known?.email ?? null, phone: act.phone ?? known?.phone ?? null }
  const address = buildAddress(act.country, null) ?? known?.address ?? null
  const customerId = findCustomerId(shop, { ...contact, country: act.country })
  const sum = sumLines(lines)
  const checkout = save(db, 'checkout', {
    id,
    createdAt: known?.createdAt ?? at,
    updatedAt: at,
    token: known?.token ?? `checkout-token-${id}`,
    cartToken:
      known?.cartToken ?? (act.browser === null ? `cart-of-checkout-${id}` : buildCartToken(harness, act.browser)),
    key: 'key',
    completedAt: null,
    customerId,
    ...contact,
    locale: 'en',
    lines,
    codes: [],
    reductions: [],
    shipping: 'standard',
    address,
    acceptsEmail: false,
    acceptsSms: false,
    orderId: null,
    subtotalMinor: sum,
    discountMinor: 0,
    shippingMinor: 0,
    totalMinor: sum,
  })
  return { checkout, isNew: !known }
}

const GENERATION = 10

/** null: no checkout was started since the last purchase. */
export function findOpenCheckout({ store }: ShopifyShop, number: number): Checkout | undefined {
  for (let id = 2_000 + number; ; id += GENERATION) {
    const found = find(store.shop.db, 'checkout', id)
    if (!found || found.completedAt === null) return found
  }
}

function findFreeCheckout({ store }: ShopifyShop, number: number): number {
  let id = 2_000 + number
  while (find(store.shop.db, 'checkout', id)) id += GENERATION
  return id
}

function tick(harness: Harness, { customerId, email, phone }: Checkout, ticks: ActOf<'checkout'>['ticks']): void {
  for (const channel of ticks) {
    const address = channel === 'email' ? email : phone
    if (!address || customerId === null || channel === 'whatsapp') continue
    harness.consented.add(`${channel}:${listNumbers(address)[0]}`)
    const consent = { state: 'SUBSCRIBED', level: 'SINGLE_OPT_IN' } as const
    harness.shopify!.store.controls.setConsent(customerId, channel, consent)
  }
}

type Placed = ActOf<'order'> & Partial<ShopifyOrderFields>

/** Places or changes an order; its checkout is then complete. */
export function changeShopifyOrder(
  harness: Harness,
  act: Placed,
): { version: OrderVersion; order: Order; isNew: boolean } {
  const shop = harness.shopify!
  const { db } = shop.store.shop
  const id = 1_000 + act.order
  const known = find(db, 'order', id)
  const checkout = known || act.ofCheckout == null ? undefined : findOpenCheckout(shop, act.ofCheckout)
  const at = Math.max(shop.store.shop.now(), known ? known.updatedAt + 1 : 0)
  const lines = buildLines(shop, act.items)
  const isOver = known ? isCancelled(known) : false
  const ends = isOver || act.kind === 'cancelled'
  const order = known
    ? save(db, 'order', {
        ...known,
        updatedAt: at,
        lines,
        totalMinor: act.totalMinor,
        refundedMinor: act.refundedMinor,
      })
    : insertOrder(shop.store.shop, {
        id,
        createdAt: at,
        updatedAt: at,
        lines,
        totalMinor: act.totalMinor,
        refundedMinor: act.refundedMinor,
        ...buildBuyer(harness, act, checkout),
        financialStatus: act.payment ?? 'PAID',
        address: buildAddress(act.country, act.state),
        sourceName: act.isRenewal ? 'subscription_contract' : act.isStaff ? 'shopify_draft_order' : 'web',
        ...(checkout && { checkoutToken: checkout.token, cartToken: checkout.cartToken }),
      })
  const final = ends && !isOver ? save(db, 'order', { ...order, ...buildEndFields(act, at) }) : order
  if (checkout) save(db, 'checkout', { ...checkout, completedAt: at, orderId: id, updatedAt: at })
  const version = { order: buildReportedOrder(final), since: harness.clock.trueNow() }
  shop.versions.push(version)
  return { version, order: final, isNew: !known }
}

function buildBuyer(harness: Harness, act: Placed, checkout: Checkout | undefined) {
  const byName = act.customerId === null ? null : harness.people.find((each) => each.customerId === act.customerId)!
  const who = { email: act.email ?? byName?.email ?? null, phone: act.phone, country: act.country }
  const customerId = findCustomerId(harness.shopify!, who) ?? checkout?.customerId ?? null
  return { customerId, email: act.email, phone: act.phone }
}

const buildEndFields = ({ isVoided }: Placed, at: number): Partial<Order> =>
  isVoided ? { financialStatus: 'VOIDED' } : { financialStatus: 'REFUNDED', cancelledAt: at, cancelReason: 'CUSTOMER' }

const isCancelled = ({ cancelledAt, financialStatus }: Order) => cancelledAt !== null || financialStatus === 'VOIDED'

const formatSeconds = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`

/** The order as the shop reports it, written independently of our client. */
function buildReportedOrder(order: Order): PlatformOrder {
  const kind = isCancelled(order) ? 'cancelled' : 'purchase'
  return {
    orderId: String(order.id),
    kind,
    status: order.financialStatus,
    currency: 'USD',
    createdAt: formatSeconds(order.createdAt),
    modifiedAt: formatSeconds(order.updatedAt),
    paidAt: kind === 'purchase' ? formatSeconds(order.createdAt) : null,
    totalMinor: order.totalMinor,
    refundedMinor: kind === 'purchase' ? order.refundedMinor : 0,
    customerId: order.customerId === null ? null : String(order.customerId),
    email: order.email,
    phone: normalizePhone(order.phone, null),
    firstName: null,
    lastName: null,
    country: order.address?.countryCode ?? null,
    coupons: [],
    paymentUrl: null,
    checkoutToken: order.checkoutToken,
    cartToken: order.cartToken,
    items: order.lines.map(({ productId, quantity, title, unitMinor }) => ({
      productId: String(productId),
      variationId: buildVariantId(String(productId)),
      name: title,
      sku: null,
      quantity,
      unitPriceMinor: unitMinor,
      imageUrl: null,
    })),
    source: order.sourceName === 'web' ? 'shopper' : order.sourceName === 'subscription_contract' ? 'renewal' : 'staff',
  }
}

/** Orders of an unknown shopper, or of this person, without a delivery. */
function placeOtherOrder(harness: Harness, email = `stranger-${harness.shop.versions.length}@elsewhere.example`): void {
  const shop = harness.shopify!
  const at = shop.store.shop.now()
  const order = insertOrder(shop.store.shop, {
    id: 5_000 + shop.versions.length,
    createdAt: at,
    lines: buildLines(shop, [['18', 1]]),
    totalMinor: 900,
    email,
    customerId: findCustomerId(shop, { email, phone: null, country: null }),
  })
  shop.versions.push({ order: buildReportedOrder(order), since: harness.clock.trueNow() })
}

/** Delivers a placed or changed order. */
export async function deliverOrder(harness: Harness, { order, isNew }: { order: Order; isNew: boolean }, act: Placed) {
  const topic = isNew ? 'orders/create' : isCancelled(order) ? 'orders/cancelled' : 'orders/updated'
  await sendDelivery(harness, { topic, body: orderBody(harness.shopify!.store.shop, order) }, act.webhook)
}
