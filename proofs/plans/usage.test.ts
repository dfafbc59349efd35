import { beforeAll, expect, test } from 'vitest'
import { groupNotifications } from '../../server/access/notifications/group.ts'
import { loadUsage } from '../../server/billing/billing/usage.ts'
import { notifyUsage } from '../../server/billing/billing/usage-notices.ts'
import { createStore, type TestStore } from '../../test/factories.ts'
import { type ExplainedStatement, findPlanFaults, listPlanNodes, type PlanWatch, watchPlans } from '../../test/plans.ts'
import { createWorld } from '../../test/world.ts'

// Query plans as in engine.test.ts for usage meters: 30,000 messages in a store, 1,000 of them held by the plan's
// limit, as many of another account; 1,000 accounts with two years of usage and 20,000 warnings.

const HELD = 1_000
const ACCOUNTS = 1_000
const MONTHS = 24
const TOLD = 20_000
const LARGE = ['messages', 'plan_usage', 'account_notifications']

const world = createWorld()
let store: TestStore
let watch: PlanWatch

beforeAll(async () => {
  store = await createStore(world, { plan: 'starter' })
  const other = await createStore(world)
  const client = await world.pool.connect()
  // Rows that foreign keys would check for each.
  await client.query('begin; set local session_replication_role = replica')
  await client.query(
    `insert into messages (store_id, id, shopper_id, origin_kind, origin_id, step, channel, state, reason, due_at, expires_at, wake_at, created_at, updated_at)
     select ($1::uuid[])[1 + n % 2], gen_random_uuid(), gen_random_uuid(), 'manual', gen_random_uuid(), 0, (array['email', 'sms'])[1 + n / 2 % 2],
       case when n % 5 = 0 then 'held' else 'sent' end,
       case when n < $3::int * 10 and n % 5 = 0 then 'plan_limit' when n % 5 = 0 then 'quiet_hours' end,
       $2::timestamptz, $2::timestamptz + n * interval '1 hour', $2::timestamptz, $2::timestamptz, $2::timestamptz
     from generate_series(0, 59999) n`,
    [[store.storeId, other.storeId], world.now, HELD],
  )
  await client.query(
    `with made as (
       insert into accounts (id, name, created_at) select gen_random_uuid(), 'Account', $1 from generate_series(1, $2::int) returning id),
     subscribed as (
       insert into subscriptions (account_id, plan, status, updated_at) select id, 'free', 'active', $1 from made)
     insert into plan_usage (account_id, month, channel, used)
     select id, (date_trunc('month', $1::timestamptz at time zone 'utc') - n * interval '1 month')::date, 'email', 450
     from made, generate_series(0, ${MONTHS - 1}) n`,
    [world.now, ACCOUNTS],
  )
  await client.query(
    `insert into account_notifications (account_id, id, type, data, created_at)
     select (array(select id from accounts))[1 + n % $2::int], gen_random_uuid(), 'domain_reopened', '{"domain": "strict.example"}',
       $1::timestamptz - n * interval '1 minute' from generate_series(1, ${TOLD}) n`,
    [world.now, ACCOUNTS],
  )
  await client.query('commit')
  client.release()
  await world.pool.query('vacuum analyze messages, plan_usage, accounts, subscriptions, account_notifications')
  watch = watchPlans(world.pool, { repeated: true })
}, 60_000)

async function expectCheap(work: () => Promise<unknown>, rows: number): Promise<readonly ExplainedStatement[]> {
  const plans = await watch.during(work)
  expect(plans.length).toBeGreaterThan(0)
  expect(findPlanFaults(plans, { large: LARGE, rows }).join('\n')).toBe('')
  return plans
}

test('the meters read only the messages that the plan holds in the account’s stores', async () => {
  const account = { accountId: store.accountId, db: world.db }
  const { meters } = await loadUsage(account, world.now)
  expect(meters.map(({ held }) => held)).toEqual([HELD / 2, HELD / 2, 0])
  const plans = await expectCheap(() => loadUsage(account, world.now), HELD)
  const indexes = plans.flatMap(({ plan }) => listPlanNodes(plan)).map((node) => node['Index Name'] ?? '')
  expect(indexes.filter((name) => name.startsWith('messages_'))).toContain('messages_held_by_plan')
})

test('accounts that have nearly used up their plan are found among this month’s counters', async () => {
  await expectCheap(() => notifyUsage(world.deps), ACCOUNTS)
  // All were warned: the next check writes nothing, and finds each by its id.
  const countWarned = async () => {
    const { rows } = await world.pool.query(
      `select count(*)::int as count from account_notifications where type = 'plan_near_limit'`,
    )
    await groupNotifications(world.deps)
    return rows[0].count as number
  }
  while ((await countWarned()) < ACCOUNTS);
  await expectCheap(() => notifyUsage(world.deps), ACCOUNTS)
  await groupNotifications(world.deps)
  expect(await countWarned()).toBe(ACCOUNTS)
})
