import { beforeAll, expect, test } from 'vitest'
import { countMatching } from '../server/campaigns/audience-sql.ts'
import { aStore, type TestStore } from './factories.ts'
import { manyCarts } from './many-carts.ts'
import { nodesOf, type PlanWatch, watchPlans } from './plans.ts'
import { aWorld } from './world.ts'

// The people of an audience are counted in an index made for it: neither carts nor shoppers are read.

const world = aWorld()
let store: TestStore
let watch: PlanWatch

beforeAll(async () => {
  store = await aStore(world)
  const { storeId, flowId } = store
  await manyCarts(world.db, { storeId, flowId, now: world.now, count: 40_000, isAllOpen: true })
  watch = watchPlans(world.pool)
}, 300_000)

test('all who left a cart', async () => {
  const count = () =>
    countMatching({ storeId: store.storeId, db: world.db }, { channel: 'email', filters: {}, now: world.now })
  expect(await count()).toBeGreaterThan(10_000)
  const [plan] = await watch.during(count)
  const scans = nodesOf(plan!.plan).filter((node) => node['Relation Name'])
  expect(scans.map((node) => [node['Node Type'], node['Index Name']])).toEqual([['Index Only Scan', 'carts_audience']])
})
