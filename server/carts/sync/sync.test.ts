import { beforeEach, expect, test } from 'vitest'
import { connectFakeStore, createConnectedStore, createSyncHelpers } from '../../../test/connected-store.ts'
import { buildCustomer, buildOrder, buildProblem, buildProduct, createFakeStore } from '../../../test/fake-store.ts'
import { createWorld } from '../../../test/world.ts'
import { subtractMs } from '../../access/stores/rules.ts'
import type { ReleaseSlot } from '../../core/common/concurrency.ts'
import { pullCustomers, pullProducts } from './local-copies.ts'
import { enqueueDueSyncs, importOrders, importStore, refreshOrder, sweepStore, syncStore } from './sync.ts'

const world = createWorld()
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

beforeEach(() => {
  world.queued.length = 0
})

const { formatTimeBefore, runOrderCheck, readOrderIds, readStream, connectStoreWithOrders } = createSyncHelpers(world)

test('the import reads ninety days, and an interrupted one resumes where it stopped', async () => {
  const { storeId, fake } = await createConnectedStore(world)
  fake.allOrders = [80, 60, 40, 20, 10].map((days) =>
    buildOrder({ orderId: String(days), modifiedAt: formatTimeBefore(days * DAY_MS) }),
  )
  fake.allOrders.push(buildOrder({ orderId: '100', modifiedAt: formatTimeBefore(100 * DAY_MS) }))
  fake.failAt = { page: 2, problem: buildProblem('timeout'), times: 1 }
  expect((await importOrders(world.deps, storeId)).kind).toBe('failed')
  expect(fake.orderQueries[0]!.modifiedSince).toBe(formatTimeBefore(90 * DAY_MS))
  const state = await readStream(storeId, 'import')
  expect(state).toMatchObject({ completed_at: null, error_code: 'timeout' })
  expect(state.watermark?.toISOString()).toBe(formatTimeBefore(60 * DAY_MS))
  expect((await importOrders(world.deps, storeId)).kind).toBe('done')
  expect(fake.orderQueries[1]!.modifiedSince).toBe(formatTimeBefore(60 * DAY_MS))
  expect(await readOrderIds(storeId)).toEqual(['10', '20', '40', '60', '80'])
  expect(await readStream(storeId, 'import')).toMatchObject({ completed_at: world.now, error_code: null })
})

test('reads of a deleted store end without an error', async () => {
  const { storeId } = await createConnectedStore(world)
  await world.db.deleteFrom('stores').where('id', '=', storeId).execute()
  await importStore(world.deps, { storeId })
  await syncStore(world.deps, { storeId })
  expect(await sweepStore(world.deps, { storeId })).toEqual({ kind: 'busy' })
})

test('the first sync fills every local copy, and a second one changes nothing', async () => {
  const { storeId, fake, owner } = await connectStoreWithOrders()
  fake.allProducts = [1, 2, 3].map((id) => buildProduct({ productId: String(id) }))
  fake.allProducts.push(buildProduct({ productId: '3', variationId: '31', name: 'Mug, blue\0' }))
  fake.allCustomers = [1, 2, 3].map((id) =>
    buildCustomer({ customerId: String(id), email: `Customer${id}@Mail.example.org` }),
  )
  await importStore(world.deps, { storeId })
  await importStore(world.deps, { storeId })
  const { body } = await world.request('GET', '/api/stores/health', { token: owner.token })
  expect(body.counts).toEqual({ orders: 5, customers: 3, products: 4 })
  const names = await world.db.selectFrom('products').select('name').where('variation_id', '=', '31').execute()
  expect(names).toEqual([{ name: 'Mug, blue' }])
  const emails = await world.db
    .selectFrom('customers')
    .select('email')
    .where('store_id', '=', storeId)
    .orderBy('customer_id')
    .execute()
  expect(emails[0]!.email).toBe('customer1@mail.example.org')
})

test('the sweep overlaps by ten minutes, and at night by two days including trashed orders', async () => {
  const { storeId, fake } = await connectStoreWithOrders()
  await sweepStore(world.deps, { storeId })
  const newest = formatTimeBefore(MINUTE_MS)
  await sweepStore(world.deps, { storeId })
  expect(fake.orderQueries[1]!.modifiedSince).toBe(subtractMs(new Date(newest), 10 * MINUTE_MS).toISOString())
  fake.trashed = [buildOrder({ orderId: '9', kind: 'trashed', status: 'trash', modifiedAt: formatTimeBefore(DAY_MS) })]
  await sweepStore(world.deps, { storeId, isNightly: true })
  expect(fake.orderQueries.slice(2).map((query) => [query.list, query.modifiedSince])).toEqual([
    [undefined, formatTimeBefore(2 * DAY_MS)],
    ['trash', formatTimeBefore(2 * DAY_MS)],
  ])
})

