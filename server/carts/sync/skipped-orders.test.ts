import { expect, onTestFinished, test } from 'vitest'
import { createConnectedStore, createSyncHelpers } from '../../../test/connected-store.ts'
import { buildOrder, buildProblem } from '../../../test/fake-store.ts'
import { createWorld } from '../../../test/world.ts'
import { PENDING_LIMIT_MS } from '../../access/stores/rules.ts'
import { foldStorePosts } from '../capture/capture-intake.ts'
import { pendingLimit } from './order-check.ts'

// Unpaid orders left out before consent are read again (C9, S4).

const world = createWorld()
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const { formatTimeBefore, runOrderCheck, readOrderIds, readStream, connectStoreWithOrders } = createSyncHelpers(world)

/** Consents in the shop's consent tool. */
async function agree(captureKey: string, origin: string, email: string) {
  const reply = await world.app.inject({
    method: 'POST',
    url: `/api/capture/${captureKey}`,
    headers: { origin, 'content-type': 'text/plain' },
    payload: JSON.stringify({
      cart: 'cart-of-ada-0123456789',
      page: 'page-of-ada-0123456789',
      seq: 1,
      agreed: true,
      items: [{ id: '11', quantity: 1 }],
      contact: { email },
    }),
  })
  expect(reply.statusCode).toBe(204)
}

test('an unpaid order that was left out is read again and holds the messages of a shopper who has consented since (C9, S4)', async () => {
  const { storeId, fake, captureKey } = await createConnectedStore(world)
  const email = 'ada@shoppers.example.com'
  await world.db.updateTable('stores').set({ before_consent: 'nothing' }).where('id', '=', storeId).execute()
  const unpaid = { orderId: 'unpaid', kind: 'pending', status: 'pending', email, paidAt: null } as const
  fake.allOrders = [
    buildOrder({ ...unpaid, modifiedAt: formatTimeBefore(10 * MINUTE_MS) }),
    buildOrder({ orderId: 'other', modifiedAt: formatTimeBefore(5_000) }),
  ]
  await runOrderCheck(storeId)
  expect(await readOrderIds(storeId)).not.toContain('unpaid')
  const { watermark } = await readStream(storeId, 'order_check')
  await agree(captureKey, fake.profile.homeUrl, email)
  await foldStorePosts(world.deps, { storeId, db: world.db })
  world.advance(2 * MINUTE_MS)
  expect((await runOrderCheck(storeId)).isFresh).toBe(true)
  const order = await world.db
    .selectFrom('orders')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('order_id', '=', 'unpaid')
    .executeTakeFirstOrThrow()
  expect(order).toMatchObject({ email, kind: 'pending' })
  const cart = await world.db.selectFrom('carts').selectAll().where('store_id', '=', storeId).executeTakeFirstOrThrow()
  expect([cart.shopper_id, cart.pending_until]).toEqual([
    order.shopper_id,
    new Date(order.modified_at.getTime() + DAY_MS),
  ])
  expect((await readStream(storeId, 'order_check')).watermark).toEqual(watermark)
  fake.beforePage = async ({ list }) => {
    if (list === 'pending') throw buildProblem('store_error')
  }
  world.advance(2 * MINUTE_MS)
  expect((await runOrderCheck(storeId)).isFresh).toBe(false)
})

test('slow unpaid orders do not stop the store from sending, and the owner is notified', async () => {
  const { storeId, fake } = await connectStoreWithOrders()
  await world.db.updateTable('stores').set({ before_consent: 'nothing' }).where('id', '=', storeId).execute()
  fake.beforePage = async ({ list, signal }) => {
    if (list !== 'pending') return
    await new Promise((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason)))
  }
  pendingLimit.ms = 10
  onTestFinished(() => {
    pendingLimit.ms = PENDING_LIMIT_MS
  })
  expect((await runOrderCheck(storeId)).isFresh).toBe(true)
  const { rows } = await world.pool.query(
    `select data from pending_notifications where type = 'store_check_failed'
    and store_id = $1`,
    [storeId],
  )
  expect(rows).toEqual([{ data: { code: 'timeout', detail: null, about: 'unpaid orders' } }])
})

test('consecutive checks read all unpaid orders in turn if each reads only one page', async () => {
  const { storeId, fake, captureKey } = await createConnectedStore(world)
  const email = 'ada@shoppers.example.com'
  await world.db.updateTable('stores').set({ before_consent: 'nothing' }).where('id', '=', storeId).execute()
  // The shopper of the last order has consented.
  fake.allOrders = [7, 6, 5, 4, 3].map((minutes) =>
    buildOrder({
      orderId: `unpaid-${minutes}`,
      kind: 'pending',
      status: 'pending',
      modifiedAt: formatTimeBefore(minutes * 60 * MINUTE_MS),
      ...(minutes === 3 && { email }),
    }),
  )
  fake.allOrders.push(buildOrder({ orderId: 'other', modifiedAt: formatTimeBefore(5_000) }))
  await runOrderCheck(storeId)
  await agree(captureKey, fake.profile.homeUrl, email)
  await foldStorePosts(world.deps, { storeId, db: world.db })
  pendingLimit.ms = 1_000
  onTestFinished(() => {
    pendingLimit.ms = PENDING_LIMIT_MS
  })
  let pages = 0
  fake.beforePage = async ({ list, signal }) => {
    if (list !== 'pending' || ++pages < 2) return
    await new Promise((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason)))
  }
  /** Start time of each check. */
  const starts: number[] = []
  const tryOnce = async () => {
    pages = 0
    world.advance(2 * MINUTE_MS)
    expect((await runOrderCheck(storeId)).isFresh).toBe(true)
    const { modifiedSince } = fake.orderQueries.findLast(({ list }) => list === 'pending')!
    starts.push(Math.round((world.now.getTime() - Date.parse(modifiedSince)) / (60 * MINUTE_MS)))
  }
  // A slow machine may need one more check.
  while (starts.length < 20 && !(await readOrderIds(storeId)).includes('unpaid-3')) await tryOnce()
  expect(await readOrderIds(storeId)).toContain('unpaid-3')
  expect([...new Set(starts)]).toEqual([24, 6, 5, 4, 3].slice(0, new Set(starts).size))
  // The end was reached, so the next check starts over.
  while (starts.at(-1) !== 24 && starts.length < 25) await tryOnce()
  expect(starts.at(-1)).toBe(24)
})

test('unpaid orders are read again for a day after the owner chose to keep cart and contact', async () => {
  const { storeId, fake, owner } = await connectStoreWithOrders()
  const choose = (mode: string) =>
    world.request('PUT', '/api/consent/capture', {
      token: owner.token,
      body: { mode, legalGround: 'Our lawyer has confirmed that we may keep this.' },
    })
  expect((await choose('nothing')).status).toBe(200)
  await runOrderCheck(storeId)
  expect((await choose('cart_and_contact')).status).toBe(200)
  const lists = async (ms: number) => {
    world.advance(ms)
    fake.orderQueries.length = 0
    await runOrderCheck(storeId)
    return fake.orderQueries.map(({ list }) => list)
  }
  expect(await lists(2 * MINUTE_MS)).toEqual([undefined, 'pending'])
  expect(await lists(DAY_MS)).toEqual([undefined])
})

test('a store that keeps cart and contact is not asked again for unpaid orders', async () => {
  const { storeId, fake } = await connectStoreWithOrders()
  await runOrderCheck(storeId)
  expect(fake.orderQueries.map(({ list }) => list)).toEqual([undefined])
})
