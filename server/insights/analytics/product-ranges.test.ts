import { beforeAll, describe, expect, test } from 'vitest'
import { type AnalyticsRange, analyticsRanges } from '../../../shared/insights/analytics.ts'
import { createStore, type TestStore } from '../../../test/factories.ts'
import { insertManyCarts } from '../../../test/many-carts.ts'
import { createWorld } from '../../../test/world.ts'
import { sql } from '../../core/db/db.ts'
import { countFigures, rebuildFigures } from './figures.ts'
import { renewRanges } from './product-ranges.ts'

// The sums of products over a range move with its days: they always equal the sum of those days.

const world = createWorld()
const DAY_MS = 86_400_000

async function createYear(carts: number, products: number): Promise<TestStore> {
  const store = await createStore(world, { plan: 'growth' })
  const { storeId, flowId } = store
  await insertManyCarts(world.db, { storeId, flowId, now: world.now, count: carts, products })
  await rebuildFigures({ storeId, db: world.db }, world.now)
  return store
}

async function listed({ token }: TestStore, range: AnalyticsRange, search = '') {
  const path = `/api/analytics/products?range=${range}&limit=100&search=${search}`
  const { status, body } = await world.request('GET', path, { token })
  expect(status).toBe(200)
  return { products: body.products, total: body.pagination.total }
}

/** As the sums stand, and as they are when the days are added up. */
async function listBoth(store: TestStore, range: AnalyticsRange) {
  const stored = await listed(store, range)
  await forgetRanges(store)
  return { stored, addedUp: await listed(store, range) }
}

const forgetRanges = ({ storeId }: TestStore) =>
  sql`delete from product_ranges where store_id = ${storeId}`.execute(world.db)

const change = async ({ storeId }: TestStore, set: string, share: number) => {
  const { rowCount } = await world.pool.query(
    `update carts set ${set} where store_id = $1 and abandoned_at is not null and hashtext(id::text) % 9 = ${share}`,
    [storeId],
  )
  expect(rowCount).toBeGreaterThan(0)
}

describe('carts that are recovered, changed, moved to another date and merged', () => {
  type Lists = Map<AnalyticsRange, Awaited<ReturnType<typeof listed>>>
  let [before, stored, addedUp]: Lists[] = []
  const allRanges = async (store: TestStore): Promise<Lists> => {
    const lists: Lists = new Map()
    for (const range of analyticsRanges) lists.set(range, await listed(store, range))
    return lists
  }

  beforeAll(async () => {
    const store = await createYear(600, 23)
    before = await allRanges(store)
    await change(store, `status = 'recovered', recovered_at = abandoned_at`, 1)
    await change(store, `items = jsonb_set(items, '{0,productId}', '"new"')`, 2)
    await change(store, `abandoned_at = abandoned_at - interval '20 days'`, 3)
    await change(store, `abandoned_at = '${world.now.toISOString()}'`, 4)
    await change(store, `status = 'merged'`, 5)
    world.advance(6 * 60_000)
    await countFigures(world.deps)
    stored = await allRanges(store)
    await forgetRanges(store)
    addedUp = await allRanges(store)
  })

  test.each(analyticsRanges)('moves a range of %s that has its day', (range) => {
    expect(before!.get(range)!.total).toBeGreaterThan(2)
    expect(stored!.get(range)).toEqual(addedUp!.get(range))
    expect(stored!.get(range)).not.toEqual(before!.get(range))
  })
})

test('a product without carts is not in the list', async () => {
  const store = await createYear(200, 5)
  expect(await listed(store, '1y', 'enamel')).toMatchObject({ total: 1 })
  await world.pool.query(`update carts set items = items - 1 where store_id = $1`, [store.storeId])
  world.advance(6 * 60_000)
  await countFigures(world.deps)
  expect(await listed(store, '1y', 'enamel')).toEqual({ products: [], total: 0 })
  const { stored, addedUp } = await listBoth(store, '1y')
  expect([stored, stored.total]).toEqual([addedUp, 5])
})