test('a failed page leaves the sweep’s watermark unchanged', async () => {
  const { storeId, fake } = await connectStoreWithOrders()
  await sweepStore(world.deps, { storeId })
  const known = await readStream(storeId, 'sweep')
  world.advance(15 * MINUTE_MS)
  fake.allOrders.push(
    ...[1, 2, 3].map((n) => buildOrder({ orderId: `n${n}`, modifiedAt: formatTimeBefore(10_000 - n) })),
  )
  fake.failAt = { page: 3, problem: buildProblem('bad_answer'), times: 1 }
  expect((await sweepStore(world.deps, { storeId })).kind).toBe('failed')
  expect(await readStream(storeId, 'sweep')).toMatchObject({
    watermark: known.watermark,
    completed_at: known.completed_at,
  })
})

test('a read waits when the store asks for it and continues where it was', async () => {
  const { storeId, fake } = await connectStoreWithOrders()
  const problem = Object.assign(buildProblem('rate_limited'), { retryAfterMs: 20 })
  fake.failAt = { page: 2, problem, times: 2 }
  expect((await sweepStore(world.deps, { storeId })).kind).toBe('done')
  expect(fake.orderQueries).toHaveLength(3)
  expect(fake.orderQueries[1]!.modifiedSince).toBe(formatTimeBefore(4 * MINUTE_MS))
  expect(await readOrderIds(storeId)).toHaveLength(5)
  fake.failAt = { page: 1, problem: Object.assign(buildProblem('rate_limited'), { retryAfterMs: 3_600_000 }), times: 1 }
  expect((await sweepStore(world.deps, { storeId })).kind).toBe('failed')
})

test('one store is never read twice at the same time', async () => {
  const { storeId, fake } = await connectStoreWithOrders()
  const opened = Promise.withResolvers<void>()
  fake.beforePage = () => opened.promise
  const first = sweepStore(world.deps, { storeId })
  await expect.poll(() => fake.orderQueries.length).toBe(1)
  expect(await sweepStore(world.deps, { storeId })).toEqual({ kind: 'busy' })
  opened.resolve()
  expect((await first).kind).toBe('done')
})

test('reading stops when the store is disconnected', async () => {
  const { storeId, fake, owner } = await connectStoreWithOrders()
  let pages = 0
  fake.beforePage = async () => {
    pages += 1
    if (pages === 2) await world.request('DELETE', '/api/stores/disconnect', { token: owner.token })
  }
  expect((await sweepStore(world.deps, { storeId })).kind).toBe('refused')
  expect(pages).toBe(2)
  expect(await readStream(storeId, 'sweep')).toMatchObject({ completed_at: null })
})

test('only a complete listing proves that a product is gone', async () => {
  const { storeId, fake } = await createConnectedStore(world)
  fake.allProducts = [1, 2, 3, 4].map((id) =>
    buildProduct({ productId: String(id), modifiedAt: formatTimeBefore(DAY_MS) }),
  )
  await pullProducts(world.deps, { storeId, isFull: true })
  const available = async () =>
    (
      await world.db
        .selectFrom('products')
        .select('product_id')
        .where('store_id', '=', storeId)
        .where('is_available', '=', true)
        .orderBy('product_id')
        .execute()
    ).map((row) => row.product_id)
  world.advance(15 * MINUTE_MS)
  fake.allProducts = fake.allProducts.filter((row) => row.productId !== '2')
  await pullProducts(world.deps, { storeId })
  expect(await available()).toEqual(['1', '2', '3', '4'])
  world.advance(15 * MINUTE_MS)
  fake.failAt = { page: 2, problem: buildProblem('timeout'), times: 1 }
  await pullProducts(world.deps, { storeId, isFull: true })
  expect(await available()).toEqual(['1', '2', '3', '4'])
  world.advance(15 * MINUTE_MS)
  await pullProducts(world.deps, { storeId, isFull: true })
  expect(await available()).toEqual(['1', '2', '3', '4'])
  world.advance(15 * MINUTE_MS)
  await pullProducts(world.deps, { storeId, isFull: true })
  expect(await available()).toEqual(['1', '3', '4'])
})

