import { beforeAll, expect, test } from 'vitest'
import { detectAbandoned } from '../../server/carts/carts/detect.ts'
import { createStore, type TestStore } from '../../test/factories.ts'
import { insertManyCarts } from '../../test/many-carts.ts'
import { FEW_ROWS, findPlanFaults, listPlanNodes, watchPlans } from '../../test/plans.ts'
import { createWorld } from '../../test/world.ts'

// The first large detection of a store, when messages have no statistics yet.

const QUIET = 1_600
const world = createWorld()
let store: TestStore

beforeAll(async () => {
  store = await createStore(world, { plan: 'growth' })
  await world.db
    .updateTable('flows')
    .set({ takes_from: new Date(0) })
    .execute()
  await insertManyCarts(world.db, {
    storeId: store.storeId,
    flowId: store.flowId,
    now: world.now,
    count: 4_000,
    quiet: QUIET,
  })
}, 300_000)

test('messages are looked up by cart, and flows are read once per batch', async () => {
  const plans = await watchPlans(world.pool).during(async () => {
    expect(await detectAbandoned(world.deps)).toBe(QUIET)
  })
  const { count } = await world.db
    .selectFrom('messages')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('store_id', '=', store.storeId)
    .executeTakeFirstOrThrow()
  expect(count).toBe(3 * QUIET)
  // Rows of a batch of 500, three each, and never those of earlier batches.
  expect(findPlanFaults(plans, { large: ['messages'], rows: FEW_ROWS })).toEqual([])
  const moving = plans.filter(({ text }) => text.includes("set status = 'abandoned'"))
  expect(moving.length).toBeGreaterThan(2)
  const reads = moving.flatMap(({ plan }) => listPlanNodes(plan)).filter((node) => node['Relation Name'] === 'flows')
  expect(Math.max(...reads.map((node) => node['Actual Loops']))).toBeLessThan(10)
})
