import { expect, test } from 'vitest'
import { buildTea, createShop, HOUR, MINUTE, type Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { countFigures } from './figures.ts'

// Dashboard and analytics over the stores of an account (A 9 "Multi-store Dashboard", decision 154). The test stores are in New York.

const world = createWorld()
let n = 0

interface Changes {
  currency?: string
  time_zone?: string
  is_active?: boolean
  name?: string
  connected_at?: Date
}

const change = (shop: Shop, values: Changes) =>
  world.db.updateTable('stores').set(values).where('id', '=', shop.storeId).execute()

/** Left behind for an hour, restored from its mail and bought; without `totalMinor` it is not. */
async function createCart(shop: Shop, order?: { totalMinor: number; currency: string }) {
  const email = `ada${++n}@shoppers.example.com`
  await shop.fill(`browser-${n}`, [buildTea()])
  await shop.type(`browser-${n}`, { email, firstName: 'Ada' })
  await shop.passTime(HOUR)
  world.advance(10 * MINUTE)
  if (!order) return
  const message = (await shop.messages()).find((each) => each.to_address === email)!
  await shop.press(message.id)
  world.advance(MINUTE)
  await shop.order({ kind: 'purchase', email, ...order })
}

const usd = (totalMinor: number) => ({ totalMinor, currency: 'USD' })
const eur = (totalMinor: number) => ({ totalMinor, currency: 'EUR' })

/** Two stores in dollars, one in euros, one in dollars that is not connected any more, and a stranger's in dollars. */
async function stores() {
  const home = await createShop(world, { plan: 'growth' })
  const accountId = home.accountId
  const [second, abroad, removed] = [
    await createShop(world, { accountId }),
    await createShop(world, { accountId }),
    await createShop(world, { accountId }),
  ]
  // Without an id a request means the store that was connected last.
  await change(home, { connected_at: new Date(world.now.getTime() + MINUTE) })
  await change(second, { time_zone: 'Asia/Tokyo' })
  await change(abroad, { currency: 'EUR' })
  const otherShop = await createShop(world, { plan: 'growth' })
  return { home, second, abroad, removed, otherShop }
}

const sumHere = (data: number[]) => data.reduce((sum, each) => sum + each, 0)

test('the dashboard of all stores sums the account’s connected stores with one currency', async () => {
  const { home, second, abroad, removed, otherShop } = await stores()
  await createCart(home, usd(4_000))
  await createCart(home, eur(100))
  await createCart(second, usd(2_500))
  await createCart(second, eur(250))
  await createCart(second)
  await createCart(abroad, eur(700))
  await createCart(removed, usd(99_900))
  await createCart(otherShop, usd(88_800))
  await change(removed, { is_active: false })
  const { body: all } = await home.get('/api/dashboard/stats?stores=all')
  expect(all).toMatchObject({
    currency: 'USD',
    abandonedCarts: 5,
    recoveredCarts: 4,
    recoveryRate: 80,
    recoveredOrders: 4,
    totalRevenue: 65,
    monthlyRevenue: 65,
    activeCustomers: 5,
    otherCurrencies: [{ currency: 'EUR', totalRevenue: 3.5, monthlyRevenue: 3.5 }],
  })
  expect(all.stores).toHaveLength(2)
  const { body: euros } = await home.get('/api/dashboard/stats?stores=all&currency=eur')
  expect(euros).toMatchObject({ currency: 'EUR', abandonedCarts: 1, totalRevenue: 7, otherCurrencies: [] })
  const { body: one } = await home.get('/api/dashboard/stats')
  expect([one.abandonedCarts, one.totalRevenue, one.stores]).toEqual([2, 40, undefined])
  const { body: chart } = await home.get('/api/dashboard/chart?stores=all&measure=revenue&period=month')
  expect([sumHere(chart.datasets[0].data), chart.currency]).toEqual([65, 'USD'])
  expect(chart.otherCurrencies).toEqual([{ currency: 'EUR', revenue: 3.5 }])
  await countFigures(world.deps)
  const { body: analytics } = await home.get('/api/analytics?stores=all')
  expect(analytics).toMatchObject({
    currency: 'USD',
    revenueOpportunity: 21,
    customers: { new: 4 },
    counts: { carts: 5, abandoned: 5, orders: 4 },
  })
  const { body: roi } = await home.get('/api/analytics/roi?stores=all')
  expect(roi.channels).toMatchObject([{ channel: 'email', attributedRevenue: 65 }])
  const { body: roiAbroad } = await home.get('/api/analytics/roi?stores=all&currency=EUR')
  expect(roiAbroad.channels).toMatchObject([{ channel: 'email', attributedRevenue: 7 }])
  for (const call of ['dashboard/stats', 'dashboard/chart', 'analytics', 'analytics/roi']) {
    expect((await home.get(`/api/${call}?stores=all&currency=CHF`)).status).toBe(422)
  }
})

test('each store counts by its own calendar', async () => {
  // On May 12 of both calendars: the 30th day before the end in New York, and the 31st in Tokyo.
  world.now = new Date('2026-05-12T08:00:00Z')
  const { home, second } = await stores()
  await createCart(second)
  // The second cart is abandoned at 23:40 of June 10 in Tokyo; at the end it is 20:30 of that day in New York, and June 11 in Tokyo.
  world.now = new Date('2026-06-10T12:30:00Z')
  await createCart(home)
  await createCart(second)
  world.now = new Date('2026-06-11T00:30:00Z')
  await home.staySignedIn()
  const { body } = await home.get('/api/dashboard/chart?stores=all&period=week')
  expect(body.labels.slice(-2)).toEqual(['Jun 9', 'Jun 10'])
  // For Tokyo yesterday, for New York today.
  expect(body.datasets[0].data.slice(-2)).toEqual([1, 1])
  expect((await home.get('/api/dashboard/stats?stores=all')).body.abandonedCarts).toBe(2)
  await countFigures(world.deps)
  expect((await home.get('/api/analytics?stores=all&range=30d')).body.counts.abandoned).toBe(2)
})

test('figures of all stores require the Growth plan', async () => {
  for (const plan of ['free', 'starter'] as const) {
    const shop = await createShop(world, { plan })
    for (const call of ['dashboard/stats', 'dashboard/chart']) {
      const { status, body } = await shop.get(`/api/${call}?stores=all`)
      expect([status, body.code]).toEqual([403, 'plan_required'])
      expect((await shop.get(`/api/${call}`)).status).toBe(200)
    }
  }
})

test('a store with failing syncs is named, and figures are missing only when all fail (A 8)', async () => {
  const { home, second, removed } = await stores()
  await change(removed, { is_active: false })
  await change(home, { name: 'Cups' })
  await change(second, { name: 'Pots' })
  const fail = (shop: Shop) =>
    world.db
      .updateTable('sync_state')
      .set({ completed_at: new Date(world.now.getTime() - HOUR), failed_at: world.now, error_code: 'unreachable' })
      .where('store_id', '=', shop.storeId)
      .execute()
  await fail(second)
  const { status, body } = await home.get('/api/dashboard/stats?stores=all')
  expect(status).toBe(200)
  expect(body.stores).toEqual([
    { name: 'Cups', isFailing: false },
    { name: 'Pots', isFailing: true },
  ])
  await fail(home)
  expect((await home.get('/api/dashboard/stats?stores=all')).status).toBe(503)
})
