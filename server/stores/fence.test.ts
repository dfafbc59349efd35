import type pg from 'pg'
import { beforeEach, expect, test } from 'vitest'
import { aWorld } from '../../test/world.ts'
import { openDb } from '../db.ts'
import { beat } from '../instance/workers.ts'
import { aConnectedStore, readings } from './connected-store.ts'
import { anOrder, aProblem } from './fake-store.ts'
import { pullFence } from './fence.ts'
import { before } from './rules.ts'
import { sweepStore } from './sync.ts'

const world = aWorld()
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

beforeEach(() => {
  world.queued.length = 0
})

const { ago, fence, orderIds, streamOf, aStoreWithOrders } = readings(world)

test('the first fence reaches back a week before connecting, and comes out fresh', async () => {
  const { storeId, fake } = await aStoreWithOrders()
  expect(await fence(storeId)).toEqual({ isFresh: true, pulledAt: world.now })
  expect(fake.orderQueries[0]!.modifiedSince).toBe(ago(7 * DAY_MS))
  expect(await orderIds(storeId)).toEqual(['1', '2', '3', '4', '5'])
  const state = await streamOf(storeId, 'fence')
  expect(state).toMatchObject({ completed_start: world.now, lease_until: null, error_code: null, rows_seen: 5 })
  expect(state.watermark?.toISOString()).toBe(ago(MINUTE_MS))
})

test('a pull that started within the last minute is used again, an older one is not', async () => {
  const { storeId, fake } = await aStoreWithOrders()
  await fence(storeId)
  const first = world.now
  world.advance(60_000)
  expect(await fence(storeId)).toEqual({ isFresh: true, pulledAt: first })
  expect(fake.orderQueries).toHaveLength(1)
  world.advance(1)
  expect(await fence(storeId)).toEqual({ isFresh: true, pulledAt: world.now })
  expect(fake.orderQueries).toHaveLength(2)
})

test('a clock put back does not make a pull young again when the same hour comes back (D3, T4)', async () => {
  const { storeId, fake } = await aStoreWithOrders()
  await beat(world.deps)
  await fence(storeId)
  world.advance(-10 * MINUTE_MS)
  await beat(world.deps)
  world.advance(10 * MINUTE_MS)
  await beat(world.deps)
  await fence(storeId)
  expect(fake.orderQueries).toHaveLength(2)
})

test('a pull that ends before it began, by the clock, says nothing of its age (T4)', async () => {
  const { storeId, fake } = await aStoreWithOrders()
  const began = world.now
  fake.beforePage = async () => {
    if (world.now >= began) world.advance(-1_000)
  }
  await fence(storeId)
  world.advance(1_000)
  await fence(storeId)
  expect(fake.orderQueries).toHaveLength(2)
})

test('the next pull overlaps the last one by two minutes', async () => {
  const { storeId, fake } = await aStoreWithOrders()
  await fence(storeId)
  const newest = ago(MINUTE_MS)
  world.advance(2 * MINUTE_MS)
  await fence(storeId)
  expect(fake.orderQueries[1]!.modifiedSince).toBe(before(new Date(newest), 120_000).toISOString())
})

test('a failed page leaves the fence’s watermark where it was, and it is not fresh', async () => {
  const { storeId, fake } = await aStoreWithOrders()
  await fence(storeId)
  const known = await streamOf(storeId, 'fence')
  world.advance(5 * MINUTE_MS)
  fake.allOrders = [1, 2, 3, 4].map((n) => anOrder({ orderId: `n${n}`, modifiedAt: ago(5_000 - n) }))
  fake.failAt = { page: 2, problem: aProblem('store_error', 'out of memory'), times: 1 }
  expect(await fence(storeId)).toEqual({ isFresh: false, pulledAt: known.completed_start })
  expect(await streamOf(storeId, 'fence')).toMatchObject({
    watermark: known.watermark,
    completed_start: known.completed_start,
    failed_at: world.now,
    error_code: 'store_error',
    error_detail: 'out of memory',
    lease_until: null,
  })
  expect(await fence(storeId)).toEqual({ isFresh: true, pulledAt: world.now })
  expect(await streamOf(storeId, 'fence')).toMatchObject({ error_code: null })
})

