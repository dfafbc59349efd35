import { beforeAll, describe, expect, test } from 'vitest'
import { saveKeys } from '../../server/access/stores/access.ts'
import { recordCapture } from '../../server/carts/capture/capture.ts'
import { foldStalePosts } from '../../server/carts/capture/capture-intake.ts'
import { detectAbandoned, detectLost, detectNoResponse } from '../../server/carts/carts/detect.ts'
import { BADGE } from '../../server/carts/carts/fragments.ts'
import {
  type CartFilter,
  countCarts,
  filterByCountry,
  filterByProduct,
  listCarts,
  selectNewestIds,
} from '../../server/carts/carts/list-sql.ts'
import { recordOrders } from '../../server/carts/carts/record.ts'
import { createCodes, enqueueDueCodes } from '../../server/carts/coupon-codes/codes.ts'
import { deleteUnneededCodes } from '../../server/carts/coupon-codes/codes-tidy.ts'
import { createId } from '../../server/core/common/ids.ts'
import { sql } from '../../server/core/db/db.ts'
import { insertPosts } from '../../server/core/db/system.ts'
import { evaluateReach } from '../../server/delivery/decide/evaluate.ts'
import { closeAbandonedSends } from '../../server/delivery/send/abandoned.ts'
import { findUnneededCodes } from '../../server/delivery/send/needless-codes.ts'
import { sendDue } from '../../server/delivery/send/send-due.ts'
import { readChart, readStats } from '../../server/insights/analytics/dashboard.ts'
import { type LedgerQuery, ledgerPage } from '../../server/marketing/ledger/sql.ts'
import { countFiltered, listIdsAtStage } from '../../server/marketing/manual-sends/reach.ts'
import { wakeDueStores } from '../../server/messages/messages/scan.ts'
import { sortColumns } from '../../shared/carts/carts.ts'
import { cartStages } from '../../shared/carts/reach.ts'
import { chartPeriods } from '../../shared/insights/dashboard.ts'
import { insertPersonalCoupon } from '../../test/coupon-scene.ts'
import { buildOrder, completeOrderCheck, createStore, type TestStore } from '../../test/factories.ts'
import { createFakeStore } from '../../test/fake-store.ts'
import { insertManyCarts } from '../../test/many-carts.ts'
import { FEW_ROWS, findPlanFaults, listPlanNodes, type PlanWatch, watchPlans } from '../../test/plans.ts'
import { buildWooKeys } from '../../test/woo-access.ts'
import { createWorld, START } from '../../test/world.ts'

// Frequent statements stay cheap with 60,000 carts: they use an index, scan no large table and sort no store's rows.
// Each statement that the code sends is explained with its values when it is sent.

const CARTS = 60_000
const READY = 100
const QUIET = 300
const LARGE = [
  'carts',
  'cart_badges',
  'messages',
  'facts',
  'shoppers',
  'shopper_keys',
  'cart_events',
  'decisions',
  'cart_counts',
  'orders',
  'consents',
  'coupon_codes',
]

const world = createWorld()
let store: TestStore
let watch: PlanWatch

beforeAll(async () => {
  store = await createStore(world, { plan: 'growth' })
  const flow = { storeId: store.storeId, flowId: store.flowId, now: world.now }
  await world.db
    .updateTable('flows')
    .set({ takes_from: new Date(0) })
    .execute()
  await insertOtherCounters()
  await insertManyCarts(world.db, { ...flow, count: CARTS, ready: READY, quiet: QUIET, hasPast: true })
  await completeOrderCheck(world, store.storeId)
  watch = watchPlans(world.pool)
}, 300_000)

/** With one store alone, a full scan of its few counters would be the best plan; real instances have many stores. */
const insertOtherCounters = () =>
  sql`insert into cart_counts (store_id, badge, day, change, is_folded)
    select md5(store::text)::uuid, badge, date '2025-01-01' + day, 3, true
    from generate_series(1, 40) store, unnest('{No Action,No Response,Recovered}'::text[]) badge, generate_series(0, 364) day`.execute(
    world.db,
  )

async function expectCheap(work: () => Promise<unknown>, { rows = FEW_ROWS } = {}) {
  const plans = await watch.during(work)
  expect(plans.length).toBeGreaterThan(0)
  expect(findPlanFaults(plans, { large: LARGE, rows }).join('\n')).toBe('')
}

