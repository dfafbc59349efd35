import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type ConnectedStore, createConnectedStore, createSyncHelpers } from '../../../test/connected-store.ts'
import { buildOrder, buildProblem } from '../../../test/fake-store.ts'
import { createWorld } from '../../../test/world.ts'
import { sweepStore } from '../sync/sync.ts'
import { foldStalePosts } from './capture-intake.ts'

// A store that cannot notify us: its checkout empties the cart, and the order is read soon after, at a limited rate
// (Y2).

const world = createWorld()
const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const ADA = 'ada@shoppers.example'
const { readOrderIds, readStream } = createSyncHelpers(world)
let store: ConnectedStore
let n = 0

beforeEach(async () => {
  // The server folds some milliseconds after each post, which would queue a read at any moment of a test.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  store = await createConnectedStore(world)
  world.storeClient = () => store.fake
})

afterEach(() => vi.useRealTimers())

const token = (name: string) => `${name}-`.padEnd(20, 'x')

async function post(cart: string, news: object) {
  const reply = await world.app.inject({
    method: 'POST',
    url: `/api/capture/${store.captureKey}`,
    headers: { origin: store.fake.profile.storeUrl, 'content-type': 'text/plain' },
    payload: JSON.stringify({ cart: token(cart), page: token('page'), seq: ++n, ...news }),
  })
  expect(reply.statusCode).toBe(204)
}

const foldPosts = () => foldStalePosts(world.deps, 0)

/** Fills a cart, types a contact at the checkout, and reports the cart as empty. */
async function checkOut(cart: string, contact: object = { email: ADA }) {
  await post(cart, { items: [{ id: '16', quantity: 1 }], coupons: [] })
  await post(cart, { contact })
  await foldPosts()
  world.advance(20 * SECOND_MS)
  await post(cart, { items: [], coupons: [] })
  await foldPosts()
}

function place(orderId: string) {
  const at = world.now.toISOString()
  store.fake.allOrders.unshift(
    buildOrder({
      orderId,
      email: ADA,
      kind: 'purchase',
      status: 'processing',
      createdAt: at,
      paidAt: at,
      modifiedAt: at,
    }),
  )
}

const cartStates = async () =>
  (await world.db.selectFrom('carts').select('status').where('store_id', '=', store.storeId).execute()).map(
    ({ status }) => status,
  )

test('the order of a cart that the checkout emptied is read at once, not by the next sweep', async () => {
  await sweepStore(world.deps, store)
  world.advance(5 * MINUTE_MS)
  place('501')
  await checkOut('cart')
  expect(await cartStates()).toEqual(['emptied'])
  await world.runJobs()
  expect(await readOrderIds(store.storeId)).toEqual(['501'])
  expect(await cartStates()).toEqual(['purchased'])
})

test('a hundred posts of a cart filled and emptied trigger one read of the orders, and later ones at most one a minute', async () => {
  const readsOf = async (work: () => Promise<unknown>) => {
    const before = store.fake.orderQueries.length
    await work()
    await world.runJobs()
    return store.fake.orderQueries.length - before
  }
  await checkOut('flood')
  await world.runJobs()
  world.advance(MINUTE_MS)
  const flood = async () => {
    for (let count = 0; count < 50; count += 1) {
      await post('flood', { items: [{ id: '16', quantity: 1 }], coupons: [] })
      await post('flood', { items: [], coupons: [] })
      if (count % 10 === 0) await foldPosts()
    }
    await foldPosts()
  }
  expect(await readsOf(flood)).toBe(1)
  // The waiting job reads the orders placed meanwhile.
  expect(await readsOf(flood)).toBe(0)
  place('502')
  world.advance(MINUTE_MS - SECOND_MS)
  expect(await readsOf(flood)).toBe(0)
  world.advance(SECOND_MS)
  expect(await readsOf(async () => {})).toBe(1)
  expect(await readOrderIds(store.storeId)).toContain('502')
  world.advance(10 * MINUTE_MS)
  expect(await readsOf(async () => {})).toBe(0)
})

test('a read in progress or just done for another reason delays the queued one, which still runs', async () => {
  await sweepStore(world.deps, store)
  world.advance(30 * SECOND_MS)
  await checkOut('cart')
  world.advance(5 * SECOND_MS)
  await sweepStore(world.deps, store)
  place('503')
  world.advance(30 * SECOND_MS)
  await world.runJobs()
  expect(await readOrderIds(store.storeId)).toEqual([])
  world.advance(MINUTE_MS)
  await world.runJobs()
  expect(await readOrderIds(store.storeId)).toEqual(['503'])
})

test('an unreachable store is not queried more often', async () => {
  store.fake.problem = buildProblem('unreachable')
  await checkOut('cart')
  await world.runJobs()
  const failedAt = (await readStream(store.storeId, 'sweep')).failed_at
  expect(failedAt).toEqual(world.now)
  world.advance(10 * SECOND_MS)
  await checkOut('other', { email: 'bob@shoppers.example' })
  await world.runJobs()
  expect((await readStream(store.storeId, 'sweep')).failed_at).toEqual(failedAt)
})

test('no read is triggered without a contact, after a known purchase, or for a store that notifies us', async () => {
  await checkOut('nameless', { firstName: 'Ada', lastName: 'L' })
  expect(world.queued).toEqual([])
  place('504')
  await post('bought', { items: [{ id: '16', quantity: 1 }], coupons: [], contact: { email: ADA } })
  await foldPosts()
  await sweepStore(world.deps, store)
  world.advance(MINUTE_MS)
  await post('bought', { items: [], coupons: [] })
  await foldPosts()
  expect(world.queued).toEqual([])
  const hook = { store_id: store.storeId, topic: 'order.updated', webhook_id: '1', status: 'active' }
  await world.db
    .insertInto('store_webhooks')
    .values({ ...hook, encrypted_secret: Buffer.from('x'), checked_at: world.now, last_delivery_at: world.now })
    .execute()
  await checkOut('notified')
  expect(world.queued).toEqual([])
  world.advance(24 * 60 * MINUTE_MS)
  await checkOut('silent', { email: 'cal@shoppers.example' })
  expect(world.queued).toMatchObject([{ name: 'stores.new-orders', key: store.storeId }])
})
