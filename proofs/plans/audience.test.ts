import { beforeAll, expect, test } from 'vitest'
import type { StoredFilters } from '../../server/core/schema/campaigns.ts'
import { countMatching } from '../../server/marketing/audiences/sql.ts'
import { createStore, type TestStore } from '../../test/factories.ts'
import { insertManyCarts } from '../../test/many-carts.ts'
import { listPlanNodes, type PlanWatch, watchPlans } from '../../test/plans.ts'
import { createWorld } from '../../test/world.ts'

// Audience counts use an index made for them, and read neither carts nor shoppers. Badges and earlier messages are
// looked up in their own indexes.

const world = createWorld()
let store: TestStore
let watch: PlanWatch

beforeAll(async () => {
  store = await createStore(world)
  const { storeId, flowId } = store
  await insertManyCarts(world.db, { storeId, flowId, now: world.now, count: 40_000, isAllOpen: true, isVaried: true })
  watch = watchPlans(world.pool, { repeated: true })
}, 300_000)

const filters: Record<string, StoredFilters> = {
  'all who left a cart': {},
  'a value and an age': { minMinor: 2_000, maxMinor: 20_000, minHours: 1, maxHours: 24 * 14 },
  'a badge': { badge: 'No Action' },
  'a country': { country: 'US' },
  'a rare country': { country: 'AT' },
  'a product': { productId: '77' },
  'mailed before': { mailedBefore: 'yes' },
  'all at once': {
    minMinor: 2_000,
    maxHours: 24 * 28,
    badge: 'No Action',
    country: 'US',
    productId: '77',
    mailedBefore: 'no',
  },
}
const cases = Object.entries(filters).flatMap(([name, of]) =>
  (['email', 'sms'] as const).map((channel) => [channel, name, of] as const),
)

test.each(cases)('%s, %s', async (channel, _, expected) => {
  const count = () =>
    countMatching({ storeId: store.storeId, db: world.db }, { channel, filters: expected, now: world.now })
  await expect.poll(() => count()).toBeGreaterThan(1_000)
  const [plan, ...others] = await watch.during(count)
  // No generic plan is used: it would look up the carts of each value one by one.
  expect(others).toEqual([])
  const scans = listPlanNodes(plan!.plan).filter(
    (node) => node['Relation Name'] === 'carts' && node['Actual Loops'] > 0,
  )
  const read = scans.map((node) => [node['Node Type'], node['Index Name'], node['Actual Rows'] > 0])
  expect(read[0]).toEqual(['Index Only Scan', 'carts_audience', true])
  // There are no carts with very many products.
  expect(read.slice(1)).toEqual(expected.productId ? [['Index Scan', 'carts_of_many_products', false]] : [])
  expect(listPlanNodes(plan!.plan).map((node) => node['Relation Name'])).not.toContain('shoppers')
})
