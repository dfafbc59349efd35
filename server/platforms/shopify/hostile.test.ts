import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countPropertyRuns } from '../../../test/seed.ts'
import type { GuardedFetch } from '../../core/net/guarded-fetch.ts'
import type { StoreAccess } from '../platform/access.ts'
import type { CouponDraft } from '../platform/coupon.ts'
import { createMemoryTokenCache } from '../platform/memory-token-cache.ts'
import type { PlatformItem } from '../platform/platform.ts'
import { StoreProblem } from '../platform/store-problem.ts'
import { readCoupon } from './coupons.ts'
import { readDiscounts, readOrder } from './order-wire.ts'
import { readCustomer } from './people.ts'
import { createShopifyClient, readCheckout } from './platform.ts'

// A store may send anything. The client returns valid rows or throws StoreProblem.

const money = (amount: string) => ({ shopMoney: { amount, currencyCode: 'USD' } })
const address = { firstName: 'Ada', lastName: 'Byron', phone: '+15035550199', countryCodeV2: 'US', provinceCode: 'OR' }
const consent = { state: 'SUBSCRIBED', optInLevel: 'SINGLE_OPT_IN', updatedAt: '2026-11-01T00:00:00Z' }
const person = {
  ...{ id: 'gid://shopify/Customer/3', firstName: 'Ada', lastName: 'Byron', locale: 'en-US' },
  defaultEmailAddress: {
    emailAddress: 'ada@example.com',
    marketingState: 'SUBSCRIBED',
    marketingUpdatedAt: '2026-11-01T00:00:00Z',
  },
  defaultPhoneNumber: { phoneNumber: '+15035550199', smsMarketingConsent: consent, whatsAppMarketingConsent: consent },
}
const lineItems = {
  nodes: [
    {
      ...{ quantity: 2, sku: 'P', title: 'Pot', variantTitle: 'Red', image: { url: 'https://a.example/p.jpg' } },
      ...{ originalUnitPriceSet: money('10.00'), product: { id: 'gid://shopify/Product/1' } },
      ...{ variant: { id: 'gid://shopify/ProductVariant/2' } },
      discountAllocations: [{ allocatedAmountSet: money('1.00'), discountApplication: { index: 0 } }],
    },
  ],
  pageInfo: { hasNextPage: false, endCursor: 'x' },
}
const order = {
  ...{ id: 'gid://shopify/Order/7', createdAt: '2026-11-01T00:00:00Z', updatedAt: '2026-11-02T00:00:00Z' },
  processedAt: '2026-11-01T00:00:00Z',
  cancelledAt: null,
  test: false,
  sourceName: 'web',
  currencyCode: 'USD',
  displayFinancialStatus: 'PAID',
  checkoutToken: 'eeafa272cebfd4b2',
  cartToken: 'hWN2abcdef12',
  discountCodes: ['A'],
  email: 'ada@example.com',
  phone: '+15035550199',
  totalPriceSet: money('20.00'),
  totalRefundedSet: money('0.0'),
  customer: person,
  shippingAddress: address,
  billingAddress: address,
  lineItems,
  discountApplications: { nodes: [{ index: 0, code: 'A', targetType: 'LINE_ITEM' }] },
}
const checkout = {
  ...{ id: 'gid://shopify/AbandonedCheckout/8', createdAt: '2026-11-01T00:00:00Z', updatedAt: '2026-11-02T00:00:00Z' },
  ...{ abandonedCheckoutUrl: 'https://a.example/1/checkouts/ac/eeafa272cebfd4b2/recover?key=1', discountCodes: ['A'] },
  totalPriceSet: money('20.00'),
  subtotalPriceSet: money('20.00'),
  totalDiscountSet: money('0'),
  customer: person,
  shippingAddress: address,
  billingAddress: address,
  lineItems,
}
const discount = {
  id: 'gid://shopify/DiscountCodeNode/9',
  codeDiscount: {
    __typename: 'DiscountCodeBasic',
    title: 'A',
    status: 'ACTIVE',
    startsAt: '2026-11-01T00:00:00Z',
    endsAt: null,
    usageLimit: 5,
    asyncUsageCount: 1,
    appliesOncePerCustomer: true,
    tags: ['recoup-1:a'],
    codes: { nodes: [{ code: 'A' }] },
    combinesWith: { orderDiscounts: false },
    context: { __typename: 'DiscountMarkets' },
    minimumRequirement: {
      __typename: 'DiscountMinimumSubtotal',
      greaterThanOrEqualToSubtotal: { amount: '5', currencyCode: 'USD' },
    },
    customerGets: {
      value: { __typename: 'DiscountPercentage', percentage: 0.1 },
      items: { __typename: 'AllDiscountItems' },
    },
  },
}

