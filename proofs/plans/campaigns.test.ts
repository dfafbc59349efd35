import type pg from 'pg'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { createId } from '../../server/core/common/ids.ts'
import { sendDue } from '../../server/delivery/send/send-due.ts'
import { claimDue } from '../../server/delivery/send/send-due-sql.ts'
import { listRecipients, pagesOfRecipients } from '../../server/marketing/campaign-reports/recipients.ts'
import { readReport } from '../../server/marketing/campaign-reports/report.ts'
import { readCampaigns } from '../../server/marketing/campaigns/campaigns.ts'
import { guardCampaigns } from '../../server/marketing/campaigns/guard.ts'
import { planRuns, runCampaigns } from '../../server/marketing/campaigns/runs.ts'
import { wakeDueStores } from '../../server/messages/messages/scan.ts'
import { createCampaign, formatStoreDate } from '../../test/campaign-scene.ts'
import { completeOrderCheck, createStore, type TestStore } from '../../test/factories.ts'
import { insertManyCarts } from '../../test/many-carts.ts'
import { FEW_ROWS, findPlanFaults, listPlanNodes, type PlanWatch, watchPlans } from '../../test/plans.ts'
import { createWorld } from '../../test/world.ts'

// Query plans as in engine.test.ts for a campaign to 100,000 people: planning, sending, recipients and report.

const PEOPLE = 100_000
/** Reads one page of a run, and each person only a few times. */
const OF_A_PAGE = 8_000
const LARGE = ['carts', 'messages', 'shoppers', 'shopper_keys', 'decisions', 'orders', 'cart_events', 'link_tokens']
/** Rows per state, one state after another; the others are due in an hour. */
const STATES = { sent: 30_000, delivered: 8_000, failed: 400, unknown: 10, skipped: 900, cancelled: 600, held: 90 }

vi.setConfig({ testTimeout: 180_000 })
const world = createWorld()
let store: TestStore
let campaignId: string
let watch: PlanWatch
const handle = () => ({ storeId: store.storeId, db: world.db })

beforeAll(async () => {
  store = await createStore(world, { plan: 'growth' })
  const { storeId, flowId } = store
  await insertManyCarts(world.db, { storeId, flowId, now: world.now, count: PEOPLE, isAllOpen: true })
  await insertOtherStores()
  const schedule = { startDate: formatStoreDate(world), timeOfDay: '00:00' }
  campaignId = (await createCampaign(world, store, { schedule })).id
  await runCampaigns(world.deps)
  watch = watchPlans(world.pool, { repeated: true })
}, 600_000)

/** Adds other stores: with one store alone, a full scan would be the best plan. */
async function insertOtherStores(): Promise<void> {
  await runWithoutTriggers(async (client) => {
    await client.query(`
      insert into messages (store_id, id, cart_id, shopper_id, origin_kind, origin_id, step_id, step, channel, state, due_at, expires_at, wake_at,
        sending_at, created_at, updated_at)
      select md5('store ' || n % 40)::uuid, gen_random_uuid(), gen_random_uuid(), md5('shopper ' || n)::uuid, kind, md5('origin ' || n % 80)::uuid,
        md5('step ' || n % 80)::uuid, 1, 'email', 'sent', now(), now(), now(), now(), now(), now()
      from generate_series(1, 300000) n, lateral (select case when n % 80 < 60 then 'flow' else 'campaign' end as kind) k`)
    await client.query(`
      insert into shoppers (store_id, id, email, created_at, first_seen_at)
      select md5('store ' || n % 40)::uuid, md5('shopper ' || n)::uuid, 'shopper' || n || '@others.example', now(), now()
      from generate_series(1, 300000) n`)
  })
  await world.pool.query('vacuum analyze messages, shoppers')
}

/** Rows that triggers and foreign keys would check for each of a hundred thousand. */
async function runWithoutTriggers(work: (client: pg.PoolClient) => Promise<unknown>): Promise<void> {
  const client = await world.pool.connect()
  await client.query('begin; set local session_replication_role = replica')
  await work(client)
  await client.query('commit')
  client.release()
}

interface Allowed {
  rows?: number
  sorted?: number
}

