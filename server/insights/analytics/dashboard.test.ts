import { expect, test } from 'vitest'
import { getProblemText } from '../../../shared/access/store-problems.ts'
import { dashboardTexts } from '../../../shared/insights/dashboard.ts'
import { createStore } from '../../../test/factories.ts'
import { buildTea, createShop, DAY, HOUR, MINUTE, type Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { countDuePeople, foldRollups } from './rollups.ts'

// The dashboard's calls (A 2.3, A 8) and what their figures mean (decision 28). The test stores are in New York.

const world = createWorld()
let n = 0

const stats = async (shop: { token: string }) => {
  const reply = await world.request('GET', '/api/dashboard/stats?platform=woocommerce', shop)
  expect(reply.status).toBe(200)
  return reply.body
}

const chart = async (shop: { token: string }, period: string) =>
  (await world.request('GET', `/api/dashboard/chart?period=${period}&platform=woocommerce`, shop)).body

/** Left behind for an hour; the shopper then presses Restore and buys, or does not. */
async function createCart(shop: Shop, { total, currency = 'USD' }: { total?: number; currency?: string } = {}) {
  const email = `ada${++n}@shoppers.example.com`
  await shop.fill(`browser-${n}`, [buildTea()])
  await shop.type(`browser-${n}`, { email, firstName: 'Ada' })
  await shop.passTime(HOUR)
  world.advance(10 * MINUTE)
  if (total === undefined) return
  const message = (await shop.messages()).find((each) => each.to_address === email)!
  await shop.press(message.id)
  world.advance(MINUTE)
  await shop.order({ kind: 'purchase', email, totalMinor: total, currency })
}

test('a store with nothing yet has zeros, no rate and no trends', async () => {
  const empty = await stats(await createShop(world))
  expect(empty).toMatchObject({
    abandonedCarts: 0,
    recoveredCarts: 0,
    totalRevenue: 0,
    monthlyRevenue: 0,
    recoveredOrders: 0,
    activeCustomers: 0,
  })
  expect(empty.recoveryRate).toBeNull()
  expect(new Set(Object.values(empty.trends))).toEqual(new Set([null]))
  expect(empty.otherCurrencies).toEqual([])
})

test('30 days of figures with their trends against the 30 before; the total since connecting', {
  tags: ['A2.3', 'A3', 'A7'],
}, async () => {
  const shop = await createShop(world, { plan: 'growth' })
  await createCart(shop, { total: 9_000 })
  world.advance(35 * DAY)
  await createCart(shop, { total: 4_000 })
  await createCart(shop)
  world.advance(31 * DAY)
  await createCart(shop, { total: 5_000 })
  await createCart(shop, { total: 1_000 })
  await createCart(shop, { total: 2_500, currency: 'EUR' })
  await createCart(shop)
  await shop.staySignedIn()
  const answer = await stats(shop)
  expect(answer).toMatchObject({
    abandonedCarts: 4,
    recoveredCarts: 3,
    recoveryRate: 75,
    currency: 'USD',
    totalRevenue: 190,
    monthlyRevenue: 60,
    recoveredOrders: 3,
    activeCustomers: 4,
    otherCurrencies: [{ currency: 'EUR', totalRevenue: 25, monthlyRevenue: 25 }],
  })
  expect(answer.trends).toEqual({
    abandonedCarts: 100,
    recoveredCarts: 200,
    recoveryRate: 50,
    activeCustomers: 100,
    revenue: 50,
    monthlyRevenue: 50,
    totalRevenue: 50,
    recoveredOrders: 200,
  })
  await foldRollups(world.deps)
  expect(await stats(shop)).toEqual(answer)
})

test('people are counted once regardless of their carts and orders, and again after 15 minutes', async () => {
  const shop = await createShop(world)
  await createCart(shop)
  expect((await stats(shop)).activeCustomers).toBe(1)
  await createCart(shop)
  await shop.fill('nameless', [buildTea()])
  await shop.order({ kind: 'purchase', email: `ada${n}@shoppers.example.com` })
  await shop.order({ kind: 'purchase', email: 'walk-in@shoppers.example.com' })
  await countDuePeople(world.deps)
  expect((await stats(shop)).activeCustomers).toBe(3)
  await createShop(world)
  await shop.order({ kind: 'purchase', email: 'second@shoppers.example.com' })
  world.advance(14 * MINUTE)
  await countDuePeople(world.deps)
  expect((await stats(shop)).activeCustomers).toBe(3)
  world.advance(MINUTE)
  await countDuePeople(world.deps)
  expect((await stats(shop)).activeCustomers).toBe(4)
})

test('the chart has carts by hour or day in the store’s time zone', { tags: ['A3', 'A7'] }, async () => {
  // Half past eight in the evening in New York, which is tomorrow already in UTC; abandoned an hour later.
  world.now = new Date('2026-06-11T00:30:00Z')
  const shop = await createShop(world)
  await createCart(shop, { total: 1_000 })
  const week = await chart(shop, 'week')
  expect(week.labels).toEqual(['Jun 4', 'Jun 5', 'Jun 6', 'Jun 7', 'Jun 8', 'Jun 9', 'Jun 10'])
  expect(week.datasets.map(({ label }: { label: string }) => label)).toEqual(['Abandoned', 'Recovered'])
  expect(week.datasets.map(({ data }: { data: number[] }) => data)).toEqual([
    [0, 0, 0, 0, 0, 0, 1],
    [0, 0, 0, 0, 0, 0, 1],
  ])
  expect(week.timeZone).toBe('America/New_York')
  expect(week.starts.at(-1)).toBe('2026-06-10T04:00:00.000Z')
  const day = await chart(shop, 'day')
  expect(day.labels).toHaveLength(24)
  expect(day.datasets[0].data.indexOf(1)).toBe(day.labels.indexOf('9 PM'))
  const month = await chart(shop, 'month')
  expect([month.labels.length, month.datasets[0].data.at(-1)]).toEqual([30, 1])
  expect((await world.request('GET', '/api/dashboard/chart?period=year', shop)).status).toBe(400)
})

test('the revenue chart has attributed net revenue at the time of the order, only in the store’s currency', async () => {
  const shop = await createShop(world)
  await createCart(shop, { total: 1_250 })
  await createCart(shop, { total: 2_500, currency: 'EUR' })
  await createCart(shop)
  const week = (await world.request('GET', '/api/dashboard/chart?period=week&measure=revenue', shop)).body
  expect(week.datasets.map(({ label }: { label: string }) => label)).toEqual(['Recovered revenue'])
  expect(week.datasets[0].data.reduce((sum: number, each: number) => sum + each, 0)).toBe(12.5)
  expect([week.currency, week.otherCurrencies]).toEqual(['USD', [{ currency: 'EUR', revenue: 25 }]])
  expect((await world.request('GET', '/api/dashboard/chart?measure=profit', shop)).status).toBe(400)
})

test('the path counts the carts of 30 days and their value: begun, abandoned, with a message, clicked, recovered', async () => {
  const shop = await createShop(world, { plan: 'growth' })
  await createCart(shop, { total: 9_000 })
  world.advance(35 * DAY)
  await createCart(shop, { total: 4_000 })
  await createCart(shop, { total: 2_500, currency: 'EUR' })
  await createCart(shop)
  await shop.fill('unknown shopper', [buildTea()])
  await shop.passTime(HOUR)
  await shop.fill('still active', [buildTea()])
  await shop.staySignedIn()
  const { status, body } = await world.request('GET', '/api/dashboard/path', shop)
  expect(status).toBe(200)
  const tea = buildTea()
  const value = (carts: number) => [{ currency: 'USD', amount: (carts * tea.unitPriceMinor! * tea.quantity) / 100 }]
  expect(body.stations.slice(0, 4)).toEqual([
    { station: 'cart', carts: 5, amounts: value(5) },
    { station: 'abandoned', carts: 4, amounts: value(4) },
    { station: 'message', carts: 3, amounts: value(3) },
    { station: 'click', carts: 2, amounts: value(2) },
  ])
  expect(body.stations[4]).toMatchObject({ station: 'bought', carts: 2 })
  expect(body.stations[4].amounts).toHaveLength(2)
  expect(body.stations[4].amounts).toEqual(
    expect.arrayContaining([
      { currency: 'USD', amount: 40 },
      { currency: 'EUR', amount: 25 },
    ]),
  )
  expect(body.lookedThrough).toBeUndefined()
})

test('the path ends with the same carts and revenue as the figures, also of carts abandoned before the 30 days', async () => {
  const shop = await createShop(world)
  await createCart(shop, { total: 4_000 })
  await createCart(shop, { total: 2_500 })
  await createCart(shop)
  const carts = world.db.selectFrom('carts').select('id').where('store_id', '=', shop.storeId)
  const { id } = await carts.where('status', '=', 'recovered').limit(1).executeTakeFirstOrThrow()
  await world.db
    .updateTable('carts')
    .set({ abandoned_at: new Date(world.now.getTime() - 40 * DAY) })
    .where('store_id', '=', shop.storeId)
    .where('id', '=', id)
    .execute()
  await shop.staySignedIn()
  const { stations } = (await world.request('GET', '/api/dashboard/path', shop)).body
  const figures = await stats(shop)
  expect(figures).toMatchObject({ abandonedCarts: 2, recoveredCarts: 2, monthlyRevenue: 65 })
  expect(stations[1]).toMatchObject({ station: 'abandoned', carts: figures.abandonedCarts })
  expect(stations[4]).toEqual({ station: 'bought', carts: 2, amounts: [{ currency: 'USD', amount: 65 }] })
})

async function failing(shop: Shop, code: string, { succeededAgo = 31 * MINUTE } = {}): Promise<void> {
  await world.db
    .updateTable('sync_state')
    .set({
      completed_at: new Date(world.now.getTime() - succeededAgo),
      failed_at: world.now,
      error_code: code,
    })
    .where('store_id', '=', shop.storeId)
    .execute()
}

test.each([
  ['unreachable', 503, 'store_unreachable', getProblemText('unreachable', null)],
  ['certificate', 503, 'store_unreachable', getProblemText('certificate', null)],
  ['wrong_key', 401, 'store_credentials', dashboardTexts.unauthorized],
  ['keys_unreadable', 401, 'store_credentials', dashboardTexts.unauthorized],
  ['shop_inactive', 404, 'not_found', dashboardTexts.notFound],
])(
  'syncs that fail with “%s” for 30 minutes are said instead of figures: %i',
  { tags: ['A8'] },
  async (code, status, name, text) => {
    const shop = await createShop(world)
    await failing(shop, code, { succeededAgo: 29 * MINUTE })
    expect((await world.request('GET', '/api/dashboard/stats', shop)).status).toBe(200)
    await failing(shop, code)
    for (const path of ['/api/dashboard/stats', '/api/dashboard/chart']) {
      const reply = await world.request('GET', path, shop)
      expect([reply.status, reply.body.code, reply.body.error]).toEqual([status, name, text])
    }
  },
)

test('a store that waits for its first sync has figures', async () => {
  const shop = await createShop(world, { orderCheckAgeMs: null })
  expect((await stats(shop)).syncAgeSeconds).toBeNull()
})

test('figures are visible to the account’s own members only, including viewers (X2, decision 8)', async () => {
  const shop = await createShop(world)
  const otherStore = await createStore(world)
  for (const path of ['/api/dashboard/stats', '/api/dashboard/chart', '/api/dashboard/path']) {
    expect((await world.request('GET', `${path}?storeId=${shop.storeId}`, otherStore)).status).toBe(404)
    expect((await world.request('GET', path)).status).toBe(401)
  }
  const viewer = await createStore(world, { role: 'viewer' })
  expect((await world.request('GET', '/api/dashboard/stats', viewer)).status).toBe(200)
})
