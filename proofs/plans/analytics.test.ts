import { beforeAll, expect, test } from 'vitest'
import { sql } from '../../server/core/db/db.ts'
import { countRequestedBuyers } from '../../server/insights/analytics/buyers.ts'
import { rebuildFigures } from '../../server/insights/analytics/figures.ts'
import { renewRanges } from '../../server/insights/analytics/product-ranges.ts'
import { type AnalyticsRange, analyticsRanges } from '../../shared/insights/analytics.ts'
import { createStore, type TestStore } from '../../test/factories.ts'
import { insertManyCarts } from '../../test/many-carts.ts'
import { listPlanNodes, type PlanWatch, watchPlans } from '../../test/plans.ts'
import { createWorld } from '../../test/world.ts'

// Analytics screens read daily figures (decision 101), never the carts, messages and orders behind them. The store has
// 60,000 carts.

const CARTS = 60_000
const ORDERS = 12_000
/** Tables that grow with the store. */
const COUNTED_FROM =
  /^(carts|cart_lines|facts|messages|orders|order_coupons|shoppers|shopper_keys|engagement_events|touchpoints|mail_reports|posts)$/
/** A year of days for five channels. */
const DAYS = 5 * 366

const world = createWorld()
let store: TestStore
let watch: PlanWatch

beforeAll(async () => {
  store = await createStore(world, { plan: 'growth' })
  const { storeId, flowId } = store
  await insertManyCarts(world.db, { storeId, flowId, now: world.now, count: CARTS, hasPast: true })
  await sql`
    insert into orders (store_id, order_id, shopper_id, kind, status, created_at, modified_at, purchased_at, currency, total_minor, net_minor)
    select ${storeId}, id, shopper_id, 'purchase', 'completed', at, at, at, 'USD', 4200, 4200
    from (select id::text, shopper_id, last_activity_at as at from carts where store_id = ${storeId} limit ${ORDERS}) o`.execute(
    world.db,
  )
  await rebuildFigures({ storeId, db: world.db }, world.now)
  await sql`vacuum (analyze)`.execute(world.db)
  // The first request of a range queues totals of its buyers and products, which a background job computes.
  for (const range of analyticsRanges) await ask(`/api/analytics?range=${range}`)
  await countRequestedBuyers(world.deps)
  await renewRanges(world.deps)
  watch = watchPlans(world.pool, { repeated: true })
}, 300_000)

async function ask(path: string) {
  const { status } = await world.request('GET', path, store)
  expect([path, status]).toEqual([path, 200])
}

/** Reads of the counted tables, except rows by key. */
async function buildRead(path: string): Promise<string[]> {
  const plans = await watch.during(() => ask(path))
  const tables = plans.flatMap(({ plan }) => listPlanNodes(plan).map((node) => node['Relation Name']))
  expect(tables).toContainEqual(expect.stringMatching(/_figures$/))
  return plans.flatMap(({ text, plan }) =>
    listPlanNodes(plan).flatMap((node) => {
      const table = node['Relation Name'] ?? ''
      const read = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
      const limit = COUNTED_FROM.test(table) ? 1 : DAYS * 4
      return read > limit ? [`${read} rows of ${table || node['Node Type']} in: ${text.trim().slice(0, 120)}`] : []
    }),
  )
}

const calls: [string, (range: AnalyticsRange) => string][] = [
  ['figures', (range) => `/api/analytics?range=${range}`],
  ['details', (range) => `/api/analytics/details?range=${range}`],
  ['the trend of rates', (range) => `/api/analytics/recovery-rate-trend?period=${range}`],
  ['the trend of revenue', (range) => `/api/analytics/revenue-trend?period=${range}`],
  ['products', (range) => `/api/analytics/products?range=${range}`],
  ['a product by its name', (range) => `/api/analytics/products?range=${range}&search=no.%2012`],
  ['ROI', (range) => `/api/analytics/roi?range=${range}`],
]

test.each(calls)('%s reads figures and not the tables they were counted from (101)', async (_, pathOf) => {
  for (const range of analyticsRanges) expect(await buildRead(pathOf(range)), range).toEqual([])
})
