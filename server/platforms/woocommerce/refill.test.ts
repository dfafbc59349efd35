import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { findProduct, type Product, saveProduct } from '../../../providers/woocommerce/catalog.ts'
import { openStore } from '../../../providers/woocommerce/recordings.ts'
import { mapCatalogueIds } from '../../../providers/woocommerce/shoppers.ts'
import type { DemoStore } from '../../../providers/woocommerce/store.ts'
import { type GuardedHttp, openGuardedHttp } from '../../core/net/guarded-fetch.ts'
import { refillCart } from './platform.ts'

// Fills a cart in the store before the shopper is sent there (decision 14). The demo store responds as recorded.

let shop: DemoStore
let guarded: GuardedHttp
let requests: string[] = []
let ids: Map<number, number>

const mug = (quantity = 1) => ({ productId: String(ids.get(16)), variationId: null, quantity })
const cups = (choices?: { name: string; value: string }[]) => ({
  productId: String(ids.get(13)),
  variationId: String(ids.get(29)),
  quantity: 1,
  ...(choices ? { choices } : {}),
})
const large = [
  { name: 'Glaze', value: 'Oat White' },
  { name: 'Size', value: 'Large' },
]

beforeAll(async () => {
  shop = (await openStore({ publicUrl: '' })).store
  guarded = openGuardedHttp({ allowPrivate: true })
  ids = mapCatalogueIds(shop)
})

beforeEach(() => {
  requests = []
})

afterAll(async () => {
  await guarded.close()
  await shop.stop()
})

const refill = (items: Parameters<typeof refillCart>[2]['items'], coupon: string | null = null, storeUrl = shop.url) =>
  refillCart(
    { storeUrl, homeUrl: storeUrl },
    {
      now: () => new Date(),
      fetch: (url, request) => {
        requests.push(`${request?.method} ${new URL(url).pathname}`)
        return guarded.fetch(url, request)
      },
    },
    { items, coupon, extra: { recoup_cart: 'abc' } },
  )

/** The variation has a fixed glaze and "any" size. */
function openSize(): void {
  const parent = findProduct(shop.shop, ids.get(13)!) as Product
  const size = { id: 2, name: 'Size', slug: 'pa_size', options: ['Small', 'Large'] }
  if (parent.attributes.length === 1) saveProduct(shop.shop, { ...parent, attributes: [...parent.attributes, size] })
}

test('the store fills it, and the shopper gets the same link for their own browser', async () => {
  const { checkoutUrl, lines } = (await refill([mug(2), cups()], 'welcome10'))!
  expect(lines).toEqual([
    { id: String(ids.get(16)), quantity: 2 },
    { id: String(ids.get(29)), quantity: 1 },
  ])
  expect(checkoutUrl).toBe(
    `${shop.url}/checkout-link/?products=${ids.get(16)}:2,${ids.get(29)}:1&coupon=welcome10&recoup_cart=abc`,
  )
  expect(requests).toEqual(['GET /checkout-link/', 'GET /wp-json/wc/store/v1/cart'])
})

test('a refused coupon is reported and removed from the shopper’s link', async () => {
  expect((await refill([mug()], 'WELCOME10'))?.isCouponRefused).toBe(false)
  const refused = (await refill([mug()], 'no-such-code'))!
  expect(refused).toMatchObject({ isCouponRefused: true, lines: [{ id: String(ids.get(16)), quantity: 1 }] })
  expect(refused.checkoutUrl).not.toContain('coupon')
  expect(await refill([mug()])).not.toHaveProperty('isCouponRefused')
})

test('a refused item is missing from the reported cart', async () => {
  const soldOut = { productId: String(ids.get(69)), variationId: null, quantity: 1 }
  expect((await refill([mug(), soldOut]))?.lines).toEqual([{ id: String(ids.get(16)), quantity: 1 }])
  expect(await refill([soldOut])).toEqual({ checkoutUrl: null, lines: [] })
})

test('a variation with "any size" is restored in the chosen size in any browser', async () => {
  openSize()
  const { checkoutUrl, lines } = (await refill([mug(), cups(large)], 'welcome10'))!
  expect(lines.map(({ id }) => id)).toEqual([String(ids.get(16)), String(ids.get(29))])
  const url = new URL(checkoutUrl!)
  expect([url.origin, url.pathname, url.searchParams.get('recoup_cart')]).toEqual([shop.url, '/checkout/', 'abc'])
  const page = await (await fetch(url)).text()
  expect(page).toContain('Oat White, Large')
  expect(page).toContain('welcome10')
})

test('alone in the cart it leads to the shop with a filled cart, because the checkout’s address is unknown', async () => {
  openSize()
  const { checkoutUrl, lines } = (await refill([cups(large)]))!
  expect(lines).toHaveLength(1)
  expect(new URL(checkoutUrl!).pathname).toBe('/')
  expect(await (await fetch(checkoutUrl!)).text()).toContain('data-cart-count>1<')
})

test('a size that is unknown or missing in the store is not invented', async () => {
  openSize()
  expect((await refill([mug(), cups()]))?.lines).toHaveLength(1)
  expect((await refill([mug(), cups([{ name: 'Size', value: 'Huge' }])]))?.lines).toHaveLength(1)
})

test('an invalid response, a foreign redirect or none is ignored', async () => {
  let answer: http.RequestListener = (_, reply) => reply.end('<html>')
  const server = http.createServer((request, reply) => answer(request, reply))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const leads = (location: string) => (answer = (_, reply) => reply.writeHead(302, { location }).end('not a cart'))
  expect(await refill([mug()], null, url)).toBeNull()
  for (const location of [
    'https://elsewhere.example/checkout/?session=x',
    `${url}/checkout/?session=x`,
    `${url}/`,
    '%',
  ]) {
    leads(location)
    expect(await refill([mug()], null, url), location).toBeNull()
  }
  server.close()
  server.closeAllConnections()
  expect(await refill([mug()], null, url)).toBeNull()
})
