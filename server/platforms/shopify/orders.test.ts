import { afterEach, describe, expect, test } from 'vitest'
import { applyCode } from '../../../providers/shopify/checkouts.ts'
import { collectRows, openShopifyClient } from '../../../test/shopify-client.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

async function opened(options: Parameters<typeof openShopifyClient>[0] = {}) {
  const one = await openShopifyClient(options)
  open.push(one)
  return one
}

type Opened = Awaited<ReturnType<typeof opened>>

const since = '2026-11-25T00:00:00Z'
const FILLED = {
  email: 'ada@example.com',
  phone: '+15035550199',
  acceptsEmail: true,
  address: {
    firstName: 'Ada',
    lastName: 'Byron',
    address1: '1 Elm St',
    city: 'Portland',
    zip: '97201',
    provinceCode: 'OR',
    countryCode: 'US',
    address2: '',
    phone: '',
  },
}

/** The purchasable variants as the store lists them. */
async function readVariants({ client }: Opened) {
  const pages = await collectRows(client.products({}))
  return pages.flatMap(({ rows }) => rows).filter(({ isAvailable }) => isAvailable)
}

async function bought(one: Opened, payment?: 'paid' | 'pending' | 'authorized', code?: string) {
  const { controls, desk } = one.store
  const [variant] = await readVariants(one)
  const checkout = controls.beginCheckout([{ variantId: Number(variant!.variationId), quantity: 2 }], FILLED)
  if (code) applyCode(desk, checkout, code)
  return { order: controls.pay(checkout.id, payment), variant: variant!, checkout }
}

const pull = async ({ client }: Opened, query: { modifiedSince?: string; pageSize?: number } = {}) =>
  collectRows(client.orders({ modifiedSince: since, ...query }))

describe('an order', () => {
  test('has buyer, items, checkout, and the discount of a code', async () => {
    const one = await opened()
    const { order, variant } = await bought(one, 'paid', 'SPROUT10')
    const read = await one.client.order(String(order.id))
    const unit = variant.priceMinor
    expect(read).toMatchObject({
      orderId: String(order.id),
      kind: 'purchase',
      status: 'paid',
      currency: 'USD',
      totalMinor: order.totalMinor,
      email: 'ada@example.com',
      phone: '+15035550199',
      firstName: 'Ada',
      lastName: 'Byron',
      country: 'US',
      state: 'OR',
      source: 'shopper',
      isTest: false,
      refundedMinor: 0,
      checkoutToken: order.checkoutToken,
      cartToken: order.cartToken!.split('?')[0],
      coupons: ['SPROUT10'],
      discounts: [{ code: 'SPROUT10', discountMinor: Math.round(unit * 2 * 0.1) }],
      items: [
        {
          productId: variant.productId,
          variationId: variant.variationId,
          quantity: 2,
          unitPriceMinor: unit,
          name: variant.name,
          sku: variant.sku,
          imageUrl: expect.stringContaining('/cdn/shop/files/'),
        },
      ],
    })
    expect(read!.customerId).toMatch(/^\d+$/)
    expect(await one.client.order('999999999')).toBeNull()
    expect(await one.client.order('nonsense')).toBeNull()
  })

  test.each([
    ['pending', 'purchase'],
    ['authorized', 'purchase'],
  ] as const)('%s payment is a purchase', async (payment, kind) => {
    const one = await opened()
    const { order } = await bought(one, payment)
    expect(await one.client.order(String(order.id))).toMatchObject({ kind, status: payment })
  })

  test('is returned again after refunds and cancellations', async () => {
    const one = await opened()
    const { order } = await bought(one)
    one.advance(60_000)
    const before = new Date(one.now()).toISOString()
    one.store.controls.changeOrder(order.id, 'refund')
    const refunded = { refundedMinor: order.totalMinor, kind: 'purchase', status: 'refunded' }
    expect((await pull(one, { modifiedSince: before })).flatMap(({ rows }) => rows)).toMatchObject([refunded])
    const other = await bought(one, 'authorized')
    one.store.controls.changeOrder(other.order.id, 'void')
    expect(await one.client.order(String(other.order.id))).toMatchObject({ kind: 'cancelled', paidAt: null })
  })
})

describe('the pull', () => {
  test('sends one request to a store without changes, regardless of earlier sales', async () => {
    const one = await opened()
    await bought(one)
    one.advance(86_400_000)
    await one.client.readProfile()
    const before = one.store.faults.log.length
    expect(await pull(one, { modifiedSince: new Date(one.now() - 60_000).toISOString() })).toEqual([
      { rows: [], skipped: [], page: 1, totalPages: 1, isLast: true, resumeFrom: null },
    ])
    expect(one.store.faults.log.length - before).toBe(1)
  })

  test('reads all pages by time of change, and continues after an interruption', async () => {
    const one = await opened()
    const { order } = await bought(one)
    const { id: _, ...rest } = order
    one.store.controls.insertOrders(
      Array.from({ length: 60 }, (_each, index) => ({
        ...rest,
        createdAt: one.now() - 3_600_000,
        updatedAt: one.now() - 3_600_000 + index * 1_000,
        checkoutToken: `checkout-${index}-token`,
        cartToken: `cart-${index}-token`,
      })),
    )
    const pages = await pull(one, { pageSize: 20 })
    const rows = pages.flatMap((page) => page.rows)
    expect(rows.length).toBe(61)
    expect(rows.map(({ modifiedAt }) => modifiedAt)).toEqual(rows.map(({ modifiedAt }) => modifiedAt).sort())
    expect(pages.map(({ isLast }) => isLast)).toEqual([...pages.slice(1).map(() => false), true])
    const again = await pull(one, { modifiedSince: pages[1]!.resumeFrom! })
    const missing = new Set(again.flatMap((page) => page.rows.map(({ orderId }) => orderId)))
    for (const page of pages.slice(2)) for (const { orderId } of page.rows) expect(missing).toContain(orderId)
  })

  test('reads all lines of an order with very many', async () => {
    const one = await opened()
    const { order } = await bought(one)
    const { id: _, ...rest } = order
    const lines = Array.from({ length: 130 }, (_each, index) => ({
      ...order.lines[0]!,
      id: 9_000 + index,
      quantity: index + 1,
    }))
    const [many] = one.store.controls.insertOrders([
      { ...rest, lines, checkoutToken: 'many-lines-token', cartToken: 'many-lines-cart' },
    ])
    expect((await one.client.order(String(many!.id)))?.items.length).toBe(130)
    const rows = (await pull(one)).flatMap((page) => page.rows)
    expect(rows.find(({ orderId }) => orderId === String(many!.id))?.items.map(({ quantity }) => quantity)).toEqual(
      lines.map(({ quantity }) => quantity),
    )
  })

  test('reads the remaining fields without customers, products or personal data', async () => {
    const one = await opened({ plan: 'basic', app: { scopes: ['read_orders'] } })
    one.store.controls.setScopes(['read_orders', 'read_products'])
    const { order } = await bought(one)
    one.store.controls.setScopes(['read_orders'])
    one.store.controls.revokeTokens()
    const read = (await collectRows(one.connect().orders({ modifiedSince: since }))).flatMap(({ rows }) => rows)
    expect(read).toMatchObject([
      { orderId: String(order.id), email: null, phone: null, firstName: null, items: [], country: 'US' },
    ])
  })

  test.each(['trash', 'pending'] as const)('returns nothing in the list "%s"', async (list) => {
    const one = await opened()
    expect(await collectRows(one.client.orders({ modifiedSince: since, list }))).toMatchObject([
      { rows: [], isLast: true },
    ])
  })
})
