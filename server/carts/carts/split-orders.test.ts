import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { readFigures } from '../../../test/figures.ts'
import { countPropertyRuns } from '../../../test/seed.ts'
import { buildTea, createShop, HOUR, MINUTE, pot, type Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { countFigures, rebuildFigures } from '../../insights/analytics/figures.ts'
import type { PlatformOrder } from '../../platforms/platform/platform.ts'

// Marketplaces store one purchase as several orders, which count once (A6). Renewals end no cart (S3).

const world = createWorld()
let shop: Shop
let n = 0
let email = ''

beforeEach(async () => {
  email = `ada${++n}@shoppers.example.com`
  shop = await createShop(world)
})

const both = [line('16', 4_000), line('17', 6_000)]

function line(productId: string, unitPriceMinor: number) {
  const item = { variationId: null, name: `Product ${productId}`, sku: null, quantity: 1, imageUrl: null }
  return { ...item, productId, unitPriceMinor }
}

type Order = Partial<PlatformOrder>
const buildParent = (order: Order = {}): Order => ({
  orderId: '5000',
  kind: 'purchase',
  email,
  totalMinor: 10_000,
  items: both,
  ...order,
})
const buildPart = (parentId: string, orderId: string, order: Order = {}): Order => {
  const [totalMinor, items] = orderId.endsWith('1') ? [4_000, [both[0]!]] : [6_000, [both[1]!]]
  return { ...buildParent({ parentId, orderId, totalMinor, items }), ...order }
}
const buildMarketplaceOrders = () => [buildParent(), buildPart('5000', '5001'), buildPart('5000', '5002')]

/** A cart whose shopper got a mail and clicked its link. */
async function createClickedCart() {
  const message = await shop.mailed({ email, firstName: 'Ada' })
  await shop.press(message.id)
  world.advance(MINUTE)
  return message
}

async function readFigureTotals() {
  const stats = (await shop.get('/api/dashboard/stats?platform=woocommerce')).body
  const [person] = (await shop.get(`/api/stores/customers/recent?search=${encodeURIComponent(email)}`)).body
  const { customer } = (await shop.get(`/api/customers/${person._id}`)).body
  await countFigures(world.deps)
  const counted = await readFigures(world.db, shop.storeId)
  await rebuildFigures({ storeId: shop.storeId, db: world.db }, world.now)
  expect(await readFigures(world.db, shop.storeId)).toEqual(counted)
  const figures = counted.order_figures as { source: string; orders: number; net_minor: number }[]
  return {
    revenue: stats.totalRevenue,
    orders: stats.recoveredOrders,
    carts: stats.recoveredCarts,
    life: customer.value,
    listed: customer.orders.total,
    figures: figures.map(({ source, orders, net_minor }) => ({ source, orders, net_minor })),
  }
}

const once = (minor: number) => ({
  revenue: minor / 100,
  orders: 1,
  carts: 1,
  listed: 1,
  life: [expect.objectContaining({ currency: 'USD', orders: 1 })],
  figures: [{ source: 'attributed', orders: 1, net_minor: minor }],
})

test('a purchase with one order per vendor counts once', async () => {
  await createClickedCart()
  for (const order of buildMarketplaceOrders()) await shop.order(order)
  expect(await readFigureTotals()).toEqual(once(10_000))
  expect((await shop.cart()).status).toBe('recovered')
})

test('the order and repetition of arriving orders do not change the figures', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }),
      fc.boolean(),
      async (places, isPlugin) => {
        email = `ada${++n}@shoppers.example.com`
        shop = await createShop(world)
        const message = await createClickedCart()
        const later = new Date(world.now.getTime() + HOUR).toISOString()
        const all = buildMarketplaceOrders().flatMap((order) => [
          order,
          { ...order, status: 'completed', modifiedAt: later },
        ])
        for (const place of places) await shop.order(all[place]!, isPlugin ? 'webhook' : 'sync')
        expect(await readFigureTotals()).toEqual(once(10_000))
        const counted = (await shop.orders()).filter((order) => order.purchased_at !== null)
        expect(counted).toMatchObject([{ order_id: '5000', message_id: message.id, cart_id: (await shop.cart()).id }])
        const news = (await shop.notifications()).filter(({ type }) => type === 'cart_recovered')
        expect(news).toHaveLength(1)
      },
    ),
    countPropertyRuns(6, 100),
  )
})

test('parts count on their own until their parent order is known', async () => {
  await createClickedCart()
  await shop.order(buildPart('5000', '5001'))
  await shop.order(buildPart('5000', '5002'))
  expect(await readFigureTotals()).toMatchObject({ revenue: 100, carts: 1 })
  await shop.order(buildParent())
  expect(await readFigureTotals()).toEqual(once(10_000))
})

