import { describe, expect, test } from 'vitest'
import { type Exchange, findResponse, readExchanges } from '../../../providers/contracts/recordings.ts'
import type { PlatformProduct } from '../platform/platform.ts'
import { type RowReading, readRows } from '../platform/row.ts'
import { parseId } from '../platform/text.ts'
import { readProduct, readVariation } from './catalogue.ts'
import { readAnswer, toStoreProblem } from './http.ts'
import { readList } from './orders.ts'
import { readSubscription } from './webhooks.ts'
import { CUSTOMER_FIELDS, readCustomer, readOrder } from './wire.ts'

// Runs every recorded REST exchange through the client. The reader of its path must accept a success, and a refusal
// must get the code listed here. An unexpected recording fails.

const FILES = [
  'auth',
  'coupons',
  'coupons-expiry',
  'customer-with-open-cart',
  'customers',
  'customers-last-active',
  'extras',
  'orders-by-status',
  'orders-pages',
  'orders-queries',
  'products-more',
  'products-pages',
  'store-api-shopper',
  'system',
  'webhooks-crud',
]
const exchanges = FILES.flatMap((file) =>
  readExchanges(`${file}.json`).map((exchange) => ({ file, title: exchange.title, exchange })),
)
const rest = exchanges.filter(({ exchange }) => exchange.request.path.startsWith('/wp-json/wc/v'))

function getAnswer({ request, response }: Exchange) {
  const body = Buffer.from(JSON.stringify(response.body))
  const answer = readAnswer(
    { status: response.status, headers: response.headers, body, url: '', isRedirected: false },
    new Date(0),
  )
  const isHttps = request.auth.startsWith('basic') && !/plain http/.test(request.path)
  return { answer, isHttps }
}

const hat: PlatformProduct = {
  productId: '13',
  variationId: null,
  name: 'Hoodie',
  sku: null,
  priceMinor: 0,
  currency: 'USD',
  imageUrl: null,
  permalink: null,
  isAvailable: true,
  stockQuantity: null,
  modifiedAt: null,
}

function findReader(path: string): ((raw: unknown) => RowReading<unknown>) | null {
  if (/^\/wp-json\/wc\/v3\/orders(\/\d+)?$/.test(path)) return readOrder
  if (/^\/wp-json\/wc\/v3\/customers(\/\d+)?$/.test(path)) return readCustomer
  if (/^\/wp-json\/wc\/v\d\/products(\/\d+)?$/.test(path)) return (raw) => readProduct(raw, 'USD')
  if (/\/products\/\d+\/variations(\/\d+)?$/.test(path)) return (raw) => readVariation(raw, hat)
  if (/\/webhooks(\/\d+)?$/.test(path)) return readSubscription
  return null
}

describe('recorded successes', () => {
  const successes = rest.filter(({ exchange }) => exchange.response.status < 300 && findReader(exchange.request.path))
  test('there are plenty', () => expect(successes.length).toBeGreaterThan(60))

  test.each(successes)('$file: $title', ({ exchange }) => {
    const { answer } = getAnswer(exchange)
    const raw = Array.isArray(answer.body) ? readList(answer) : [answer.body]
    const { rows, skipped } = readRows(raw, findReader(exchange.request.path)!)
    expect(rows.length + skipped.length).toBe(raw.length)
    // Rows that `_fields` reduced below a valid order are skipped individually, with reason and id.
    const isTrimmed = exchange.request.query._fields !== undefined
    expect(skipped.filter((one) => !isTrimmed || one.id === null)).toEqual([])
  })
})

const REFUSALS: [RegExp, number, string][] = [
  [
    /plain http, no credentials|plain http, HTTP Basic|query string: refused|X-Forwarded-Proto|no credentials: orders/,
    401,
    'sign_in_lost',
  ],
  [/same nonce used twice/, 401, 'store_error'],
  [/timestamp 1000 s old/, 401, 'clock_skew'],
  [/wrong secret|not the home URL/, 401, 'wrong_secret'],
  [/unknown key/, 401, 'wrong_key'],
  [/parameter is missing/, 401, 'sign_in_lost'],
  [/read-only key on a write/, 401, 'read_only_key'],
  [/write-only key on a read/, 401, 'no_rights'],
  [/role customer|same key/, 403, 'no_rights'],
  [/route that does not exist|method not allowed|not registered by default/, 404, 'shop_inactive'],
  [/delete without force/, 501, 'store_error'],
]

