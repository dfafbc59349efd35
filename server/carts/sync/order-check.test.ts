import type pg from 'pg'
import { beforeEach, expect, test } from 'vitest'
import { createConnectedStore, createSyncHelpers } from '../../../test/connected-store.ts'
import { buildOrder, buildProblem } from '../../../test/fake-store.ts'
import { createWorld } from '../../../test/world.ts'
import { subtractMs } from '../../access/stores/rules.ts'
import { openDb } from '../../core/db/db.ts'
import { beat } from '../../delivery/send/workers.ts'
import { checkOrders } from './order-check.ts'
import { sweepStore } from './sync.ts'
import { runSyncJob } from './sync-jobs.ts'

const world = createWorld()
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

beforeEach(() => {
  world.queued.length = 0
})

const { formatTimeBefore, runOrderCheck, readOrderIds, readStream, connectStoreWithOrders } = createSyncHelpers(world)

test('the first order check starts a week before the connection and is fresh', async () => {
  const { storeId, fake } = await connectStoreWithOrders()
  expect(await runOrderCheck(storeId)).toEqual({ isFresh: true, pulledAt: world.now })
  expect(fake.orderQueries[0]!.modifiedSince).toBe(formatTimeBefore(7 * DAY_MS))
  expect(await readOrderIds(storeId)).toEqual(['1', '2', '3', '4', '5'])
  const state = await readStream(storeId, 'order_check')
  expect(state).toMatchObject({ completed_start: world.now, lease_until: null, error_code: null, rows_seen: 5 })
  expect(state.watermark?.toISOString()).toBe(formatTimeBefore(MINUTE_MS))
})

test('a read that started within the last minute is reused, and an older one is not', async () => {
  const { storeId, fake } = await connectStoreWithOrders()
  await runOrderCheck(storeId)
  const first = world.now
  world.advance(60_000)
  expect(await runOrderCheck(storeId)).toEqual({ isFresh: true, pulledAt: first })
  expect(fake.orderQueries).toHaveLength(1)
  world.advance(1)
  expect(await runOrderCheck(storeId)).toEqual({ isFresh: true, pulledAt: world.now })
  expect(fake.orderQueries).toHaveLength(2)
})

test('a clock put back does not make an old read fresh when the same hour returns (D3, T4)', async () => {
  const { storeId, fake } = await connectStoreWithOrders()
  await beat(world.deps)
  await runOrderCheck(storeId)
  world.advance(-10 * MINUTE_MS)
  await beat(world.deps)
  world.advance(10 * MINUTE_MS)
  await beat(world.deps)
  await runOrderCheck(storeId)
  expect(fake.orderQueries).toHaveLength(2)
})

test('a read is not reused if the clock was set back while it ran (T4)', async () => {
  const { storeId, fake } = await connectStoreWithOrders()
  const began = world.now
  fake.beforePage = async () => {
    if (world.now >= began) world.advance(-1_000)
  }
  await runOrderCheck(storeId)
  world.advance(1_000)
  await runOrderCheck(storeId)
  expect(fake.orderQueries).toHaveLength(2)
})

test('the next read overlaps the last one by two minutes', async () => {
  const { storeId, fake } = await connectStoreWithOrders()
  await runOrderCheck(storeId)
  const newest = formatTimeBefore(MINUTE_MS)
  world.advance(2 * MINUTE_MS)
  await runOrderCheck(storeId)
  expect(fake.orderQueries[1]!.modifiedSince).toBe(subtractMs(new Date(newest), 120_000).toISOString())
})

test('a failed page leaves the watermark unchanged, and the check is not fresh', async () => {
  const { storeId, fake } = await connectStoreWithOrders()
  await runOrderCheck(storeId)
  const known = await readStream(storeId, 'order_check')
  world.advance(5 * MINUTE_MS)
  fake.allOrders = [1, 2, 3, 4].map((n) => buildOrder({ orderId: `n${n}`, modifiedAt: formatTimeBefore(5_000 - n) }))
  fake.failAt = { page: 2, problem: buildProblem('store_error', 'out of memory'), times: 1 }
  expect(await runOrderCheck(storeId)).toEqual({ isFresh: false, pulledAt: known.completed_start })
  expect(await readStream(storeId, 'order_check')).toMatchObject({
    watermark: known.watermark,
    completed_start: known.completed_start,
    failed_at: world.now,
    error_code: 'store_error',
    error_detail: 'out of memory',
    failures: 1,
    lease_until: null,
  })
  world.advance(5_000)
  expect(await runOrderCheck(storeId)).toEqual({ isFresh: true, pulledAt: world.now })
  expect(await readStream(storeId, 'order_check')).toMatchObject({ error_code: null, failures: 0 })
})

test('an order dated in the future does not hide changes before that date', async () => {
  const { storeId, fake } = await createConnectedStore(world)
  fake.allOrders = [buildOrder({ orderId: 'future', modifiedAt: formatTimeBefore(-DAY_MS) })]
  await runOrderCheck(storeId)
  expect((await readStream(storeId, 'order_check')).watermark).toEqual(world.now)
})

