import { beforeAll, expect, test } from 'vitest'
import { assignArm, insertExperiment } from '../../../test/experiment-scene.ts'
import { readFigures } from '../../../test/figures.ts'
import { createFortyCarts } from '../../../test/forty-carts.ts'
import type { Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { countExperiments } from '../../carts/experiments/experiments.ts'
import { countFigures, rebuildFigures } from '../../insights/analytics/figures.ts'
import { countDuePeople, foldRollups } from '../../insights/analytics/rollups.ts'
import { runRetention } from './retention.ts'

// C10: figures are the same before and after a nightly run, from the counters and from the rows. Now is noon of 3
// April; shoppers last seen before 4 March are erased.

const world = createWorld()
let shop: Shop

const ranges = ['7d', '30d', '90d', '1y']
const pages = [
  '/api/dashboard/stats',
  '/api/dashboard/chart?days=30',
  '/api/experiments',
  ...ranges.flatMap((range) =>
    ['', '/details', '/products', '/roi', '/recovery-rate-trend', '/revenue-trend'].map(
      (call) => `/api/analytics${call}?range=${range}&period=${range}`,
    ),
  ),
]

async function tick(): Promise<void> {
  await foldRollups(world.deps)
  await countFigures(world.deps)
  await countExperiments(world.deps)
  // Recounts people, as after a quarter of an hour.
  for (const table of ['active_shopper_counts', 'counted_figures'])
    await world.pool.query(`delete from ${table} where store_id = $1`, [shop.storeId])
  await countDuePeople(world.deps)
}

async function readEveryFigure() {
  await tick()
  const read = await Promise.all(
    pages.map(async (page) => {
      const { status, body } = await shop.get(page)
      expect([page, status]).toEqual([page, 200])
      return [page, body]
    }),
  )
  const { rows: orders } = await world.pool.query(
    `select order_id, cart_id, touchpoint_id, message_id, net_minor, total_minor, purchased_at from orders where store_id = $1 order by 1`,
    [shop.storeId],
  )
  const { rows: arms } = await world.pool.query(
    'select experiment_id, id, arm, at, bought, net_minor from assignments where store_id = $1 order by 2',
    [shop.storeId],
  )
  const { rows: sums } = await world.pool.query('select * from experiment_days where store_id = $1 order by 2, 3, 4', [
    shop.storeId,
  ])
  return { pages: Object.fromEntries(read), orders, arms, sums }
}

beforeAll(async () => {
  let isDrawn = false
  shop = await createFortyCarts(world, async ({ storeId }) => {
    await countFigures(world.deps)
    if (isDrawn || world.now < new Date('2026-02-13T00:00Z')) return
    isDrawn = true
    // Keeps further shoppers out of the control group.
    await insertExperiment(world, storeId, 1)
    const store = world.db.selectFrom('shoppers').select('id').where('store_id', '=', storeId)
    const people = await store.where('email', 'is not', null).orderBy('created_at').limit(6).execute()
    await assignArm(world, storeId, 'treated', { ids: people.slice(0, 3).map(({ id }) => id) })
    await assignArm(world, storeId, 'control', { ids: people.slice(3).map(({ id }) => id) })
  })
}, 240_000)

test('dashboard, analytics and lift are the same after a run, even when recounted from the rows (C10)', async () => {
  const before = await readEveryFigure()
  const figures = await readFigures(world.db, shop.storeId)
  expect(before.arms.length).toBeGreaterThan(9)
  expect(before.sums.length).toBeGreaterThan(0)
  await world.db.updateTable('stores').set({ retention_days: 30 }).where('id', '=', shop.storeId).execute()
  await runRetention(world.deps, { storeId: shop.storeId, day: '2026-04-03' })
  const { rows } = await world.pool.query('select contacts, customers, finished_at from retention_runs')
  expect(rows).toEqual([{ contacts: expect.any(Number), customers: expect.any(Number), finished_at: world.now }])
  expect(rows[0].contacts).toBeGreaterThan(3)
  expect(rows[0].customers).toBeGreaterThan(2)
  const { rows: remaining } = await world.pool.query(
    `select count(*)::int as n from shoppers where store_id = $1 and email is not null`,
    [shop.storeId],
  )
  expect(remaining[0].n).toBeLessThan(35)
  expect(await readEveryFigure()).toEqual(before)
  expect(await readFigures(world.db, shop.storeId)).toEqual(figures)
  await rebuildFigures({ storeId: shop.storeId, db: world.db }, world.now)
  expect(await readEveryFigure()).toEqual(before)
  expect(await readFigures(world.db, shop.storeId)).toEqual(figures)
})