describe('recorded refusals', () => {
  const refusals = rest.filter(({ exchange }) => exchange.response.status >= 400)
  test('there are plenty', () => expect(refusals.length).toBeGreaterThan(40))

  test.each(refusals)('$file: $title', ({ title, exchange }) => {
    const { answer, isHttps } = getAnswer(exchange)
    const known = REFUSALS.find(([pattern, status]) => pattern.test(title) && status === exchange.response.status)
    const secret = 'cs_5c7dc5faf5cf6d501f7c177966b437d421c59104'
    const problem = toStoreProblem(answer, isHttps && !title.startsWith('plain http'), [secret])
    // Other refusals concern the request itself: 400 and 404 with WooCommerce's own code.
    expect([exchange.response.status, problem.code]).toEqual([exchange.response.status, known?.[2] ?? 'bad_answer'])
    if (!known) expect([400, 404]).toContain(exchange.response.status)
    expect(problem.detail).not.toBeNull()
  })
})

describe('the recordings’ contents', () => {
  const order = (id: number) => {
    const all = exchanges.flatMap(({ exchange }) =>
      Array.isArray(exchange.response.body) ? exchange.response.body : [exchange.response.body],
    )
    const found = all.findLast(
      (row: { id?: unknown; line_items?: unknown }) =>
        row?.id === id && Array.isArray(row.line_items) && 'billing' in row,
    )
    const reading = readOrder(found)
    return 'row' in reading ? reading.row : null
  }

  test('an order with a coupon and a variation has prices before the coupon, full names, and times in UTC', () => {
    expect(order(97)).toEqual({
      orderId: '97',
      kind: 'purchase',
      status: 'processing',
      createdAt: '2026-11-21T01:02:14Z',
      modifiedAt: '2026-11-21T01:02:14Z',
      paidAt: null,
      currency: 'USD',
      totalMinor: 10542,
      refundedMinor: 0,
      customerId: '3',
      email: 'liam.nguyen@example.com',
      phone: '+14155550102',
      firstName: 'Liam',
      lastName: 'Nguyen',
      country: 'US',
      state: 'CA',
      consents: [],
      coupons: ['welcome10'],
      discounts: [{ code: 'WELCOME10', discountMinor: 1_082 }],
      items: [
        {
          productId: '17',
          variationId: null,
          name: 'Belt',
          sku: 'woo-belt',
          quantity: 1,
          unitPriceMinor: 5500,
          displayed: { withTaxMinor: 5954, withoutTaxMinor: 5500 },
          imageUrl: 'http://localhost:8080/wp-content/uploads/2026/11/belt-2.png',
        },
        {
          productId: '13',
          variationId: '36',
          name: 'Hoodie - Blue, Yes',
          sku: 'woo-hoodie-blue-logo',
          quantity: 1,
          unitPriceMinor: 4500,
          displayed: { withTaxMinor: 4871, withoutTaxMinor: 4500 },
          imageUrl: 'http://localhost:8080/wp-content/uploads/2026/11/hoodie-with-logo-2.png',
          choices: [{ name: 'Color', value: 'Blue' }],
        },
      ],
      source: 'shopper',
      paymentUrl: 'http://localhost:8080/checkout/order-pay/97/?pay_for_order=true&key=wc_order_PzBAS2ROqfIbh',
    })
  })

  test('reads a full and a partial refund', () => {
    expect(order(77)).toMatchObject({
      kind: 'purchase',
      totalMinor: 18661,
      refundedMinor: 18661,
      paidAt: '2026-11-21T00:59:20Z',
    })
    expect(order(80)).toMatchObject({ totalMinor: 29541, refundedMinor: 500 })
  })

  test('an order of an unknown product has no items but is an order', () => {
    expect(order(101)).toMatchObject({ kind: 'pending', items: [], source: 'shopper' })
  })

  test('every kind occurs (S4)', () => {
    const kinds = readExchanges('orders-by-status.json').map(({ title, response }) => {
      const { rows } = readRows(response.body as unknown[], readOrder)
      return [title.replace('status=', ''), [...new Set(rows.map((row) => row.kind))].join()]
    })
    expect(Object.fromEntries(kinds)).toEqual({
      pending: 'pending',
      processing: 'purchase',
      'on-hold': 'purchase',
      completed: 'purchase',
      cancelled: 'cancelled',
      refunded: 'purchase',
      failed: 'failed',
      trash: 'trashed',
      'checkout-draft': 'draft',
    })
  })

  test('names are decoded text', () => {
    const rows = readExchanges('products-pages.json').flatMap(
      ({ response }) => readRows(response.body as unknown[], (raw) => readProduct(raw, 'USD')).rows,
    )
    const names = new Map(rows.map(({ product }) => [product.productId, product]))
    expect(names.get('71')?.name).toBe('Enamel Mug  & "White"')
    expect(names.get('69')).toMatchObject({ isOnSale: false, isAvailable: false, stockQuantity: 0, priceMinor: 6400 })
    expect(names.get('73')).toMatchObject({ isAvailable: true, priceMinor: 0 })
    expect(names.get('35')).toMatchObject({ isAvailable: false })
    expect(rows.find(({ product }) => product.productId === '13')?.hasVariations).toBe(true)
  })

  test('a variation with "any" attribute has an open choice', () => {
    const reading = readProduct(findResponse('products-more.json', 'variable product').body, 'USD')
    if (!('row' in reading)) throw new Error('not read')
    const parent = { ...reading.row.product, choices: reading.row.choices }
    const red = findResponse('products-more.json', 'one variation').body as { attributes: object[] }
    expect(readVariation(red, parent)).toMatchObject({ row: { hasOpenChoice: false } })
    const anyLogo = { ...red, attributes: red.attributes.slice(0, 1) }
    expect(readVariation(anyLogo, parent)).toMatchObject({ row: { hasOpenChoice: true } })
  })

  test('a customer’s last visit is read as an instant, and other values are ignored', {
    tags: ['B3'],
  }, () => {
    const lastLogin = (raw: unknown) => {
      const reading = readCustomer(raw)
      return 'row' in reading ? reading.row.lastLoginAt : reading
    }
    const before = findResponse('customers-last-active.json', 'customers?role=all&search= before any log-in')
      .body as object[]
    expect(lastLogin(before[0])).toBeNull()
    const after = findResponse('customers-last-active.json', 'customers/<id> right after the log-in').body as object
    expect(lastLogin(after)).toBe('2026-11-22T19:09:13Z')
    const readLogin = (value: unknown) => lastLogin({ ...after, meta_data: [{ key: 'wc_last_active', value }] })
    expect(
      [1795374553, '0', '', 'yesterday', '-1795374553', '17953745530', '1e9', null, {}, []].map(readLogin),
    ).toEqual(['2026-11-22T19:09:13Z', ...Array(9).fill(null)])
    // `_fields` must request it, or it would never be returned.
    expect(CUSTOMER_FIELDS.split(',')).toContain('meta_data')
  })

  test('a paying customer is distinguished from a registered one (C9)', () => {
    const isPaying = (raw: unknown) => {
      const reading = readCustomer(raw)
      return 'row' in reading && reading.row.isPaying
    }
    const raw = findResponse('customers-last-active.json', 'customers/<id> right after the log-in').body as object
    const readLogin = [true, false, 'yes', 1, null].map((value) => isPaying({ ...raw, is_paying_customer: value }))
    expect(readLogin).toEqual([true, false, false, false, false])
    expect(CUSTOMER_FIELDS.split(',')).toContain('is_paying_customer')
  })

  test('every id is digits', () => {
    expect([12, '12', 0, '0', -1, 1.5, '1e3', ' 1', null, 2 ** 53].map(parseId)).toEqual([
      '12',
      '12',
      null,
      null,
      null,
      null,
      null,
      null,
      null,
      null,
    ])
  })
})