test('a range moves by a day at midnight, even without events', async () => {
  const store = await createYear(200, 5)
  const before = await listed(store, '7d')
  world.advance(3 * DAY_MS)
  const { stored, addedUp } = await listBoth(store, '7d')
  expect(stored).toEqual(addedUp)
  expect(stored).not.toEqual(before)
})

const readRanges = async ({ storeId }: TestStore) =>
  (
    await sql<{ days: number; until: string }>`
      select days, until from product_ranges where store_id = ${storeId} order by days`.execute(world.db)
  ).rows.map(({ days, until }) => `${days} until ${until}`)

const readLastDay = async (store: TestStore) =>
  (await world.request('GET', '/api/analytics?range=7d', { token: store.token })).body.lastDay

test('ranges of a viewed store are computed in the background each day and equal their days', async () => {
  const store = await createYear(200, 5)
  const other = await createYear(200, 5)
  const first = await readLastDay(store)
  expect(await readRanges(store)).toEqual([`7 until ${first}`])
  await renewRanges(world.deps)
  expect(await readRanges(store)).toEqual([7, 30, 90, 365].map((days) => `${days} until ${first}`))
  world.advance(DAY_MS)
  await Promise.all([renewRanges(world.deps), renewRanges(world.deps)])
  const next = await readRanges(store)
  for (const range of analyticsRanges) {
    const { stored, addedUp } = await listBoth(store, range)
    expect([range, stored]).toEqual([range, addedUp])
  }
  const today = await readLastDay(store)
  expect(today > first).toBe(true)
  expect(next).toEqual([7, 30, 90, 365].map((days) => `${days} until ${today}`))
  // This range was never requested.
  expect(await readRanges(other)).toEqual([])
})

test('ranges of a store not viewed for a month are not computed, and each store has its own midnight', async () => {
  const store = await createYear(200, 5)
  const east = await createYear(200, 5)
  await sql`update stores set time_zone = 'Pacific/Kiritimati' where id = ${east.storeId}`.execute(world.db)
  await countFigures(world.deps)
  const [here, there] = [await readLastDay(store), await readLastDay(east)]
  await renewRanges(world.deps)
  expect((await readRanges(store))[3]).toBe(`365 until ${here}`)
  expect((await readRanges(east))[3]).toBe(`365 until ${there}`)
  world.advance(32 * DAY_MS)
  await renewRanges(world.deps)
  expect((await readRanges(store))[3]).toBe(`365 until ${here}`)
})

test('with many products a request shows the old sums as being counted, and an export waits (decision 101)', async () => {
  const store = await createYear(200, 5)
  const many = 5_001
  await world.pool.query(
    `insert into product_figures (store_id, day, product_id, currency, abandoned, recovered, lost_minor)
    select $1, $2::date - 2, 'many-' || n, 'USD', 1, 0, 100000000 + n from generate_series(1, ${many}) n`,
    [store.storeId, world.now],
  )
  await world.pool.query(
    `insert into figure_products (store_id, product_id, name) select $1, 'many-' || n, 'Tin ' || n from generate_series(1, ${many}) n`,
    [store.storeId],
  )
  const readAnalytics = async () => {
    const { body } = await world.request('GET', '/api/analytics?range=30d', { token: store.token })
    return [body.isBeingCounted, body.topProducts.map(({ name }: { name: string }) => name)[0]]
  }
  expect(await readAnalytics()).toEqual([true, undefined])
  await renewRanges(world.deps)
  expect(await readAnalytics()).toEqual([false, `Tin ${many}`])
  world.advance(DAY_MS)
  expect(await readAnalytics()).toEqual([true, `Tin ${many}`])
  const { body: text } = await world.request('GET', '/api/analytics/export?range=30d', { token: store.token })
  expect(text).not.toContain('Still being counted')
  expect(text.match(/^Tin \d+,/gm)).toHaveLength(many)
  expect(await readAnalytics()).toEqual([false, `Tin ${many}`])
})