/** A real record with random fields, at any depth, replaced by garbage. */
const damaged = (whole: object) =>
  fc
    .tuple(fc.array(fc.nat(200), { maxLength: 8 }), fc.array(garbage(), { minLength: 8, maxLength: 8 }))
    .map(([places, values]) => {
      const copy = structuredClone(whole) as Record<string, unknown>
      const spots = places.map((place) => listSpots(copy)[place % listSpots(copy).length])
      spots.forEach((spot, index) => {
        if (spot) spot.holder[spot.name] = values[index]
      })
      return copy
    })

function garbage() {
  return fc.oneof(
    fc.anything(),
    fc.constantFrom(
      ...[null, '', 0, -1, 1e308, '-5', '1e400', '0000-00-00T00:00:00Z', '2026-02-31T00:00:00Z', 'javascript:alert(1)'],
      ...['gid://shopify/Order/0', 'gid://shopify/Order/99999999999999999999', 'gid://shopify/Product/1/2', '<script>'],
      ...[
        '\u0000\ud800',
        [],
        {},
        { nodes: {} },
        { nodes: [null] },
        { shopMoney: { amount: '-1', currencyCode: 'USD' } },
      ],
    ),
    fc.string({ unit: 'binary' }),
    fc.double(),
  )
}

interface Spot {
  holder: Record<string, unknown>
  name: string
}