test('two concurrent order checks share one read', async () => {
  const { storeId, fake } = await connectStoreWithOrders()
  const opened = Promise.withResolvers<void>()
  fake.beforePage = () => opened.promise
  const both = Promise.all([runOrderCheck(storeId), runOrderCheck(storeId)])
  await expect.poll(() => fake.orderQueries.length).toBe(1)
  opened.resolve()
  expect(await both).toEqual([
    { isFresh: true, pulledAt: world.now },
    { isFresh: true, pulledAt: world.now },
  ])
  expect(fake.orderQueries).toHaveLength(1)
})

test('a caller that saw the state before another read completed does not read again', async () => {
  const { storeId } = await connectStoreWithOrders()
  await runOrderCheck(storeId)
  const late = { storeId, stream: 'order_check' as const, lastStart: null }
  expect(await runSyncJob(world.deps, late, () => expect.unreachable())).toEqual({ kind: 'busy' })
  expect(await readStream(storeId, 'order_check')).toMatchObject({ lease_until: null })
})

test('a read whose worker died is taken over when its lease ends', async () => {
  const { storeId } = await connectStoreWithOrders()
  const lease = new Date(world.now.getTime() + 10_000)
  await world.db
    .updateTable('sync_state')
    .set({ lease_until: lease, started_at: world.now })
    .where('store_id', '=', storeId)
    .execute()
  expect(await runOrderCheck(storeId, AbortSignal.timeout(300))).toEqual({ isFresh: false, pulledAt: null })
  world.advance(10_001)
  expect(await runOrderCheck(storeId)).toEqual({ isFresh: true, pulledAt: world.now })
})

test('a read during a database outage ends for all callers as soon as the database is back', async () => {
  const { storeId, fake } = await connectStoreWithOrders()
  let isAway = false
  const away = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' })
  const pool = {
    connect: () => (isAway ? Promise.reject(away()) : world.pool.connect()),
    end: async () => {},
  } as unknown as pg.Pool
  const deps = { ...world.deps, db: openDb(pool) }
  fake.beforePage = async () => {
    isAway = true
  }
  await expect(checkOrders(deps, { storeId, db: deps.db })).rejects.toThrow('ECONNREFUSED')
  fake.beforePage = async () => {}
  expect((await readStream(storeId, 'order_check')).lease_until).not.toBeNull()
  isAway = false
  await expect.poll(async () => (await readStream(storeId, 'order_check')).lease_until).toBeNull()
  expect(await runOrderCheck(storeId)).toEqual({ isFresh: true, pulledAt: world.now })
})

test('a lease dated in the future is ignored after the clock was set back', async () => {
  const { storeId } = await connectStoreWithOrders()
  await world.db
    .updateTable('sync_state')
    .set({ lease_until: new Date(world.now.getTime() + DAY_MS), started_at: world.now })
    .where('store_id', '=', storeId)
    .execute()
  expect((await runOrderCheck(storeId)).isFresh).toBe(true)
})

test('a read that takes too long is not fresh, and the next one continues behind its pages', async () => {
  const { storeId, fake } = await connectStoreWithOrders()
  let pages = 0
  fake.beforePage = async ({ signal }) => {
    pages += 1
    if (pages === 2) await new Promise((resolve) => signal!.addEventListener('abort', resolve))
  }
  expect(await runOrderCheck(storeId, AbortSignal.timeout(300))).toEqual({ isFresh: false, pulledAt: null })
  const state = await readStream(storeId, 'order_check')
  expect(state).toMatchObject({ completed_start: null, error_code: 'timeout', lease_until: null })
  expect(state.watermark?.toISOString()).toBe(formatTimeBefore(4 * MINUTE_MS))
  fake.beforePage = async () => {}
  world.advance(5_000)
  expect((await runOrderCheck(storeId)).isFresh).toBe(true)
  expect(await readOrderIds(storeId)).toHaveLength(5)
})

test('a recent sweep does not count as an order check (D3)', async () => {
  const { storeId, fake } = await connectStoreWithOrders()
  await sweepStore(world.deps, { storeId })
  fake.problem = buildProblem('unreachable')
  expect(await runOrderCheck(storeId)).toEqual({ isFresh: false, pulledAt: null })
})

test('a store that just failed is not asked again at once, but within 30 s (D3)', async () => {
  const { storeId, fake } = await connectStoreWithOrders()
  fake.problem = buildProblem('unreachable')
  const times: number[] = []
  const start = world.now.getTime()
  for (let second = 0; second <= 100; second++) {
    const before = fake.orderQueries.length
    await runOrderCheck(storeId)
    if (fake.orderQueries.length > before) times.push((world.now.getTime() - start) / 1_000)
    world.advance(1_000)
  }
  expect(times).toEqual([0, 5, 15, 35, 65, 95])
})