test('figures follow when a parent is named later, changed or removed', async () => {
  await createClickedCart()
  const lone = { parentId: null }
  for (const order of [buildParent(), buildPart('', '5001', lone), buildPart('', '5002', lone)]) await shop.order(order)
  expect(await readFigureTotals()).toMatchObject({ revenue: 200 })
  world.advance(MINUTE)
  for (const id of ['5001', '5002']) await shop.order(buildPart('5000', id, { status: 'completed' }))
  expect(await readFigureTotals()).toEqual(once(10_000))
  world.advance(MINUTE)
  await shop.order(buildPart('4999', '5002'))
  expect(await readFigureTotals()).toMatchObject({ revenue: 160 })
  world.advance(MINUTE)
  await shop.order(buildPart('5000', '5002'))
  expect(await readFigureTotals()).toEqual(once(10_000))
})

test('a refunded or cancelled part is subtracted once', async () => {
  await createClickedCart()
  for (const order of buildMarketplaceOrders()) await shop.order(order)
  world.advance(MINUTE)
  await shop.order(buildPart('5000', '5001', { refundedMinor: 1_000 }))
  expect(await readFigureTotals()).toEqual(once(9_000))
  world.advance(MINUTE)
  // The plugin books the same refund on the parent as well.
  await shop.order(buildParent({ refundedMinor: 1_000 }))
  expect(await readFigureTotals()).toEqual(once(9_000))
  world.advance(MINUTE)
  await shop.order(buildPart('5000', '5002', { kind: 'cancelled' }))
  expect(await readFigureTotals()).toEqual(once(3_000))
  world.advance(MINUTE)
  await shop.order(buildParent({ kind: 'cancelled' }))
  await shop.order(buildPart('5000', '5001', { kind: 'cancelled' }))
  expect(await readFigureTotals()).toMatchObject({ revenue: 0, orders: 0, figures: [] })
})

test('parts still count when the parent is cancelled in favour of them', async () => {
  await createClickedCart()
  for (const order of buildMarketplaceOrders()) await shop.order(order)
  world.advance(MINUTE)
  await shop.order(buildParent({ kind: 'cancelled' }))
  expect(await readFigureTotals()).toMatchObject({ revenue: 100, carts: 1 })
})

test('an order that only groups its parts has their sum', async () => {
  await createClickedCart()
  for (const order of [buildParent({ totalMinor: 0 }), ...buildMarketplaceOrders().slice(1)]) await shop.order(order)
  expect(await readFigureTotals()).toEqual(once(10_000))
})

test('an order whose lines all moved to its parts is one purchase with them', async () => {
  await createClickedCart()
  for (const order of buildMarketplaceOrders())
    await shop.order(order.parentId ? order : { ...order, items: [], totalMinor: 0 })
  expect(await readFigureTotals()).toEqual(once(10_000))
})

test('an order with other products than its parent is a separate purchase', async () => {
  await createClickedCart()
  await shop.order(buildParent())
  await shop.order({ ...buildPart('5000', '5003'), items: [line('99', 2_500)], totalMinor: 2_500 })
  expect(await readFigureTotals()).toMatchObject({ revenue: 125, orders: 2, carts: 1 })
})

test('orders that name themselves or each other as parent still count once', async () => {
  await createClickedCart()
  await shop.order(buildParent({ parentId: '5000' }))
  expect(await readFigureTotals()).toEqual(once(10_000))
  world.advance(MINUTE)
  await shop.order(buildParent({ parentId: '5009' }))
  await shop.order({ ...buildParent({ orderId: '5009', parentId: '5000' }) })
  expect(await readFigureTotals()).toEqual(once(10_000))
})

test('a part that arrives after the shopper began another cart ends nothing', async () => {
  await createClickedCart()
  await shop.order(buildParent())
  world.advance(20 * MINUTE)
  await shop.fill('two', [pot])
  await shop.type('two', { email })
  world.advance(MINUTE)
  await shop.order(buildPart('5000', '5002'))
  expect((await shop.liveCarts()).map((cart) => cart.status)).toEqual(['recovered', 'active'])
})

test('an unpaid part neither holds messages nor changes the contents', async () => {
  await shop.fill('one', [buildTea(), pot])
  await shop.type('one', { email })
  await shop.order(buildPart('5000', '5001', { kind: 'pending' }))
  expect(await shop.cart()).toMatchObject({ status: 'active', item_count: 2, pending_until: null })
})

test('a part in a custom status subtracts nothing from the parent (A6, S4)', async () => {
  await createClickedCart()
  await shop.order(buildParent())
  const waiting = { status: 'at-vendor', amount: 'if_counted', paidAt: null } as const
  await shop.order(buildPart('5000', '5001', waiting))
  expect(await readFigureTotals()).toEqual(once(10_000))
  world.advance(MINUTE)
  await shop.order(buildPart('5000', '5001', { paidAt: null }))
  world.advance(MINUTE)
  await shop.order(buildPart('5000', '5001', { ...waiting, refundedMinor: 1_000 }))
  expect(await readFigureTotals()).toEqual(once(9_000))
})

test('parts count on their own while the parent is in a custom status that does not count (A6, S4)', async () => {
  await createClickedCart()
  const split = { status: 'split', amount: 'if_counted', paidAt: null } as const
  await shop.order(buildParent(split))
  await shop.order(buildPart('5000', '5001', { paidAt: null }))
  await shop.order(buildPart('5000', '5002', { paidAt: null }))
  expect(await readFigureTotals()).toMatchObject({ revenue: 100, carts: 1 })
  expect(await shop.cart()).toMatchObject({ status: 'recovered', is_void: false })
  world.advance(MINUTE)
  await shop.order(buildParent())
  expect(await readFigureTotals()).toEqual(once(10_000))
})