async function expectCheap(work: () => Promise<unknown>, { rows = FEW_ROWS, sorted = FEW_ROWS }: Allowed = {}) {
  const plans = await watch.during(work)
  expect(plans.length).toBeGreaterThan(0)
  expect(findPlanFaults(plans, { large: LARGE, rows, sorted }).join('\n')).toBe('')
  return plans
}

/** A process that ends after this many pages: each page reads the time first. */
async function planPages(pages: number): Promise<void> {
  let queryCount = 0
  const now = () => {
    if (queryCount++ === pages) throw new Error('ended')
    return world.now
  }
  await expect(planRuns({ ...world.deps, now }, { storeId: store.storeId, campaignId })).rejects.toThrow('ended')
}

/** All but the last thousands of the run's rows, as its pages would have created them. */
async function planMost(): Promise<void> {
  const left = 2_500
  await runWithoutTriggers((client) =>
    client.query(
      `with places as (
      select c.id, c.shopper_id, c.last_activity_at, row_number() over (order by c.last_activity_at desc, c.id desc) as n
      from carts c where c.store_id = $1),
    stated as (select p.*, s.state from places p left join lateral (
        select u.state from unnest($3::text[], $4::int[], $5::int[]) u(state, after, until) where p.n > u.after and p.n <= u.until) s on true
      where p.n <= $6),
    made as (
      insert into messages (store_id, id, cart_id, shopper_id, origin_kind, origin_id, step_id, step, channel, state, reason, due_at, expires_at,
        wake_at, template_id, sending_at, unsubscribed_at, created_at, updated_at)
      select $1, gen_random_uuid(), d.id, d.shopper_id, 'campaign', $2, r.id, r.run, 'email', coalesce(d.state, 'scheduled'),
        case d.state when 'failed' then 'bounced' when 'skipped' then 'suppressed_manual' when 'cancelled' then 'purchased' when 'held' then 'quiet_hours' end,
        r.at, r.at + interval '72 hours', $7::timestamptz + case d.state when 'held' then interval '1 day' else interval '1 hour' end, g.template_id,
        case when d.state in ('sent', 'delivered', 'failed', 'unknown') then $7::timestamptz - interval '1 hour' end,
        case when d.state = 'delivered' and d.n % 100 = 0 then $7::timestamptz end, $7, $7
      from stated d, campaigns g join campaign_runs r on r.store_id = g.store_id and r.campaign_id = g.id
      where g.store_id = $1 and g.id = $2
        and not exists (select 1 from messages m where m.store_id = $1 and m.cart_id = d.id))
    update campaign_runs r set cursor_at = p.last_activity_at, cursor_id = p.id from places p
    where r.store_id = $1 and r.campaign_id = $2 and p.n = $6`,
      [store.storeId, campaignId, ...buildStateRanges(), PEOPLE - left, world.now],
    ),
  )
  await world.pool.query('vacuum analyze messages')
}

/** After the first thousands, which pages have created. */
function buildStateRanges(): [string[], number[], number[]] {
  const states = Object.keys(STATES)
  const untils = Object.values(STATES).map(
    (_, n, all) => 2_000 + all.slice(0, n + 1).reduce((sum, each) => sum + each, 0),
  )
  return [states, untils.map((until, n) => until - Object.values(STATES)[n]!), untils]
}

describe('a page of a run', () => {
  test('the first pages, without statistics on messages', () => expectCheap(() => planPages(2), { rows: OF_A_PAGE }))

  test('the last pages, with nearly all other rows present', async () => {
    await planMost()
    await expectCheap(() => planPages(1), { rows: OF_A_PAGE })
    await planRuns(world.deps, { storeId: store.storeId, campaignId })
    const { rows } = await world.pool.query(
      'select count(*)::int as rows, count(distinct shopper_id)::int as people from messages where origin_id = $1',
      [campaignId],
    )
    expect(rows[0]).toEqual({ rows: PEOPLE, people: PEOPLE })
  })
})

