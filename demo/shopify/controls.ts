// What a test, or somebody trying the demo, can turn: the clock, the app's installation, the plan, and what shoppers and staff do.
import { randomBytes } from 'node:crypto'
import { addToCart } from './carts.ts'
import { deleteCheckout, type Filled, fillCheckout, openCheckout } from './checkouts.ts'
import { type Channel, setConsent } from './customers.ts'
import { sendPrivacy } from './deliver.ts'
import { announce, type Desk } from './events.ts'
import type { CartLine, Checkout, Consent, Customer, Order } from './model.ts'
import { changeOrder, type Deed, insertOrder, type Payment, placeOrder } from './orders.ts'
import { productBody, shopBody } from './payloads.ts'
import { find, listAll, save, transact } from './records.ts'
import { readSetup, type Setup, writeSetup } from './shop.ts'
import { expireTokens, makeToken, revokeTokens } from './tokens.ts'

export interface Controls {
  /** Moves the store's clock on. */
  advance(ms: number): void
  setup(): Setup
  setState(state: Setup['state']): void
  setPlan(plan: Setup['plan']): void
  setPassword(password: string | null): void
  /** Kinds of protected customer data that the app may read. */
  setProtectedData(kinds: Setup['app']['protectedData']): void
  /** Of tokens made from now on; those that are there keep theirs unless `isAtOnce`. Tells APP_SCOPES_UPDATE. */
  setScopes(scopes: string[]): void
  setOwner(isOfOwner: boolean): void
  install(): void
  /** Tokens are void at once; tells APP_UNINSTALLED. */
  uninstall(): void
  expireTokens(): void
  revokeTokens(): void
  /** A lasting token, as apps made in the admin before 2026 have. */
  legacyToken(scopes?: string[]): string
  /** Answers the new secret. Webhooks are signed with the old one for `oldForMs` more. */
  rotateSecret(oldForMs?: number): string
  /** A shopper puts things into a cart and begins the checkout. */
  beginCheckout(lines: CartLine[], filled?: Filled): Checkout
  fillCheckout(id: number, filled: Filled): Checkout
  deleteCheckout(id: number): boolean
  pay(checkoutId: number, payment?: Payment): Order
  /** Past orders in one transaction, telling nobody. */
  insertOrders(orders: Parameters<typeof insertOrder>[1][]): Order[]
  insertCheckouts(checkouts: Checkout[]): void
  changeOrder(id: number, deed: Deed): Order | null
  setConsent(customerId: number, channel: Channel, consent: Omit<Consent, 'at'>): Customer
  setPrice(variantId: number, priceMinor: number): void
  setStock(variantId: number, stock: number | null): void
  customers(): Customer[]
  /** As Shopify sends it to the address in an app's configuration; answers the status. */
  privacy(target: string, topic: PrivacyTopic, customer?: Customer): Promise<number>
}

export type PrivacyTopic = 'customers/data_request' | 'customers/redact' | 'shop/redact'

export function controlsOf(desk: Desk, clock: { aheadMs: number }): Controls {
  return { ...ofApp(desk, clock), ...ofShoppers(desk), ...ofStaff(desk) }
}

function ofApp(desk: Desk, clock: { aheadMs: number }) {
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
      announce(desk, 'APP_UNINSTALLED', shopBody(shop))
    },
    expireTokens: () => expireTokens(shop),
    revokeTokens: () => revokeTokens(shop),
    legacyToken: (scopes = readSetup(shop).app.scopes) => makeToken(shop, scopes, true),
    rotateSecret: (oldForMs = 0) => {
      const { app } = readSetup(shop)
      const secret = `shpss_${randomBytes(16).toString('hex')}`
      changeApp({ secret, oldSecret: { secret: app.secret, until: shop.now() + oldForMs } })
      return secret
    },
  }
}

function ofShoppers(desk: Desk) {
  const { shop } = desk
  const checkout = (id: number) => {
    const found = find(shop.db, 'checkout', id)
    if (!found) throw new Error(`There is no checkout ${id}.`)
    return found
  }
  return {
    beginCheckout: (lines: CartLine[], filled?: Filled) => {
      const fresh = openCheckout(desk, addToCart(desk, undefined, lines))
      return filled ? fillCheckout(desk, fresh, filled) : fresh
    },
    fillCheckout: (id: number, filled: Filled) => fillCheckout(desk, checkout(id), filled),
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

function ofStaff(desk: Desk) {
  const { shop } = desk
  const changeVariant = (id: number, part: { priceMinor?: number; stock?: number | null }) => {
    const variant = find(shop.db, 'variant', id)
    if (!variant) throw new Error(`There is no variant ${id}.`)
    transact(shop.db, () => {
      save(shop.db, 'variant', { ...variant, ...part, updatedAt: shop.now() })
      const product = find(shop.db, 'product', variant.productId)!
      save(shop.db, 'product', { ...product, updatedAt: shop.now() })
      announce(desk, 'PRODUCTS_UPDATE', productBody(shop, product.id))
    })
  }
  return {
    changeOrder: (id: number, deed: Deed) => changeOrder(desk, id, deed),
    setConsent: (customerId: number, channel: Channel, consent: Omit<Consent, 'at'>) => {
      const customer = find(shop.db, 'customer', customerId)
      if (!customer) throw new Error(`There is no customer ${customerId}.`)
      return transact(shop.db, () => setConsent(desk, customer, channel, consent))
    },
    setPrice: (variantId: number, priceMinor: number) => changeVariant(variantId, { priceMinor }),
    setStock: (variantId: number, stock: number | null) => changeVariant(variantId, { stock }),
    customers: () => listAll(shop.db, 'customer'),
    privacy: (target: string, topic: PrivacyTopic, customer?: Customer) =>
      sendPrivacy(shop, target, topic, privacyBody(desk, topic, customer)),
  }
}

function privacyBody({ shop }: Desk, topic: PrivacyTopic, customer?: Customer) {
  const { id, myshopify_domain } = shopBody(shop)
  const base = { shop_id: id, shop_domain: myshopify_domain }
  if (topic === 'shop/redact' || !customer) return base
  const who = { customer: { id: customer.id, email: customer.email, phone: customer.phone } }
  const orders = listAll(shop.db, 'order').filter(({ customerId }) => customerId === customer.id)
  const ids = orders.map((order) => order.id)
  return topic === 'customers/redact'
    ? { ...base, ...who, orders_to_redact: ids }
    : { ...base, ...who, orders_requested: ids, data_request: { id: 1 } }
}