test('a hanging store gets one cheap request at growing intervals of up to 300 s', async () => {
  const { storeId, fake } = await connectStoreWithOrders()
  await runOrderCheck(storeId)
  world.advance(2 * MINUTE_MS)
  fake.problem = buildProblem('timeout')
  const times: number[] = []
  const start = world.now.getTime()
  const before = fake.orderQueries.length
  for (let second = 0; second <= 920; second++) {
    const known = fake.orderQueries.length
    await runOrderCheck(storeId)
    if (fake.orderQueries.length > known) times.push((world.now.getTime() - start) / 1_000)
    world.advance(1_000)
  }
  expect(times).toEqual([0, 5, 15, 35, 75, 155, 315, 615, 915])
  const [first, ...probes] = fake.orderQueries.slice(before)
  expect(first!.pageSize).toBeUndefined()
  expect(probes.map(({ pageSize }) => pageSize)).toEqual(probes.map(() => 1))
})

test('a store that answers again after hanging is read to the last page before the check is fresh (D3)', async () => {
  const { storeId, fake } = await connectStoreWithOrders()
  fake.problem = buildProblem('timeout')
  await runOrderCheck(storeId)
  fake.problem = null
  world.advance(5_000)
  expect(await runOrderCheck(storeId)).toEqual({ isFresh: true, pulledAt: world.now })
  expect(await readOrderIds(storeId)).toEqual(['1', '2', '3', '4', '5'])
  const [, probe, pull] = fake.orderQueries
  expect([probe!.pageSize, probe!.modifiedSince]).toEqual([1, world.now.toISOString()])
  expect([pull!.pageSize, pull!.modifiedSince]).toEqual([undefined, fake.orderQueries[0]!.modifiedSince])
})

test('a store that answers the probe and hangs at the list is not fresh', async () => {
  const { storeId, fake } = await connectStoreWithOrders()
  fake.problem = buildProblem('timeout')
  await runOrderCheck(storeId)
  fake.problem = null
  fake.beforePage = async ({ pageSize, signal }) => {
    if (pageSize !== 1) await new Promise((resolve) => signal!.addEventListener('abort', resolve))
  }
  world.advance(5_000)
  expect(await runOrderCheck(storeId, AbortSignal.timeout(300))).toEqual({ isFresh: false, pulledAt: null })
  expect(await readStream(storeId, 'order_check')).toMatchObject({
    error_code: 'timeout',
    failures: 2,
    lease_until: null,
  })
})

test('a store that failed for hours and then hangs once is read again after 20 s and counts as failing', async () => {
  const { storeId, fake } = await connectStoreWithOrders()
  fake.problem = buildProblem('unreachable')
  for (let n = 0; n < 12; n++) {
    await runOrderCheck(storeId)
    world.advance(MINUTE_MS)
  }
  fake.problem = buildProblem('timeout')
  await runOrderCheck(storeId)
  expect(await readStream(storeId, 'order_check')).toMatchObject({ error_code: 'timeout', failures: 3 })
  world.advance(20_000)
  fake.problem = null
  expect((await runOrderCheck(storeId)).isFresh).toBe(true)
})

test('a list too long for one check is not treated as hanging, and the next part follows within 20 s', async () => {
  const { storeId, fake } = await connectStoreWithOrders()
  fake.pageSize = 1
  let pages = 0
  fake.beforePage = async ({ pageSize, signal }) => {
    if (pageSize === 1) return
    pages += 1
    // Each part returns one order more than the previous.
    if (pages > 1) await new Promise((resolve) => signal!.addEventListener('abort', resolve))
  }
  await world.db
    .updateTable('sync_state')
    .set({ failures: 9, error_code: 'timeout' })
    .where('store_id', '=', storeId)
    .execute()
  expect((await runOrderCheck(storeId, AbortSignal.timeout(300))).isFresh).toBe(false)
  expect(await readStream(storeId, 'order_check')).toMatchObject({ error_code: 'timeout', failures: 3 })
})

test('a check releases its slot only while it waits for the store', async () => {
  const { storeId, fake } = await connectStoreWithOrders()
  const steps: string[] = []
  let isAside = false
  fake.beforePage = async () => void steps.push(isAside ? 'page aside' : 'page in place')
  await checkOrders(
    world.deps,
    { storeId, db: world.db },
    {
      async releaseSlot(wait) {
        isAside = true
        try {
          return await wait()
        } finally {
          isAside = false
        }
      },
    },
  )
  expect(new Set(steps)).toEqual(new Set(['page aside']))
  expect(steps).toHaveLength(3)
})

test('a failure dated in the future is ignored after the clock was set back (T4)', async () => {
  const { storeId, fake } = await connectStoreWithOrders()
  fake.problem = buildProblem('unreachable')
  await runOrderCheck(storeId)
  fake.problem = null
  world.advance(-MINUTE_MS)
  expect((await runOrderCheck(storeId)).isFresh).toBe(true)
})

test('the order check of a disconnected store sends no request and is never fresh', async () => {
  const { storeId, fake, owner } = await connectStoreWithOrders()
  await world.request('DELETE', '/api/stores/disconnect', { token: owner.token })
  expect((await runOrderCheck(storeId)).isFresh).toBe(false)
  expect(fake.orderQueries).toEqual([])
})
