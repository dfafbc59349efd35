// Test shoppers that use the Store API with a Cart-Token instead of cookies.
import { findProductBySlug } from './catalog.ts'
import { type Answer, askAnonymous } from './recordings.ts'
import type { DemoStore } from './store.ts'

export const HOME_ADDRESS = {
  first_name: 'Record',
  last_name: 'Shopper',
  company: '',
  address_1: '12 Pearl St',
  address_2: '',
  city: 'Burlington',
  state: 'VT',
  postcode: '05401',
  country: 'US',
  phone: '+18025550150',
}

/** Product names in the recordings' messages, and this store's counterparts. */
export const soldOutText: [string, string][] = [
  ['Sold-out Lantern', 'Wood-Fired Moon Jar'],
  ['Wool Scarf — Très Chaud', 'Little Fox Teapot'],
]

/** Maps recorded product ids to this store's: simple, on sale, variable, variation, sold out, stock-managed. */
export function mapCatalogueIds(store: DemoStore): Map<number, number> {
  const id = (slug: string) => findProductBySlug(store.shop, slug)!.id
  const cups = findProductBySlug(store.shop, 'stacking-cups')!
  return new Map([
    [16, id('sunday-stoneware-mug')],
    [18, id('first-frost-filter-coffee')],
    [13, cups.id],
    [29, cups.variations[0]!],
    [69, id('wood-fired-moon-jar')],
    [68, id('little-fox-teapot')],
  ])
}

export type Shopper = { token: string; call: (method: string, path: string, body?: unknown) => Promise<Answer> }

export async function openShopper(store: DemoStore): Promise<Shopper> {
  const first = await askAnonymous(store, 'GET', '/wp-json/wc/store/v1/cart')
  const token = String(first.headers['cart-token'])
  const call = (method: string, path: string, body?: unknown) =>
    askAnonymous(store, method, `/wp-json/wc/store/v1/${path}`, { 'cart-token': token, 'user-agent': 'node' }, body)
  return { token, call }
}

/** Fills a cart, opens the checkout and places the order, unless the method is null; returns the order's id. */
export async function placeOrder(
  store: DemoStore,
  choice: { method: string | null; mode?: string; coupon?: string; email?: string },
): Promise<number> {
  const shopper = await openShopper(store)
  await shopper.call('POST', 'cart/add-item', { id: mapCatalogueIds(store).get(16), quantity: 2 })
  await shopper.call('POST', 'cart/add-item', { id: mapCatalogueIds(store).get(29), quantity: 1 })
  if (choice.coupon) await shopper.call('POST', 'cart/apply-coupon', { code: choice.coupon })
  const opened = await shopper.call('GET', 'checkout')
  const { order_id } = opened.body as { order_id: number }
  if (choice.method === null) return order_id
  const billing_address = { ...HOME_ADDRESS, email: choice.email ?? 'record.shopper@example.com' }
  const payment_data = [{ key: 'testcard_mode', value: choice.mode ?? 'success' }]
  const order = { billing_address, shipping_address: HOME_ADDRESS, payment_method: choice.method, payment_data }
  await shopper.call('POST', 'checkout', order)
  return order_id
}