function listSpots(holder: Record<string, unknown>): Spot[] {
  return Object.entries(holder).flatMap(([name, value]) => {
    const here = { holder, name }
    return typeof value === 'object' && value !== null ? [here, ...listSpots(value as Record<string, unknown>)] : [here]
  })
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/
const ID = /^[1-9]\d*$/

function expectSound(row: object) {
  for (const [name, value] of Object.entries(row)) {
    if (value === null || value === undefined) continue
    if (name.endsWith('Minor')) expect(Number.isSafeInteger(value)).toBe(true)
    if (/At$/.test(name)) expect(value).toMatch(TIME)
    if (/^(order|checkout|customer|coupon|product|variation)Id$/.test(name)) expect(value).toMatch(ID)
    if (name === 'email') expect(value).toMatch(/^[^\s@]+@[^\s@]+\.[^\s@]+$/)
    if (name === 'phone') expect(value).toMatch(/^\+\d{6,15}$/)
    if (name === 'country' || name === 'state') expect(value).toMatch(/^[A-Z]{2}$/)
    if (/^(imageUrl|restoreUrl|permalink)$/.test(name)) expect(value).toMatch(/^https?:\/\//)
    if (/^(name|firstName|lastName|code|status)$/.test(name)) expect(value).not.toMatch(/[\p{Cc}]/u)
    if (name === 'items') for (const item of value as PlatformItem[]) expectSoundItem(item)
  }
  expect(JSON.stringify(row).isWellFormed()).toBe(true)
}

function expectSoundItem(item: PlatformItem) {
  expectSound(item)
  expect(item.quantity > 0 && Number.isInteger(item.quantity) && item.unitPriceMinor >= 0).toBe(true)
}

const readers: [string, object, (raw: unknown) => { row: object } | { skipped: { reason: string } } | null][] = [
  ['order', order, readOrder],
  ['checkout', checkout, readCheckout],
  ['customer', { ...person, numberOfOrders: '3', amountSpent: { amount: '9.5', currencyCode: 'USD' } }, readCustomer],
  ['discount', discount, (raw) => readCoupon(raw, 'USD')],
]

test.each(readers)('reads a valid %s', (_, whole, read) => {
  expect(read(whole)).toHaveProperty('row')
})

test.each(readers)('reads a damaged %s as valid or skips it with a reason', (_, whole, read) => {
  fc.assert(
    fc.property(fc.oneof(damaged(whole), fc.anything()), (raw) => {
      const reading = read(raw)
      if (reading === null) return
      if ('row' in reading) expectSound(reading.row)
      else expect(reading.skipped.reason).not.toBe('')
    }),
    countPropertyRuns(400, 2_000),
  )
})

test('sums only valid discount amounts', () => {
  fc.assert(
    fc.property(fc.oneof(damaged(order), fc.anything()), (raw) => {
      for (const each of readDiscounts(raw, 'USD')) {
        expectSound(each)
        expect(each.discountMinor).toBeGreaterThanOrEqual(0)
      }
    }),
  )
})

const page = (root: string, rows: fc.Arbitrary<unknown>) =>
  fc.record({
    data: fc.record({
      shop: fc.constantFrom({ currencyCode: 'USD', name: 'A' }, null),
      [root]: fc.record({
        nodes: fc.array(rows, { maxLength: 3 }),
        pageInfo: fc.record({ hasNextPage: fc.boolean(), endCursor: fc.string() }),
      }),
    }),
  })

const answerArbitrary = fc.record({
  status: fc.constantFrom(...[200, 200, 200, 200, 201, 302, 400, 401, 402, 403, 404, 423, 429, 430, 500, 503]),
  body: fc.oneof(
    fc.json(),
    fc.string(),
    page('orders', damaged(order)).map(safeStringify),
    page('abandonedCheckouts', damaged(checkout)).map(safeStringify),
    page('customers', damaged(person)).map(safeStringify),
    page('discountNodes', damaged({ ...discount })).map(safeStringify),
    fc
      .record({ errors: fc.array(fc.record({ message: garbage(), extensions: fc.record({ code: errorCode() }) })) })
      .map(safeStringify),
    fc.record({ data: garbage(), extensions: fc.record({ cost: garbage() }) }).map(safeStringify),
  ),
  headers: fc.dictionary(fc.constantFrom('date', 'retry-after', 'content-range', 'location'), fc.string()),
})

function errorCode() {
  return fc.oneof(
    garbage(),
    fc.constantFrom('THROTTLED', 'MAX_COST_EXCEEDED', 'ACCESS_DENIED', 'INTERNAL_SERVER_ERROR'),
  )
}

function safeStringify(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return ''
  }
}

test('throws only StoreProblem for any response, and ends', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(answerArbitrary, { minLength: 1, maxLength: 4 }), async (answers) => {
      let pageCount = 0
      let at = 0
      const fetch: GuardedFetch = async (url) => {
        const answer = answers[pageCount % answers.length]!
        pageCount += 1
        // A store may be endless; this one ends so that the property does.
        if (pageCount > 30) return { status: 500, headers: {}, body: Buffer.alloc(0), url, isRedirected: false }
        return { ...answer, body: Buffer.from(answer.body), url, isRedirected: false }
      }
      const net = {
        fetch,
        now: () => new Date(Date.parse('2026-11-26T12:00:00Z') + at),
        sleep: async (ms: number) => {
          at += ms
        },
      }
      const access: StoreAccess = {
        ...({ platform: 'shopify', storeUrl: 'https://a.myshopify.com', homeUrl: 'https://a.example' } as const),
        keys: { kind: 'shopify_token', accessToken: 'shpat_1', apiSecret: 'shpss_2' },
      }
      const client = createShopifyClient(access, net, createMemoryTokenCache())
      const drain = async (pages: AsyncIterable<unknown>) => {
        for await (const _ of pages) if (pageCount > 30) break
      }
      const since = '2026-01-01T00:00:00Z'
      const draft: CouponDraft = {
        ...({ code: 'A', type: 'percentage', percent: 1_000, amountMinor: null } as const),
        currency: 'USD',
        minSpendMinor: null,
        expiresAt: null,
        usageLimit: 1,
        isIndividual: false,
        email: null,
        mark: 'coupon:a:b',
      }
      const calls = [
        () => client.readProfile(),
        () => drain(client.orders({ modifiedSince: since })),
        () => drain(client.checkouts({ modifiedSince: since })),
        () => drain(client.customers({})),
        () => drain(client.products({})),
        () => drain(client.products({ modifiedSince: since })),
        () => drain(client.coupons({ currency: 'USD' })),
        () => client.order('1'),
        () => client.checkout('1'),
        () => client.customer('1'),
        () => client.terms({ items: [{ productId: '1', variationId: '2' }], currency: 'USD' }),
        () => client.couponsById({ ids: ['1'], currency: 'USD' }),
        () => client.couponByCode('A', 'USD'),
        () => client.createCoupons([draft]),
        () => client.updateCoupon('1', { currency: 'USD', percent: 500 }),
        () => client.deleteCoupons(['1']),
        () => client.webhooks(),
        () => client.createWebhook('ORDERS_CREATE', 'https://recoup.example', 's'),
        () => client.deleteWebhook('1'),
      ]
      for (const call of calls) {
        pageCount = 0
        await call().catch((error: unknown) => {
          if (!(error instanceof StoreProblem)) throw error
        })
      }
    }),
    countPropertyRuns(100, 500),
  )
})
