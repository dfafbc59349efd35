import { beforeAll, expect, test } from 'vitest'
import { reportFlow } from '../server/flows/report.ts'
import { broughtBy } from '../server/flows/report-sql.ts'
import { aStore, type TestStore } from './factories.ts'
import { faultsOf, type PlanWatch, watchPlans } from './plans.ts'
import { aWorld } from './world.ts'

// The report of a flow reads the figures of its days (decision 57): a year of a store with many flows and channels, and as much of another's.

const world = aWorld()
const LARGE = ['messages', 'orders', 'carts']
let store: TestStore
let watch: PlanWatch

beforeAll(async () => {
  store = await aStore(world)
  const other = await aStore(world)
  for (const { storeId, flowId } of [store, other]) {
    await world.pool.query(
      `insert into message_figures (store_id, day, channel, origin_kind, origin_id, step_id, from_hour, currency, accepted, opened, machine_opened,
         clicked, credited, bounced, unsubscribed, complained, attributed_minor, discount_minor, cost_micros)
       select $1, $3::timestamptz::date - d, 'email', 'flow', case when n = 0 then $2::uuid else md5('flow' || n)::uuid end,
         md5('step' || s)::uuid, h, '', 10, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0
       from generate_series(0, 364) d, generate_series(0, 9) n, generate_series(1, 3) s, unnest('{-1,1,24}'::int[]) h`,
      [storeId, flowId, world.now],
    )
    await world.pool.query(
      `insert into flow_counts (store_id, flow_id, step_id, day, reason, change, is_folded)
       select $1, case when n = 0 then $2::uuid else md5('flow' || n)::uuid end, md5('step' || s)::uuid, $3::timestamptz::date - d, r, 5, true
       from generate_series(0, 364) d, generate_series(0, 9) n, generate_series(1, 3) s, unnest('{"",purchased,superseded}'::text[]) r`,
      [storeId, flowId, world.now],
    )
  }
  await world.pool.query('analyze message_figures; analyze flow_counts')
  watch = watchPlans(world.pool)
}, 120_000)

test('the report of a flow, and what all flows brought in', async () => {
  const handle = { storeId: store.storeId, db: world.db }
  const plans = await watch.during(async () => {
    await reportFlow(world.deps, handle, store.flowId, 30)
    await broughtBy(handle, [store.flowId], { currency: 'USD', now: world.now })
  })
  expect(plans.length).toBeGreaterThan(4)
  // The days of one store, whatever its flows are; never those of all.
  expect(faultsOf(plans, { large: [...LARGE, 'message_figures', 'flow_counts'], rows: 30 * 90 * 2 }).join('\n')).toBe(
    '',
  )
})