test('an interrupted listing of customers resumes at its next page', async () => {
  const { storeId, fake } = await createConnectedStore(world)
  fake.allCustomers = [1, 2, 3, 4, 5].map((id) => buildCustomer({ customerId: String(id) }))
  fake.failAt = { page: 2, problem: buildProblem('timeout'), times: 1 }
  expect((await pullCustomers(world.deps, { storeId })).kind).toBe('failed')
  expect(await readStream(storeId, 'customers')).toMatchObject({ cursor_page: 2 })
  expect(await pullCustomers(world.deps, { storeId })).toEqual({ kind: 'done', rowCount: 3 })
  expect(await readStream(storeId, 'customers')).toMatchObject({ cursor_page: null, completed_at: world.now })
})

test('once a day the periodic sync reads everything, and otherwise only changes', async () => {
  const { storeId, fake } = await connectStoreWithOrders()
  await importStore(world.deps, { storeId })
  fake.orderQueries.length = 0
  world.advance(15 * MINUTE_MS)
  await syncStore(world.deps, { storeId })
  expect(fake.orderQueries.map((query) => query.list)).toEqual([undefined])
  world.advance(DAY_MS)
  fake.profile.name = 'New Name'
  fake.profile.currency = 'EUR'
  await syncStore(world.deps, { storeId })
  expect(fake.orderQueries.map((query) => query.list)).toEqual([undefined, undefined, 'trash'])
  const row = await world.db
    .selectFrom('stores')
    .select(['name', 'currency'])
    .where('id', '=', storeId)
    .executeTakeFirst()
  expect(row).toEqual({ name: 'New Name', currency: 'EUR' })
})

test('due jobs are queued once: the import until it completes, the sweep every 15 minutes, webhooks daily', {
  tags: ['A1', 'A9'],
}, async () => {
  const { storeId, fake } = await connectStoreWithOrders()
  const due = async () => {
    world.queued.length = 0
    await enqueueDueSyncs(world.deps)
    await enqueueDueSyncs(world.deps)
    return world.queued.filter((job) => job.key === storeId).map((job) => job.name)
  }
  expect(await due()).toEqual(['stores.import', 'stores.sync', 'stores.webhooks'])
  await world.runJobs()
  expect(await due()).toEqual([])
  world.advance(14 * MINUTE_MS)
  expect(await due()).toEqual([])
  world.advance(1 * MINUTE_MS)
  expect(await due()).toEqual(['stores.sync'])
  fake.problem = buildProblem('unreachable')
  await world.runJobs()
  world.advance(4 * MINUTE_MS)
  expect(await due()).toEqual([])
  world.advance(1 * MINUTE_MS)
  expect(await due()).toEqual(['stores.sync'])
  fake.problem = null
  await world.runJobs()
  world.advance(DAY_MS)
  expect(await due()).toEqual(['stores.sync', 'stores.webhooks'])
})

test('a sweep whose process died is due when its lease ends, not 15 minutes later', async () => {
  const { storeId } = await connectStoreWithOrders()
  await syncStore(world.deps, { storeId })
  const lease_until = new Date(world.now.getTime() + MINUTE_MS)
  await world.db
    .updateTable('sync_state')
    .set({ lease_until, started_at: world.now })
    .where('store_id', '=', storeId)
    .where('stream', '=', 'sweep')
    .execute()
  const isDue = async () => {
    world.queued.length = 0
    await enqueueDueSyncs(world.deps)
    return world.queued.some((job) => job.key === storeId && job.name === 'stores.sync')
  }
  expect(await isDue()).toBe(false)
  world.advance(MINUTE_MS + 1)
  expect(await isDue()).toBe(true)
})

test('import and sweep release their slot for each answer of the store', async () => {
  const { storeId, fake } = await connectStoreWithOrders()
  const pages: string[] = []
  let isAside = false
  fake.beforePage = async () => void pages.push(isAside ? 'aside' : 'in place')
  const releaseSlot: ReleaseSlot = async (wait) => {
    isAside = true
    return wait().finally(() => {
      isAside = false
    })
  }
  await importStore(world.deps, { storeId }, releaseSlot)
  await syncStore(world.deps, { storeId }, releaseSlot)
  expect(new Set(pages)).toEqual(new Set(['aside']))
})

