import { beforeEach, expect, test } from 'vitest'
import type { ReleaseSlot } from '../server/core/common/concurrency.ts'
import { handlers } from '../server/worker.ts'
import { type ConnectedStore, createConnectedStore } from './connected-store.ts'
import { createCouponShop } from './coupon-scene.ts'
import { buildOrder, buildProblem, type FakeStore } from './fake-store.ts'
import { createWorld } from './world.ts'

// A job that calls a shop frees its job slot while the shop hangs (D8). Most jobs step aside; jobs that
// read one record skip a hanging shop.

const world = createWorld()

beforeEach(() => {
  world.queued.length = 0
})

/** Counts how often the job steps aside. */
async function countAside(name: string, storeId: string, more: object = {}): Promise<number> {
  let waits = 0
  const releaseSlot: ReleaseSlot = (wait) => {
    waits += 1
    return wait()
  }
  await handlers.find(({ job }) => job.name === name)!.run(world.deps, { storeId, ...more }, releaseSlot)
  return waits
}

/** Makes every call of the store hang. */
function hang(fake: FakeStore): void {
  fake.problem = buildProblem('timeout')
}

test.each([
  'stores.import',
  'stores.sync',
  'stores.webhooks',
  'stores.products',
  'stores.new-orders',
  'stores.profile',
  'brand.propose',
])('%s steps aside while a shop hangs', async (name) => {
  const { storeId, fake } = await createConnectedStore(world)
  // Shops deliver webhooks to public addresses only.
  world.deps.config = { ...world.deps.config, publicUrl: 'https://recoup.acme.com' }
  world.advance(120_000)
  hang(fake)
  expect(await countAside(name, storeId)).toBeGreaterThan(0)
})

test('creating and deleting personal codes steps aside while the shop hangs', async () => {
  const shop = await createCouponShop(world)
  await shop.abandoned('ada', 'bob')
  expect(await countAside('coupons.codes', shop.storeId)).toBe(1)
  await shop.order({ kind: 'purchase', email: 'ada@shoppers.example.com' })
  hang(shop.fake)
  expect(await countAside('coupons.tidy-codes', shop.storeId)).toBe(1)
})

async function createShopWithCoupons(): Promise<ConnectedStore> {
  const shop = await createConnectedStore(world)
  const formatInDays = (days: number) => new Date(world.now.getTime() + days * 86_400_000).toISOString()
  for (const code of ['SOON', 'LATER']) {
    const body = { code, type: 'percentage', amount: 10, startDate: formatInDays(1), endDate: formatInDays(7) }
    const reply = await world.request('POST', '/api/coupons', { token: shop.owner.token, body })
    expect(reply.status).toBe(200)
  }
  world.advance(86_400_000)
  return shop
}

test('starting coupons and counting uses steps aside, and a shop that hangs at one coupon gets no further call', async () => {
  const { storeId, fake } = await createShopWithCoupons()
  hang(fake)
  expect(await countAside('coupons.uses', storeId)).toBe(1)
  expect(await countAside('coupons.begin', storeId)).toBe(1)
  fake.problem = null
  expect(await countAside('coupons.begin', storeId)).toBe(2)
})

test('a coupon that always hangs does not keep other coupons from starting', async () => {
  const { storeId, fake } = await createShopWithCoupons()
  const update = fake.updateCoupon
  const countWaiting = () =>
    world.db.selectFrom('coupons').select('platform_id').where('store_id', '=', storeId).where('is_withheld', '=', true)
  const [stuck] = await countWaiting().orderBy('starts_at').execute()
  fake.updateCoupon = async (id, change) => {
    if (id === stuck!.platform_id) throw buildProblem('timeout')
    return update(id, change)
  }
  for (let minute = 0; minute < 2; minute++) {
    await countAside('coupons.begin', storeId)
    world.advance(60_000)
  }
  expect(await countWaiting().execute()).toEqual([stuck])
})

test.each([
  ['stores.uninstalled', { tries: 1 }, 11],
  ['brand.propose', { isAgain: true }, 1],
])('%s of a hanging shop is retried later, a limited number of times', async (name, payload, most) => {
  const { storeId, fake } = await createConnectedStore(world)
  hang(fake)
  fake.logos = async function* () {
    yield await Promise.reject(fake.problem)
  }
  let next: object | undefined = {}
  for (let tries = 0; next; tries++) {
    expect(tries).toBeLessThanOrEqual(most)
    world.queued.length = 0
    await countAside(name, storeId, next)
    next = world.queued.find((each) => each.name === name)?.payload as object | undefined
    if (tries === 0) expect(next).toMatchObject({ storeId, ...payload })
  }
})

const RECORDS = [
  ['stores.order', { orderId: '75' }],
  ['stores.checkout', { checkoutId: '75', checkoutToken: null, cartToken: null }],
  ['stores.customer', { customerId: '75' }],
] as const

test.each(RECORDS)('%s calls a hanging shop with growing delays and fails at once in between', async (name, more) => {
  const { storeId, fake } = await createConnectedStore(world)
  let requestCount = 0
  world.storeClient = () =>
    new Proxy(fake, {
      get(target, member) {
        if (member === 'order' || member === 'checkout' || member === 'customer') requestCount += 1
        return Reflect.get(target, member)
      },
    })
  hang(fake)
  const run = () => expect(countAside(name, storeId, more)).rejects.toMatchObject({ code: 'timeout' })
  for (const [n, seconds] of [5, 10, 20, 40, 80, 160, 300, 300].entries()) {
    await run()
    expect(requestCount).toBe(n + 1)
    world.advance(seconds * 1_000 - 1)
    await run()
    expect(requestCount).toBe(n + 1)
    world.advance(1)
  }
  fake.problem = null
  await countAside(name, storeId, more)
  expect(requestCount).toBe(9)
  await countAside(name, storeId, more)
  expect(requestCount).toBe(10)
})

test.each([
  ['order_check', 'timeout'],
  ['sweep', 'timeout'],
  ['sweep', 'store_error'],
  ['goods_check', 'timeout'],
] as const)('single orders are still requested from a shop whose %s failed with %s', async (stream, error_code) => {
  const { storeId, fake } = await createConnectedStore(world)
  fake.allOrders = [buildOrder({ orderId: '75', modifiedAt: world.now.toISOString() })]
  const failure = { failed_at: world.now, failures: 3, error_code }
  await world.db
    .insertInto('sync_state')
    .values({ store_id: storeId, stream, ...failure })
    .onConflict((conflict) => conflict.columns(['store_id', 'stream']).doUpdateSet(failure))
    .execute()
  await countAside('stores.order', storeId, { orderId: '75' })
  const orders = world.db.selectFrom('orders').select('order_id').where('store_id', '=', storeId)
  expect(await orders.execute()).toHaveLength(1)
})
