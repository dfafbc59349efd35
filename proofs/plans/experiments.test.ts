import { beforeAll, expect, test } from 'vitest'
import { readPace } from '../../server/carts/experiments/view.ts'
import { sql } from '../../server/core/db/db.ts'
import { createStore, type TestStore } from '../../test/factories.ts'
import { insertManyCarts } from '../../test/many-carts.ts'
import { findPlanFaults, listPlanNodes, type PlanWatch, watchPlans } from '../../test/plans.ts'
import { createWorld } from '../../test/world.ts'

// The size of an experiment (decision 60) is estimated from the last 30 days by index, with a year of carts and orders
// and another store.

const CARTS = 20_000
const DAY = 86_400_000

const world = createWorld()
let store: TestStore
let watch: PlanWatch

beforeAll(async () => {
  store = await createStore(world)
  for (const { storeId, flowId } of [store, await createStore(world)]) {
    await insertManyCarts(world.db, { storeId, flowId, now: world.now, count: CARTS })
    await sql`
      insert into orders (store_id, order_id, shopper_id, cart_id, kind, status, created_at, modified_at, purchased_at, currency, total_minor, net_minor)
      select store_id, 'o' || id, shopper_id, id, 'purchase', 'completed', at, at, at, currency, value_minor, value_minor
      from carts, lateral (select coalesce(ended_at, recovered_at, last_activity_at) + interval '1 hour' as at) a
      where store_id = ${storeId} and status in ('recovered', 'purchased')`.execute(world.db)
  }
  await sql`analyze carts, orders`.execute(world.db)
  watch = watchPlans(world.pool, { repeated: true })
}, 300_000)

test('the estimate of an experiment reads the carts and orders of 30 days', async () => {
  const handle = { storeId: store.storeId, db: world.db }
  const since = new Date(world.now.getTime() - 30 * DAY)
  const { rows } = await sql<{ carts: number; orders: number }>`
    select (select count(*)::int from carts where store_id = ${store.storeId} and last_activity_at > ${since}) as carts,
      (select count(*)::int from orders where store_id = ${store.storeId} and purchased_at > ${since}) as orders`.execute(
    world.db,
  )
  const { carts, orders } = rows[0]!
  expect([carts, orders].every((count) => count > 50 && count < CARTS / 5)).toBe(true)
  const plans = await watch.during(() => readPace(handle, since))
  const rowsOfDays = Math.max(carts, orders)
  expect(
    findPlanFaults(plans, { large: ['carts', 'orders'], rows: rowsOfDays, sorted: 2 * rowsOfDays }).join('\n'),
  ).toBe('')
  const tables = plans.flatMap(({ plan }) => listPlanNodes(plan).map((node) => node['Relation Name'] ?? ''))
  expect(tables.filter((name) => name !== '').every((name) => name === 'carts' || name === 'orders')).toBe(true)
})
