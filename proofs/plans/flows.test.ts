import { beforeAll, expect, test } from 'vitest'
import { reportFlow } from '../../server/marketing/flows/report.ts'
import { readAttributedRevenue } from '../../server/marketing/flows/report-sql.ts'
import { createStore, type TestStore } from '../../test/factories.ts'
import { findPlanFaults, type PlanWatch, watchPlans } from '../../test/plans.ts'
import { createWorld } from '../../test/world.ts'

// The report of a flow reads its daily figures (decision 57): a year of a store with many flows and channels, and as
// much of another store.

const world = createWorld()
const LARGE = ['messages', 'orders', 'carts']
let store: TestStore
let watch: PlanWatch

beforeAll(async () => {
  store = await createStore(world)
  const other = await createStore(world)
  for (const { storeId, flowId } of [store, other]) {
    await world.pool.query(
      `insert into flow_figures (store_id, flow_id, day, step_id, variant_id, currency, accepted, delivered, clicked, credited, unsubscribed,
         attributed_minor)
       select $1, case when n = 0 then $2::uuid else md5('flow' || n)::uuid end, $3::timestamptz::date - d, md5('step' || s)::uuid,
         '00000000-0000-0000-0000-000000000000', c, 10, 9, 1, 1, 0, 500
       from generate_series(0, 364) d, generate_series(0, 9) n, generate_series(1, 3) s, unnest('{"",USD}'::text[]) c`,
      [storeId, flowId, world.now],
    )
    await world.pool.query(
      `insert into flow_counts (store_id, flow_id, step_id, day, reason, change, is_folded)
       select $1, case when n = 0 then $2::uuid else md5('flow' || n)::uuid end, md5('step' || s)::uuid, $3::timestamptz::date - d, r, 5, true
       from generate_series(0, 364) d, generate_series(0, 9) n, generate_series(1, 3) s, unnest('{"",purchased,superseded}'::text[]) r`,
      [storeId, flowId, world.now],
    )
  }
  await world.pool.query('analyze flow_figures; analyze flow_counts')
  watch = watchPlans(world.pool)
}, 120_000)

test('the report of a flow, and the revenue of all flows', async () => {
  const handle = { storeId: store.storeId, db: world.db }
  const plans = await watch.during(async () => {
    await reportFlow(world.deps, handle, store.flowId, 90)
    await readAttributedRevenue(handle, [store.flowId], { currency: 'USD', now: world.now })
  })
  expect(plans.length).toBeGreaterThan(4)
  // The days of this flow: neither those of other flows nor the hours that only analytics reads.
  const limits = { large: [...LARGE, 'message_figures', 'flow_figures', 'flow_counts'], rows: 90 * 3 * 3 }
  expect(findPlanFaults(plans, limits).join('\n')).toBe('')
})
