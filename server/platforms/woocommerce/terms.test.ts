import { expect, test } from 'vitest'
import { readExchanges } from '../../../providers/contracts/recordings.ts'
import { buildWooAccess } from '../../../test/woo-access.ts'
import type { GuardedAnswer } from '../../core/net/guarded-fetch.ts'
import type { ItemRef } from '../platform/platform.ts'
import { createWooCommerceClient, readReportedTerms } from './platform.ts'

// Recorded stock and prices of a real WooCommerce before and after items sold out (stock-check.json).

const recorded = readExchanges('stock-check.json')

const product = (productId: string): ItemRef => ({ productId, variationId: null })
const [clock, backOrdered, draft, priv, noPrice, trashed, unknown, scarf] = [
  ...['830', '831', '832', '833', '834', '837', '99999999', '91'].map(product),
]
const grey = { productId: '838', variationId: '839' }
const blue = { productId: '838', variationId: '840' }
const greenGloves = { productId: '841', variationId: '843' }

/**
 * A store that responds as recorded at `when`; WooCommerce before 10.3 has no route for variations of several parents.
 */
function createStore(when: 'before' | 'after', { isOld = false } = {}) {
  const paths: string[] = []
  const getBody = (path: string) =>
    recorded.find(({ title, request }) => title.startsWith(when) && request.path === path && request.query.include)!
      .response.body
  const fetch = async (address: string): Promise<GuardedAnswer> => {
    const { pathname, searchParams } = new URL(address)
    paths.push(`${pathname}?${searchParams.get('include')}`)
    const isMissing = isOld && pathname.endsWith('/v3/variations')
    const body = isMissing
      ? { code: 'rest_no_route', message: 'No route', data: { status: 404 } }
      : filterRows(getBody(pathname), searchParams)
    return {
      status: isMissing ? 404 : 200,
      headers: {},
      body: Buffer.from(JSON.stringify(body)),
      url: address,
      isRedirected: false,
    }
  }
  const storeUrl = 'https://shop.example'
  const access = buildWooAccess(storeUrl)
  const client = createWooCommerceClient(access, { fetch, now: () => new Date() })
  const terms = async (items: ItemRef[]) =>
    new Map((await client.terms({ items, currency: 'USD' })).map((each) => [each.variationId ?? each.productId, each]))
  return { paths, terms }
}

const filterRows = (rows: unknown, query: URLSearchParams) => {
  const ids = query.get('include')!.split(',')
  return (rows as { id: number }[]).filter(({ id }) => ids.includes(String(id)))
}

test('reads a batch with two requests: products, and variations of any parents', async () => {
  const store = createStore('before')
  const found = await store.terms([clock!, scarf!, grey, blue, greenGloves])
  expect(store.paths).toEqual(['/wp-json/wc/v3/products?830,91,838,841', '/wp-json/wc/v3/variations?839,840,843'])
  expect(found.get('830')).toMatchObject({ isAvailable: true, priceMinor: 4_800, stockQuantity: 2 })
  expect(found.get('840')).toMatchObject({ isAvailable: true, priceMinor: 1_900, stockQuantity: 2 })
})

test('a sold-out item is unavailable, a remaining variation of it is available', async () => {
  const found = await createStore('after').terms([clock!, grey, blue, greenGloves])
  const isThere = (id: string) => found.get(id)?.isAvailable
  expect([isThere('830'), isThere('839'), isThere('840'), isThere('843')]).toEqual([false, false, true, false])
})

test('drafts, private, trashed and priceless products are unavailable, back-orders are available, unknown ones are missing', async () => {
  const found = await createStore('before').terms([backOrdered!, draft!, priv!, noPrice!, trashed!, unknown!])
  expect(found.get('831')).toMatchObject({ isAvailable: true, priceMinor: 9_000, stockQuantity: 0 })
  for (const id of ['832', '833', '834', '837', '99999999']) expect(found.get(id)?.isAvailable ?? false).toBe(false)
})

test('sends one request per parent to an older WooCommerce', async () => {
  const store = createStore('after', { isOld: true })
  const found = await store.terms([grey, blue, greenGloves])
  expect(store.paths.slice(2)).toEqual([
    '/wp-json/wc/v3/products/838/variations?839,840',
    '/wp-json/wc/v3/products/841/variations?843',
  ])
  expect(found.get('840')).toMatchObject({ isAvailable: true })
  expect(found.get('839')).toMatchObject({ isAvailable: false })
})

test('reads more than a hundred products in chunks', async () => {
  const store = createStore('before')
  await store.terms(Array.from({ length: 250 }, (_, n) => product(String(n + 1))))
  expect(store.paths.map((each) => each.split('?')[1]!.split(',').length)).toEqual([100, 100, 50])
})

const mug = {
  id: 16,
  status: 'publish',
  purchasable: true,
  stock_status: 'instock',
  stock_quantity: 3,
  price: '19.50',
  on_sale: false,
}
const readTerms = (terms: unknown, item: object = { product: '16', variation: null }) =>
  readReportedTerms([{ ...item, terms }], 'USD')

test('a plugin’s report gives the same; items it no longer sells have no terms', () => {
  expect(readTerms(mug)).toEqual([
    { productId: '16', variationId: null, isAvailable: true, priceMinor: 1_950, isOnSale: false, stockQuantity: 3 },
  ])
  expect(readTerms({ ...mug, id: 17 }, { product: '16', variation: '17' })).toMatchObject([
    { variationId: '17', isAvailable: true },
  ])
  expect(readTerms(null)).toMatchObject([{ isAvailable: false, priceMinor: null }])
  expect(readTerms({ ...mug, stock_status: 'outofstock' })).toMatchObject([{ isAvailable: false }])
  expect(readTerms({ ...mug, price: '' })).toMatchObject([{ isAvailable: false, priceMinor: null }])
})

test.each([
  ['nothing', undefined],
  ['no product', {}],
  ['half of one', { id: 16, status: 'publish', price: '19.50' }],
  ['another one', { ...mug, id: 17 }],
  ['a text', 'sold out'],
  ['a list', [mug]],
  ['a number as yes', { ...mug, purchasable: 1 }],
])('ignores a plugin’s report of %s for a product', (_what, terms) => {
  expect(readTerms(terms)).toEqual([])
})

test.each([
  null,
  7,
  [],
  { product: 16, variation: null },
  { product: '0', variation: null },
  { product: '16' },
  { product: '16', variation: '-1' },
])('skips an entry without a product: %j', (item) =>
  expect(readReportedTerms([item && typeof item === 'object' ? { ...item, terms: mug } : item], 'USD')).toEqual([]))

test('ignores an excessive stock or price', () => {
  expect(readTerms({ ...mug, stock_quantity: 1e12, price: '9'.repeat(40) })).toMatchObject([
    { stockQuantity: null, priceMinor: null, isAvailable: false },
  ])
})