// Cancelled orders

test('a cancelled order keeps the state of its cart and counts nowhere', async () => {
  const message = await createClickedCart()
  await shop.order(buildParent())
  const { recoveryRate: before } = (await shop.get('/api/dashboard/stats?platform=woocommerce')).body
  expect(before).toBe(100)
  for (const change of [{ kind: 'cancelled' }, { refundedMinor: 10_000 }, { kind: 'trashed' }] as const) {
    world.advance(MINUTE)
    await shop.order(buildParent())
    expect(await readFigureTotals()).toMatchObject({ revenue: 100, carts: 1 })
    world.advance(MINUTE)
    await shop.order(buildParent(change))
    expect(await shop.cart()).toMatchObject({ status: 'recovered', badge: 'Recovered', is_void: true })
    expect(await readFigureTotals()).toMatchObject({ revenue: 0, orders: 0, carts: 0, figures: [] })
    const stats = (await shop.get('/api/dashboard/stats?platform=woocommerce')).body
    expect(stats).toMatchObject({ abandonedCarts: 1, recoveredCarts: 0, recoveryRate: 0 })
  }
  const counted = await readFigures(world.db, shop.storeId)
  expect(counted.cart_figures).toContainEqual(
    expect.objectContaining({ dimension: 'all', began_bought: 0, recovered: 0, unbought: 1 }),
  )
  expect(counted.funnel_figures).toContainEqual(expect.objectContaining({ channel: 'all', clicked: 1, converted: 0 }))
  expect(counted.product_figures).toMatchObject([{ recovered: 0, lost_minor: 2_100 }])
  // After the cancellation the shopper has bought nothing, so the cart may be restored.
  const restored = await shop.press(message.id)
  expect(restored.body).toMatchObject({ isOrdered: false, items: [{ product_id: '16', outcome: 'ok' }] })
})

test('a cancelled order of an earlier cart counts nowhere either', async () => {
  await createClickedCart()
  await shop.order(buildParent())
  world.advance(20 * MINUTE)
  await shop.fill('two', [pot])
  await shop.type('two', { email })
  world.advance(MINUTE)
  await shop.order(buildParent({ kind: 'cancelled' }))
  const [first, second] = await shop.liveCarts()
  expect([first, second]).toMatchObject([
    { status: 'recovered', is_void: true },
    { status: 'active', is_void: false },
  ])
})

test('an order with a zero total is not treated as cancelled', async () => {
  await createClickedCart()
  await shop.order(buildParent({ totalMinor: 0 }))
  expect(await shop.cart()).toMatchObject({ status: 'recovered', is_void: false })
  expect(await readFigureTotals()).toMatchObject({ revenue: 0, carts: 1 })
})

// Renewals

const buildRenewal = (order: Order = {}): Order => ({
  kind: 'purchase',
  email,
  totalMinor: 1_500,
  source: 'renewal',
  items: [line('30', 1_500)],
  ...order,
})

test('a renewal ends no cart, holds and attributes nothing, and counts in the customer’s value', async () => {
  await createClickedCart()
  await shop.order(buildRenewal({ kind: 'pending', orderId: '6000' }))
  await shop.order(buildRenewal({ orderId: '6000' }))
  await shop.order(buildRenewal({ kind: 'pending' }))
  expect(await shop.cart()).toMatchObject({ status: 'abandoned', pending_until: null })
  expect(await readFigureTotals()).toMatchObject({
    revenue: 0,
    carts: 0,
    figures: [{ source: 'organic', net_minor: 1_500 }],
  })
  expect((await readFigureTotals()).life).toMatchObject([{ orders: 1 }])
  await shop.passTime(24 * HOUR)
  expect((await shop.messages()).filter(({ state }) => state === 'sent')).toHaveLength(2)
})

test('a renewal with exactly the cart’s items ends it only if the shopper paid it in a checkout', async () => {
  await createClickedCart()
  await shop.order(buildRenewal({ items: [line('16', 4_000)] }))
  expect((await shop.cart()).status).toBe('abandoned')
  await shop.order(buildRenewal({ isPaidRenewal: true }))
  expect((await shop.cart()).status).toBe('abandoned')
  await shop.order(buildRenewal({ isPaidRenewal: true, items: [line('16', 4_000)] }))
  expect((await shop.cart()).status).toBe('purchased')
  expect(await readFigureTotals()).toMatchObject({ revenue: 0, carts: 0 })
})

test('a renewal split by a marketplace is still a renewal, and no part ends a cart', async () => {
  await shop.fill('one', [buildTea()])
  await shop.type('one', { email })
  await shop.order(buildRenewal({ orderId: '7000', items: both, totalMinor: 10_000 }))
  await shop.order(buildPart('7000', '7001'))
  expect((await shop.cart()).status).toBe('active')
  expect((await readFigureTotals()).life).toMatchObject([{ orders: 1 }])
})