test('an order dated in the future does not hide what changes before that date', async () => {
  const { storeId, fake } = await aConnectedStore(world)
  fake.allOrders = [anOrder({ orderId: 'future', modifiedAt: ago(-DAY_MS) })]
  await fence(storeId)
  expect((await streamOf(storeId, 'fence')).watermark).toEqual(world.now)
})

test('two who need the fence at the same moment share one pull', async () => {
  const { storeId, fake } = await aStoreWithOrders()
  const opened = Promise.withResolvers<void>()
  fake.beforePage = () => opened.promise
  const both = Promise.all([fence(storeId), fence(storeId)])
  await expect.poll(() => fake.orderQueries.length).toBe(1)
  opened.resolve()
  expect(await both).toEqual([
    { isFresh: true, pulledAt: world.now },
    { isFresh: true, pulledAt: world.now },
  ])
  expect(fake.orderQueries).toHaveLength(1)
})

test('a pull whose worker died is taken over when its lease ends', async () => {
  const { storeId } = await aStoreWithOrders()
  const lease = new Date(world.now.getTime() + 10_000)
  await world.db
    .updateTable('sync_state')
    .set({ lease_until: lease, started_at: world.now })
    .where('store_id', '=', storeId)
    .execute()
  expect(await fence(storeId, AbortSignal.timeout(300))).toEqual({ isFresh: false, pulledAt: null })
  world.advance(10_001)
  expect(await fence(storeId)).toEqual({ isFresh: true, pulledAt: world.now })
})

test('a pull during which the database went away is over for everybody as soon as it is back', async () => {
  const { storeId, fake } = await aStoreWithOrders()
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
  await expect(pullFence(deps, storeId, new AbortController().signal)).rejects.toThrow('ECONNREFUSED')
  fake.beforePage = async () => {}
  expect((await streamOf(storeId, 'fence')).lease_until).not.toBeNull()
  isAway = false
  await expect.poll(async () => (await streamOf(storeId, 'fence')).lease_until).toBeNull()
  expect(await fence(storeId)).toEqual({ isFresh: true, pulledAt: world.now })
})

test('a lease given by a clock that has stepped back since does not hold anybody up', async () => {
  const { storeId } = await aStoreWithOrders()
  await world.db
    .updateTable('sync_state')
    .set({ lease_until: new Date(world.now.getTime() + DAY_MS), started_at: world.now })
    .where('store_id', '=', storeId)
    .execute()
  expect((await fence(storeId)).isFresh).toBe(true)
})

test('a pull that takes too long is not fresh, and the next one goes on behind the pages it read', async () => {
  const { storeId, fake } = await aStoreWithOrders()
  let pages = 0
  fake.beforePage = async ({ signal }) => {
    pages += 1
    if (pages === 2) await new Promise((resolve) => signal!.addEventListener('abort', resolve))
  }
  expect(await fence(storeId, AbortSignal.timeout(300))).toEqual({ isFresh: false, pulledAt: null })
  const state = await streamOf(storeId, 'fence')
  expect(state).toMatchObject({ completed_start: null, error_code: 'timeout', lease_until: null })
  expect(state.watermark?.toISOString()).toBe(ago(4 * MINUTE_MS))
  fake.beforePage = async () => {}
  expect((await fence(storeId)).isFresh).toBe(true)
  expect(await orderIds(storeId)).toHaveLength(5)
})

test('a fence that cannot be pulled says how old the newest complete pull is, of whichever kind', async () => {
  const { storeId, fake } = await aStoreWithOrders()
  await sweepStore(world.deps, { storeId })
  const swept = world.now
  world.advance(10 * MINUTE_MS)
  fake.problem = aProblem('unreachable')
  expect(await fence(storeId)).toEqual({ isFresh: false, pulledAt: swept })
})

test('the fence of a disconnected store asks nobody and is never fresh', async () => {
  const { storeId, fake, owner } = await aStoreWithOrders()
  await world.request('DELETE', '/api/stores/disconnect', { token: owner.token })
  expect((await fence(storeId)).isFresh).toBe(false)
  expect(fake.orderQueries).toEqual([])
})