describe('the consent ledger', () => {
  const CONSENTS = 60_000
  beforeAll(async () => {
    const client = await world.pool.connect()
    // Rows that triggers and foreign keys would check for each of sixty thousand.
    await client.query('begin; set local session_replication_role = replica')
    await client.query(
      `insert into consents (store_id, id, address_hash, channel, status, source, at)
       select $1, gen_random_uuid(), decode(md5((n % 25000)::text), 'hex'), (array['email', 'sms', 'whatsapp'])[1 + n % 3],
         case when n % 7 = 0 then 'withdrawn' else 'granted' end,
         (array['checkout', 'import', 'one-click', 'order', 'preference page', 'STOP by SMS'])[1 + n % 6],
         $2::timestamptz - n * interval '1 minute' from generate_series(1, ${CONSENTS}) n`,
      [store.storeId, world.now],
    )
    await client.query('commit')
    client.release()
    await world.pool.query('analyze consents')
  }, 60_000)
  const after = { at: new Date(START.getTime() - 30_000 * 60_000), id: '00000000-0000-4000-8000-000000000000' }
  test.each<[string, Partial<LedgerQuery>]>([
    ['unfiltered', {}],
    ['a person', { hash: Buffer.from('d41d8cd98f00b204e9800998ecf8427e', 'hex') }],
    ['a channel', { channel: 'sms' }],
    ['an answer', { status: 'withdrawn' }],
    ['an answer there is none of', { status: 'pending' }],
    ['a source', { source: 'one-click' }],
    ['all three', { channel: 'whatsapp', status: 'withdrawn', source: 'order' }],
    ['a period', { from: '2026-02-01', to: '2026-02-02' }],
    ['a channel in a period', { channel: 'sms', from: '2026-02-01', to: '2026-02-02' }],
  ])('%s: the first page and one far below', async (_, filter) => {
    const page = (from: LedgerQuery['after']) => () =>
      ledgerPage({ storeId: store.storeId, db: world.db }, { hash: null, after: from, limit: 51, ...filter })
    await expectCheap(page(null))
    await expectCheap(page(after))
  })
})

describe('the cart list', () => {
  const base: CartFilter = { page: 1, limit: 25, badge: null, search: '', sort: 'timestamp', order: 'desc' }
  const list = (filter: Partial<CartFilter>) => async () => {
    const params = { ...base, ...filter }
    const handle = { storeId: store.storeId, db: world.db }
    const total = await countCarts(handle, params)
    const rows = await listCarts(handle, params, total)
    expect(rows.length).toBeGreaterThan(0)
  }

  test.each(sortColumns)('by %s, both ways', async (sort) => {
    await expectCheap(list({ sort, order: 'asc' }))
    await expectCheap(list({ sort, order: 'desc', page: 3 }))
  })

  test('one badge', () => expectCheap(list({ badge: 'No Response', page: 2 })))
  test('the last page costs as little as the first', async () => {
    const { total } = await countCarts({ storeId: store.storeId, db: world.db }, base)
    await expectCheap(list({ page: Math.ceil(total / base.limit) }))
  })
  test('a page in the middle starts at its day, and reads only its own rows', async () => {
    const work = list({ page: 1_000 })
    await expectCheap(work)
    const plans = await watch.during(work)
    const scans = plans.flatMap(({ plan }) => listPlanNodes(plan)).filter((node) => node['Relation Name'] === 'carts')
    expect(scans.map((node) => node['Node Type']).sort()).toEqual(['Index Only Scan', 'Index Scan'])
    expect(scans.find((node) => node['Node Type'] === 'Index Scan')!['Actual Loops']).toBe(25)
  })

  test('far pages have exactly the carts at their position, from both ends and under a badge', async () => {
    const handle = { storeId: store.storeId, db: world.db }
    for (const filter of [
      { page: 750, order: 'desc' },
      { page: 900, order: 'asc' },
      { page: 1_875, order: 'desc' },
      { page: 200, badge: 'No Response', order: 'desc' },
    ] as const) {
      const params = { ...base, ...filter }
      const rows = await listCarts(handle, params, await countCarts(handle, params))
      let plain = world.db.selectFrom('carts as c').select('id').where('store_id', '=', store.storeId)
      plain = plain.where('status', 'in', ['abandoned', 'recovered', 'lost'])
      if (params.badge) plain = plain.where(BADGE, '=', params.badge)
      const ordered = plain.orderBy('last_activity_at', params.order).orderBy('id', params.order)
      const there = await ordered
        .offset((params.page - 1) * base.limit)
        .limit(base.limit)
        .execute()
      expect(rows.map(({ id }) => id)).toEqual(there.map(({ id }) => id))
    }
  })

  test.each(['grace hopper', 'lovelace', 'ada.backus', '+121200012', '12120001'])('search for “%s”', (search) =>
    expectCheap(list({ search }), { rows: 9_000 }))
  test('a search without prefix matches scans only the newest carts and reports it', async () => {
    const handle = { storeId: store.storeId, db: world.db }
    const search = { badge: null, search: 'zz' }
    await expectCheap(() => countCarts(handle, search), { rows: 20_000 })
    expect(await countCarts(handle, search)).toMatchObject({ total: 0, isAnywhere: true, isPartial: true })
    expect(await countCarts(handle, { badge: 'Recovered', search: 'ada.' })).toMatchObject({ isAnywhere: false })
  })
  test('a reach filter checks only the newest 5,000, and its pages read no more than these', async () => {
    const handle = { storeId: store.storeId, db: world.db }
    const params = {
      ...base,
      reach: { reason: null, country: null },
      days: null,
      country: null,
      product: null,
      stage: null,
    }
    const all = await countCarts(handle, params)
    await expectCheap(() => selectNewestIds(handle, params, all, null), { rows: 5_001 })
    const since = new Date(world.now.getTime() - 7 * 86_400_000)
    await expectCheap(() => selectNewestIds(handle, params, all, since), { rows: 6_000 })
    const ids = await selectNewestIds(handle, params, all, null)
    await expectCheap(() => evaluateReach(world.deps, handle, ids.slice(0, 25)))
    await expectCheap(() => filterByCountry(handle, ids, 'US'), { rows: 5_001 })
    await expectCheap(() => filterByProduct(handle, ids, '77'), { rows: 5_001 })
    for (const stage of cartStages) {
      await expectCheap(() => listIdsAtStage(handle, ids, { stage, channel: 'email' }), { rows: 5_001 })
    }
    const found = await countFiltered(world.deps, handle, params)
    expect([found.isEvaluatedInPart, found.total > 4_000, found.total <= 5_000]).toEqual([true, true, true])
    await expectCheap(() => listCarts(handle, { ...params, sort: 'value', page: 3 }, found), { rows: 5_001 })
  })
  test('a rare name is looked up', () => expectCheap(list({ search: 'ada.lovelace59' }), { rows: 50 }))
})

