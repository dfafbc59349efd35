import { expect, test } from 'vitest'
import { countChanges, rebuildFigures } from '../../server/insights/analytics/figures.ts'
import { createStore } from '../../test/factories.ts'
import { insertManyCarts } from '../../test/many-carts.ts'
import { listPlanNodes, watchPlans } from '../../test/plans.ts'
import { createWorld } from '../../test/world.ts'

const world = createWorld()

test('a list that was requested before reads its page and no days', async () => {
  const { storeId, flowId, token } = await createStore(world, { plan: 'growth' })
  await insertManyCarts(world.db, { storeId, flowId, now: world.now, count: 3_000, products: 900 })
  await rebuildFigures({ storeId, db: world.db }, world.now)
  const list = () => world.request('GET', '/api/analytics/products?range=1y&limit=100&search=', { token })
  const { total } = (await list()).body.pagination
  // As autovacuum does sooner or later: plans should use statistics.
  await world.pool.query('analyze figure_products, product_range_figures')
  const watch = watchPlans(world.pool)
  const plans = await watch.during(list)
  const nodes = plans.flatMap(({ plan }) => listPlanNodes(plan))
  const tables = new Set(nodes.map((node) => node['Relation Name']))
  expect(tables.has('product_range_figures')).toBe(true)
  expect([...tables].filter((table) => table === 'product_figures' || table === 'product_month_figures')).toEqual([])
  const scans = nodes.filter((node) => node['Relation Name'] === 'figure_products')
  expect(Math.max(...scans.map((node) => node['Actual Rows'] * node['Actual Loops']))).toBeLessThanOrEqual(total)
})

test('changes are read once each, even with a plan for the nearly empty table before them', async () => {
  const CHANGES = 3_000
  const { storeId } = await createStore(world, { plan: 'growth' })
  const note = (owner: string, count: number) =>
    world.pool.query(
      `insert into figure_changes (store_id, subject, at)
      select ${owner}, 'carts', $1::timestamptz - n * interval '1 minute' from generate_series(1, ${count}) n`,
      [world.now],
    )
  await note('gen_random_uuid()', 300)
  await world.pool.query('vacuum analyze figure_changes')
  await note(`'${storeId}'`, CHANGES)
  const plans = await watchPlans(world.pool).during(() => countChanges({ storeId, db: world.db }, world.now))
  const scans = plans
    .flatMap(({ plan }) => listPlanNodes(plan))
    .filter((node) => node['Relation Name'] === 'figure_changes' && node['Node Type'] !== 'ModifyTable')
  expect(Math.max(...scans.map((node) => node['Actual Rows'] * node['Actual Loops']))).toBe(CHANGES)
})