test('"sync now" reads the store and reports counts and age', async () => {
  const { fake, owner } = await connectStoreWithOrders()
  fake.allProducts = [buildProduct({ productId: '1' })]
  const sync = () => world.request('POST', '/api/stores/sync', { token: owner.token, body: {} })
  expect(await sync()).toMatchObject({
    status: 200,
    body: { success: true, counts: { orders: 5, customers: 0, products: 1 }, ageSeconds: 0 },
  })
  world.advance(90_000)
  const { body } = await world.request('GET', '/api/stores/health', { token: owner.token })
  expect(body).toMatchObject({ ageSeconds: 90, streams: { sweep: { rowsSeen: 5, problem: null, isRunning: false } } })
})

test('"sync now" reports the store’s error, and health keeps reporting it', async () => {
  const { fake, owner } = await connectStoreWithOrders()
  const sync = () => world.request('POST', '/api/stores/sync', { token: owner.token, body: {} })
  fake.problem = buildProblem('wrong_secret')
  expect(await sync()).toMatchObject({ status: 401, body: { code: 'store_credentials' } })
  fake.problem = buildProblem('unreachable')
  expect(await sync()).toMatchObject({ status: 503, body: { code: 'store_unreachable' } })
  const { body } = await world.request('GET', '/api/stores/health', { token: owner.token })
  expect(body.streams.sweep.problem).toContain('There is no response from this store address.')
  expect(body.streams.sweep.failedAt).toBe(world.now.toISOString())
})

test('keys encrypted with another secret are reported as unreadable, without stopping other stores', async () => {
  const { storeId, owner } = await connectStoreWithOrders()
  await world.db
    .updateTable('store_credentials')
    .set({ encrypted: Buffer.alloc(60) })
    .where('store_id', '=', storeId)
    .execute()
  expect((await sweepStore(world.deps, { storeId })).kind).toBe('refused')
  const { body } = await world.request('GET', '/api/stores/health', { token: owner.token })
  expect(body.streams.sweep.problem).toContain('Enter its keys again')
  expect((await world.request('POST', '/api/stores/sync', { token: owner.token, body: {} })).status).toBe(401)
  expect((await runOrderCheck(storeId)).isFresh).toBe(false)
})

test('an internal error releases the store for the next attempt', async () => {
  const { storeId, fake } = await connectStoreWithOrders()
  fake.failAt = { page: 2, problem: new TypeError('a bug'), times: 1 }
  await expect(sweepStore(world.deps, { storeId })).rejects.toThrow('a bug')
  expect(await readStream(storeId, 'sweep')).toMatchObject({ lease_until: null, error_code: 'internal' })
  expect((await sweepStore(world.deps, { storeId })).kind).toBe('done')
})

test('an order is read again after a webhook, and a missing one changes nothing', async () => {
  const { storeId, fake } = await connectStoreWithOrders()
  await refreshOrder(world.deps, { storeId, orderId: '3' })
  await refreshOrder(world.deps, { storeId, orderId: '404' })
  expect(await readOrderIds(storeId)).toEqual(['3'])
  fake.problem = buildProblem('unreachable')
  await expect(refreshOrder(world.deps, { storeId, orderId: '4' })).rejects.toThrow('unreachable')
})

test('a reconnected store continues reading where it stopped', async () => {
  const { storeId, fake, owner } = await connectStoreWithOrders()
  await importStore(world.deps, { storeId })
  const newest = formatTimeBefore(MINUTE_MS)
  await world.request('DELETE', '/api/stores/disconnect', { token: owner.token })
  world.advance(20 * DAY_MS)
  fake.orderQueries.length = 0
  await connectFakeStore(world, owner, fake)
  await world.runJobs()
  expect(fake.orderQueries[0]!.modifiedSince).toBe(subtractMs(new Date(newest), 10 * MINUTE_MS).toISOString())
})

test('an empty store is read completely', async () => {
  const { storeId } = await createConnectedStore(world, 'free', createFakeStore('https://empty.example.com'))
  await importStore(world.deps, { storeId })
  expect(await runOrderCheck(storeId)).toEqual({ isFresh: true, pulledAt: world.now })
  expect(await readStream(storeId, 'import')).toMatchObject({ completed_at: world.now, rows_seen: 0, watermark: null })
})
