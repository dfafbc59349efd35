// Controls for tests and the demo: the clock, the app's installation, the plan, and actions of shoppers and staff.
import { randomBytes } from 'node:crypto'
import { addToCart } from './carts.ts'
import { type CheckoutInput, deleteCheckout, fillCheckout, openCheckout } from './checkouts.ts'
import { type Channel, setConsent } from './customers.ts'
import { sendPrivacyRequest } from './deliver.ts'
import { announce, type Desk } from './events.ts'
import type { CartLine, Checkout, Consent, Customer, Order } from './model.ts'
import { changeOrder, insertOrder, type OrderAction, type Payment, placeOrder } from './orders.ts'
import { buildProductBody, buildShopBody } from './payloads.ts'
import { find, listAll, save, transact } from './records.ts'
import { readSetup, type Setup, writeSetup } from './shop.ts'
import { createAccessToken, expireTokens, revokeTokens } from './tokens.ts'

export interface Controls {
  /** Advances the store's clock. */
  advance(ms: number): void
  setup(): Setup
  setState(state: Setup['state']): void
  setPlan(plan: Setup['plan']): void
  setPassword(password: string | null): void
  /** Kinds of protected customer data that the app may read. */
  setProtectedData(kinds: Setup['app']['protectedData']): void
  /** Scopes of new tokens; existing ones keep theirs unless `isAtOnce`. Sends APP_SCOPES_UPDATE. */
  setScopes(scopes: string[]): void
  setOwner(isOfOwner: boolean): void
  install(): void
  /** Revokes tokens at once; sends APP_UNINSTALLED. */
  uninstall(): void
  expireTokens(): void
  revokeTokens(): void
  /** A token without expiry, as apps created in the admin before 2026 have. */
  legacyToken(scopes?: string[]): string
  /** Returns the new secret. Webhooks are signed with the old one for another `oldForMs`. */
  rotateSecret(oldForMs?: number): string
  /** A shopper fills a cart and starts the checkout. */
  beginCheckout(lines: CartLine[], filled?: CheckoutInput): Checkout
  fillCheckout(id: number, filled: CheckoutInput): Checkout
  deleteCheckout(id: number): boolean
  pay(checkoutId: number, payment?: Payment): Order
  /** Inserts past orders in one transaction without webhooks. */
  insertOrders(orders: Parameters<typeof insertOrder>[1][]): Order[]
  insertCheckouts(checkouts: Checkout[]): void
  changeOrder(id: number, action: OrderAction): Order | null
  setConsent(customerId: number, channel: Channel, consent: Omit<Consent, 'at'>): Customer
  setPrice(variantId: number, priceMinor: number): void
  setStock(variantId: number, stock: number | null): void
  customers(): Customer[]
  /** Sends a privacy request to the address in the app's configuration; returns the HTTP status. */
  privacy(target: string, topic: PrivacyTopic, customer?: Customer): Promise<number>
}

export type PrivacyTopic = 'customers/data_request' | 'customers/redact' | 'shop/redact'

export function createControls(desk: Desk, clock: { aheadMs: number }): Controls {
  return { ...createAppControls(desk, clock), ...createShopperControls(desk), ...createStaffControls(desk) }
}

function createAppControls(desk: Desk, clock: { aheadMs: number }) {
  const { shop } = desk
  const change = (part: Partial<Setup>) => writeSetup(shop, { ...readSetup(shop), ...part })
  const changeApp = (part: Partial<Setup['app']>) => {
    const { app } = readSetup(shop)
    change({ app: { ...app, ...part } })
  }
  return {
    advance: (ms: number) => {
      clock.aheadMs += ms
    },
    setup: () => readSetup(shop),
    setState: (state: Setup['state']) => change({ state }),
    setPlan: (plan: Setup['plan']) => change({ plan }),
    setPassword: (password: string | null) => change({ password }),
    setProtectedData: (protectedData: Setup['app']['protectedData']) => changeApp({ protectedData }),
    setOwner: (isOfOwner: boolean) => changeApp({ isOfOwner }),
    setScopes: (scopes: string[]) => {
      const previous = readSetup(shop).app.scopes
      changeApp({ scopes })
      announce(desk, 'APP_SCOPES_UPDATE', {
        id: 1,
        previous,
        current: scopes,
        updated_at: new Date(shop.now()).toISOString(),
      })
    },
    install: () => changeApp({ isInstalled: true }),
    uninstall: () => {
      changeApp({ isInstalled: false })
      revokeTokens(shop)
      announce(desk, 'APP_UNINSTALLED', buildShopBody(shop))
    },
    expireTokens: () => expireTokens(shop),
    revokeTokens: () => revokeTokens(shop),
    legacyToken: (scopes = readSetup(shop).app.scopes) => createAccessToken(shop, scopes, true),
    rotateSecret: (oldForMs = 0) => {
      const { app } = readSetup(shop)
      const secret = `shpss_${randomBytes(16).toString('hex')}`
      changeApp({ secret, oldSecret: { secret: app.secret, until: shop.now() + oldForMs } })
      return secret
    },
  }
}