test('checks that run every second, or every ten', async () => {
  await world.pool.query('vacuum analyze messages')
  await expectCheap(() => runCampaigns(world.deps))
  // Enough bounces for the rates to be computed.
  await expectCheap(() => guardCampaigns(world.deps), { rows: PEOPLE })
  await expectCheap(() => wakeDueStores(world.deps))
})

test('claim, decision and send among all other rows', async () => {
  await world.pool.query(
    `update messages set wake_at = $2::timestamptz + interval '1 hour' where store_id = $1 and state = 'scheduled' and wake_at <= $2
      and id not in (select id from messages where store_id = $1 and state = 'scheduled' and wake_at <= $2 limit 30)`,
    [store.storeId, world.now],
  )
  await completeOrderCheck(world, store.storeId)
  await expectCheap(() => sendDue(world.deps, { storeId: store.storeId }))
  expect(world.sent).toHaveLength(30)
})

test('claims a hundred of sixty thousand that are due', async () => {
  world.advance(3_600_000)
  const leaseUntil = new Date(world.now.getTime() + 60_000)
  const claim = { claim: createId(), workerId: world.deps.workerId, now: world.now, leaseUntil, limit: 100 }
  const plans = await expectCheap(() => claimDue(handle(), claim), { rows: 100 })
  expect(listIndexes(plans, 'messages')).toContain('messages_to_wake')
})

describe('the recipients of a campaign', () => {
  const list = (query: object) => () => listRecipients(handle(), campaignId, { page: 1, limit: 50, ...query } as never)
  const states = ['sent', 'waiting', 'failed', 'held', 'unknown']

  test.each([1, 20, 1_000, 2_000])('page %d of 2,000 reads only its own rows', async (page) => {
    const { recipients, pagination } = await list({ page })()
    expect([recipients.length, pagination.total]).toEqual([50, PEOPLE])
    await expectPage(list({ page }))
  })
  test.each(states)('recipients in one state: %s', async (state) => {
    expect((await list({ state })()).recipients.length).toBeGreaterThan(0)
    await expectPage(list({ state }))
    await expectPage(list({ state, run: 1 }))
  })
  test('recipients of one run, in the middle', () => expectPage(list({ run: 1, page: 1_000 })))
  test('page by page into a file', async () => {
    const pages = pagesOfRecipients(handle(), campaignId, {})
    for (let n = 0; n < 3; n++) await pages.next()
    await expectCheap(() => pages.next(), { rows: 1_000 })
    await pages.return(undefined)
  })

  /** Counts and skipped pages read only an index, without a sort. */
  async function expectPage(work: () => Promise<unknown>) {
    const plans = await expectCheap(work, { rows: PEOPLE + 1 })
    const scans = listScans(plans, 'messages')
    expect(scans.filter((scan) => scan['Node Type'] !== 'Index Only Scan' && sumScannedRows(scan) > FEW_ROWS)).toEqual(
      [],
    )
  }
})

test('the report and the list of campaigns read the campaign by index', async () => {
  for (const work of [
    () => readReport(world.deps, handle(), campaignId),
    () => readCampaigns(handle(), { page: 1, limit: 50 } as never),
  ]) {
    const plans = await expectCheap(work, { rows: PEOPLE + 1 })
    const whole = listScans(plans, 'messages').filter((scan) => sumScannedRows(scan) > FEW_ROWS)
    expect(whole.map((scan) => scan['Node Type'])).toEqual(whole.map(() => 'Index Only Scan'))
  }
  const { counts, bounced, unsubscribed } = await readReport(world.deps, handle(), campaignId)
  expect([counts.planned, bounced, unsubscribed]).toEqual([PEOPLE, STATES.failed, STATES.delivered / 100])
})

type Plans = Awaited<ReturnType<PlanWatch['during']>>
type Scan = ReturnType<typeof listPlanNodes>[number]

const sumScannedRows = (scan: Scan) => scan['Actual Rows'] * scan['Actual Loops']

const listScans = (plans: Plans, table: string): Scan[] =>
  plans
    .flatMap(({ plan }) => listPlanNodes(plan))
    .filter((node) => node['Relation Name'] === table && /Scan/.test(node['Node Type']))

const listIndexes = (plans: Plans, table: string) => listScans(plans, table).map((scan) => scan['Index Name'])