test('an export of all carts reads page by page, each cart once, with constant memory', async () => {
  const { body } = await world.request('GET', '/api/carts/export', { token: store.token })
  const reply = await world.app.inject({ url: body.url, payloadAsStream: true })
  const ids = new Set<string>()
  let [largest, rest] = [0, '']
  for await (const chunk of reply.stream()) {
    const lines = (rest + String(chunk)).split('\r\n')
    rest = lines.pop()!
    for (const line of lines) ids.add(line.slice(-36))
    largest = Math.max(largest, String(chunk).length)
  }
  const { total } = await countCarts({ storeId: store.storeId, db: world.db }, { badge: null, search: '' })
  expect(total).toBeGreaterThan(50_000)
  expect(ids.size).toBe(total + 1)
  // Only one page of a thousand rows is in memory, independent of the size of the file.
  expect(largest).toBeLessThan(500_000)
}, 90_000)

test('the dashboard reads sums of a few slots, and no cart, order or person', async () => {
  const handle = { storeId: store.storeId, db: world.db }
  const account = { accountId: store.accountId, db: world.db }
  const params = { account, store: handle, query: { stores: 'one' as const }, now: world.now }
  const { abandonedCarts } = await readStats(params)
  expect(abandonedCarts).toBeGreaterThan(CARTS / 20)
  const plans = await watch.during(async () => {
    await readStats(params)
    for (const period of chartPeriods) await readChart(params, period)
  })
  const scans = plans.flatMap(({ plan }) => listPlanNodes(plan)).filter((node) => node['Relation Name'])
  const read = new Set(scans.map((node) => node['Relation Name']))
  expect([...read].sort()).toEqual([
    'active_shopper_counts',
    'rollup_changes',
    'rollup_days',
    'rollups',
    'stores',
    'sync_state',
  ])
  // Quarters of an hour in the chart's 30 days, whether or not they have rows.
  const slots = scans.filter((node) => node['Relation Name'] === 'rollups')
  expect(slots.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([])
  expect(Math.max(...slots.map((node) => node['Actual Rows']))).toBeLessThanOrEqual(30 * 96)
})

test('detection reads only the carts that are due, even when flows check facts of a person', async () => {
  const asked = [
    { fact: 'items' as const, is: 'at_least' as const, count: 1 },
    { fact: 'buyer' as const, is: 'first_time' as const },
    { fact: 'category' as const, is: 'lacks' as const, categoryIds: ['1'] },
    { fact: 'consent' as const, is: 'missing' as const, channel: 'sms' as const },
  ]
  const conditions = { match: 'any' as const, groups: [{ match: 'any' as const, conditions: asked }] }
  const ask = (selected: typeof conditions | null) =>
    world.db.updateTable('flows').set({ conditions: selected }).where('store_id', '=', store.storeId).execute()
  await ask(conditions)
  await expectCheap(() => detectAbandoned(world.deps))
  await ask(null)
})

test('marking carts as lost or without response', async () => {
  await expectCheap(() => detectNoResponse(world.deps))
  await world.db
    .updateTable('carts')
    .set({ lost_at: world.now })
    .where('id', '=', await readOneCart())
    .execute()
  await expectCheap(() => detectLost(world.deps))
})

test('finding due messages, and messages in flight of dead processes', async () => {
  await expectCheap(() => wakeDueStores(world.deps))
  await expectCheap(() => closeAbandonedSends(world.deps))
})

test('personal codes: messages that need one, creating and cleaning them up', async () => {
  const fake = createFakeStore()
  world.storeClient = () => fake
  const { storeId, accountId } = store
  const keys = buildWooKeys()
  await world.db.transaction().execute((db) => saveKeys(world.deps, { accountId, db }, storeId, keys))
  const couponId = await insertPersonalCoupon(world, storeId, {})
  const setCoupon = (coupon_id: string | null) =>
    world.db.updateTable('flow_steps').set({ coupon_id }).where('store_id', '=', storeId).execute()
  await setCoupon(couponId)
  await world.db.updateTable('send_schedule').set({ next_due_at: world.now }).where('store_id', '=', storeId).execute()
  await expectCheap(() => enqueueDueCodes(world.deps))
  await expectCheap(() => createCodes(world.deps, { storeId }, findUnneededCodes))
  expect(fake.allCoupons.length).toBeGreaterThanOrEqual(READY)
  await expectCheap(() => enqueueDueCodes(world.deps))
  await expectCheap(() => deleteUnneededCodes(world.deps, { storeId }))
  await setCoupon(null)
})

test('claim, decide, send, outcome', async () => {
  world.sent.length = 0
  await expectCheap(() => sendDue(world.deps, { storeId: store.storeId }))
  expect(world.sent.length).toBeGreaterThanOrEqual(READY)
})

test('a post of a known shopper', async () => {
  const post = {
    cart: 'cart-0123456789abcdef',
    page: 'page-0123456789',
    items: [{ id: '16', quantity: 1 }],
    coupons: [],
  }
  const shop = { id: store.storeId, url: 'https://shop.example.com', home_url: 'https://shop.example.com' }
  const contact = { email: 'ada.allen24@shoppers.example' }
  await expectCheap(() => recordCapture(world.deps, shop, { ...post, seq: 0, contact }, 'client'))
  await expectCheap(() =>
    recordCapture(world.deps, shop, { ...post, seq: 1, items: [{ id: '16', quantity: 2 }] }, 'client'),
  )
})

test('posts of many carts, processed together', async () => {
  const entries = Array.from({ length: 40 }, (_, n) => ({
    store_id: store.storeId,
    id: createId(),
    received_at: world.now,
    post: {
      cart: `cart-${String(n % 15).padStart(16, '0')}`,
      page: `page-${n}-123456`,
      seq: 0,
      items: [{ id: '16', quantity: n + 1 }],
    },
  }))
  await expectCheap(() => insertPosts(world.db, entries))
  await expectCheap(() => foldStalePosts(world.deps, 0))
})

test('orders of known and of new shoppers', () =>
  expectCheap(() =>
    recordOrders(
      world.deps,
      store.storeId,
      [buildOrder(world, { email: 'ada.allen48@shoppers.example', kind: 'purchase' }), buildOrder(world)],
      'sync',
    ),
  ))

async function readOneCart(): Promise<string> {
  const row = await world.db
    .selectFrom('carts')
    .select('id')
    .where('status', '=', 'abandoned')
    .executeTakeFirstOrThrow()
  return row.id
}