function createShopperControls(desk: Desk) {
  const { shop } = desk
  const checkout = (id: number) => {
    const found = find(shop.db, 'checkout', id)
    if (!found) throw new Error(`There is no checkout ${id}.`)
    return found
  }
  return {
    beginCheckout: (lines: CartLine[], filled?: CheckoutInput) => {
      const fresh = openCheckout(desk, addToCart(desk, undefined, lines))
      return filled ? fillCheckout(desk, fresh, filled) : fresh
    },
    fillCheckout: (id: number, filled: CheckoutInput) => fillCheckout(desk, checkout(id), filled),
    deleteCheckout: (id: number) => transact(shop.db, () => deleteCheckout(desk, id)),
    pay: (id: number, payment: Payment = 'paid') => placeOrder(desk, checkout(id), payment),
    insertOrders: (orders: Parameters<typeof insertOrder>[1][]) =>
      transact(shop.db, () => orders.map((order) => insertOrder(shop, order))),
    insertCheckouts: (checkouts: Checkout[]) =>
      transact(shop.db, () => {
        for (const each of checkouts) save(shop.db, 'checkout', each)
      }),
  }
}

function createStaffControls(desk: Desk) {
  const { shop } = desk
  const changeVariant = (id: number, part: { priceMinor?: number; stock?: number | null }) => {
    const variant = find(shop.db, 'variant', id)
    if (!variant) throw new Error(`There is no variant ${id}.`)
    transact(shop.db, () => {
      save(shop.db, 'variant', { ...variant, ...part, updatedAt: shop.now() })
      const product = find(shop.db, 'product', variant.productId)!
      save(shop.db, 'product', { ...product, updatedAt: shop.now() })
      announce(desk, 'PRODUCTS_UPDATE', buildProductBody(shop, product.id))
    })
  }
  return {
    changeOrder: (id: number, action: OrderAction) => changeOrder(desk, id, action),
    setConsent: (customerId: number, channel: Channel, consent: Omit<Consent, 'at'>) => {
      const customer = find(shop.db, 'customer', customerId)
      if (!customer) throw new Error(`There is no customer ${customerId}.`)
      return transact(shop.db, () => setConsent(desk, customer, channel, consent))
    },
    setPrice: (variantId: number, priceMinor: number) => changeVariant(variantId, { priceMinor }),
    setStock: (variantId: number, stock: number | null) => changeVariant(variantId, { stock }),
    customers: () => listAll(shop.db, 'customer'),
    privacy: (target: string, topic: PrivacyTopic, customer?: Customer) =>
      sendPrivacyRequest(shop, target, topic, buildPrivacyBody(desk, topic, customer)),
  }
}

function buildPrivacyBody({ shop }: Desk, topic: PrivacyTopic, customer?: Customer) {
  const { id, myshopify_domain } = buildShopBody(shop)
  const base = { shop_id: id, shop_domain: myshopify_domain }
  if (topic === 'shop/redact' || !customer) return base
  const who = { customer: { id: customer.id, email: customer.email, phone: customer.phone } }
  const orders = listAll(shop.db, 'order').filter(({ customerId }) => customerId === customer.id)
  const ids = orders.map((order) => order.id)
  return topic === 'customers/redact'
    ? { ...base, ...who, orders_to_redact: ids }
    : { ...base, ...who, orders_requested: ids, data_request: { id: 1 } }
}
