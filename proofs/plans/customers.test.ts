import { beforeAll, expect, test } from 'vitest'
import { sql } from '../../server/core/db/db.ts'
import { countAbandoned, listAbandoned, listAbandonedCustomers } from '../../server/marketing/customers/abandoned.ts'
import { readCustomerPage } from '../../server/marketing/customers/customers.ts'
import {
  type CustomerFilter,
  type CustomerQuery,
  countCustomers,
  listCustomers,
  pagesOfCustomers,
} from '../../server/marketing/customers/list-sql.ts'
import { customerSorts } from '../../shared/marketing/customers.ts'
import { createStore, type TestStore } from '../../test/factories.ts'
import { insertManyCarts } from '../../test/many-carts.ts'
import { FEW_ROWS, findPlanFaults, listPlanNodes, type PlanWatch, watchPlans } from '../../test/plans.ts'
import { createWorld } from '../../test/world.ts'

// Query plans as in engine.test.ts for customers: 60,000 in a store, two in seven registered.

const CUSTOMERS = 60_000
const LARGE = ['shoppers', 'shopper_keys', 'customer_counts', 'carts', 'orders', 'messages']

const world = createWorld()
let store: TestStore
let watch: PlanWatch
const handle = () => ({ storeId: store.storeId, db: world.db })

beforeAll(async () => {
  store = await createStore(world, { plan: 'growth' })
  await insertOtherCounters()
  await insertManyCarts(world.db, {
    storeId: store.storeId,
    flowId: store.flowId,
    now: world.now,
    count: CUSTOMERS,
    hasPast: true,
  })
  await insertOrdersForAll()
  watch = watchPlans(world.pool, { repeated: true })
}, 300_000)

/** With one store alone, a full scan of its few counters would be the best plan. */
const insertOtherCounters = () =>
  sql`insert into customer_counts (store_id, is_registered, day, change, is_folded)
    select md5(store::text)::uuid, is_registered, date '2025-01-01' + day, 3, true
    from generate_series(1, 40) store, unnest('{t,f}'::boolean[]) is_registered, generate_series(0, 364) day`.execute(
    world.db,
  )

/** Without rows, a full scan would be the best plan. */
async function insertOrdersForAll(): Promise<void> {
  await world.db.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await sql`
      insert into orders (store_id, order_id, shopper_id, kind, status, created_at, modified_at, purchased_at, currency, total_minor, net_minor)
      select store_id, 'order-' || row_number() over (), id, 'purchase', 'completed', first_seen_at, first_seen_at, first_seen_at, 'USD', 1200, 1200
      from shoppers where store_id = ${store.storeId}`.execute(tx)
    await sql`
      insert into shopper_keys (store_id, kind, value, shopper_id)
      select store_id, 'order', order_id, shopper_id from orders where store_id = ${store.storeId}`.execute(tx)
  })
  await sql`vacuum (analyze) orders, shopper_keys`.execute(world.db)
}

async function expectCheap(work: () => Promise<unknown>, rows = FEW_ROWS) {
  const plans = await watch.during(work)
  expect(plans.length).toBeGreaterThan(0)
  expect(findPlanFaults(plans, { large: LARGE, rows }).join('\n')).toBe('')
}

const base: CustomerQuery = { page: 1, limit: 50, isRegistered: null, search: '', sort: 'since', order: 'desc' }
const list = (query: Partial<CustomerQuery>) => async () => {
  const filter = { ...base, ...query }
  const rows = await listCustomers(handle(), filter, await countCustomers(handle(), filter))
  expect(rows.length).toBeGreaterThan(0)
}

test.each(customerSorts)('by %s, both ways, of all and of one kind', async (sort) => {
  for (const isRegistered of [null, true, false]) {
    await expectCheap(list({ sort, isRegistered, order: 'asc' }))
    await expectCheap(list({ sort, isRegistered, order: 'desc', page: 3 }))
  }
})

test('the last page costs as little as the first', () => expectCheap(list({ page: CUSTOMERS / base.limit })))

test('a page in the middle starts at its day, and reads only its own rows', async () => {
  for (const isRegistered of [null, false]) {
    const work = list({ page: 390, isRegistered })
    await expectCheap(work)
    const scans = (await watch.during(work)).flatMap(({ plan }) => listPlanNodes(plan))
    const rows = scans.filter((node) => node['Relation Name'] === 'shoppers' && node['Node Type'] === 'Index Scan')
    expect(new Set(rows.map((node) => node['Actual Loops']))).toEqual(new Set([50]))
  }
})

test.each<Partial<CustomerQuery>>([
  { page: 390 },
  { page: 600, order: 'asc' },
  { page: 1_100 },
  { page: 200, isRegistered: true },
  { page: 700, sort: 'name', order: 'asc' },
  { page: 30, sort: 'company', isRegistered: false, order: 'desc' },
])('a far page has exactly the customers at its position: %o', async (query) => {
  const filter = { ...base, ...query }
  const rows = await listCustomers(handle(), filter, await countCustomers(handle(), filter))
  const direction = sql.raw(filter.order)
  const key = {
    since: sql`first_seen_at ${direction}, id ${direction}`,
    name: sql`customer_name collate "C" ${direction}, id ${direction}`,
    company: sql`lower(company) collate "C" ${direction} nulls ${sql.raw(filter.order === 'asc' ? 'first' : 'last')}, id ${direction}`,
  }[filter.sort as 'since' | 'name' | 'company']
  const there = await sql<{ id: string }>`
    select id from shoppers where store_id = ${store.storeId} and is_customer
      ${filter.isRegistered === null ? sql`` : sql`and is_registered = ${filter.isRegistered}`}
    order by ${key} limit ${filter.limit} offset ${(filter.page - 1) * filter.limit}`.execute(world.db)
  expect(rows.map(({ id }) => id)).toEqual(there.rows.map(({ id }) => id))
})

test.each([
  'search for “%s”',
  'lovelace',
  'ada.backus',
  '+121200012',
  '12120001',
])('search for “%s”', async (search) => {
  await expectCheap(list({ search }), 9_000)
  await expectCheap(list({ search, isRegistered: false }), 9_000)
  await expectCheap(list({ search, sort: 'name' }), 9_000)
})

test('a rare name is looked up', () => expectCheap(list({ search: 'ada.lovelace59' }), 50))

test('a search without prefix matches scans only the newest customers and reports it', async () => {
  const filter: CustomerFilter = { search: 'zz', isRegistered: null }
  await expectCheap(() => countCustomers(handle(), filter), 10_000)
  expect(await countCustomers(handle(), filter)).toMatchObject({ total: 0, isAnywhere: true, isPartial: true })
})

test('an export reads chunks, each from the end of the previous one', async () => {
  const counted = await countCustomers(handle(), base)
  await expectCheap(async () => {
    let pieces = 0
    for await (const _ of pagesOfCustomers(handle(), base, counted, 500)) if (++pieces === 3) return
  })
})

test('customers with an abandoned cart: the first page, later pages, and those of a search', async () => {
  const filter = { among: null, after: null, limit: 100 }
  const first = await listAbandoned(handle(), filter)
  const last = first.at(-1)!
  await expectCheap(() => listAbandoned(handle(), filter))
  await expectCheap(() =>
    listAbandoned(handle(), { ...filter, after: { at: last.last_activity_at.toISOString(), id: last.cart_id } }),
  )
  await expectCheap(
    () => listAbandonedCustomers(world.deps, handle(), { search: 'ada.lovelace59', cursor: '', limit: 100 }),
    200,
  )
  // A search with many matches finds them while it reads the carts.
  await expectCheap(() => listAbandoned(handle(), { ...filter, among: { begin: '+1212' } }))
  // Filters apply while the carts are read.
  const audience = { channel: 'email', filters: { country: 'US', mailedBefore: 'no' }, now: world.now } as const
  await expectCheap(() => listAbandoned(handle(), { ...filter, audience }))
  // The total is counted in the index without reading a row.
  const counting = await watch.during(() => countAbandoned(handle(), null, null))
  const carts = counting.flatMap(({ plan }) => listPlanNodes(plan)).filter((node) => node['Relation Name'] === 'carts')
  expect(carts.map((node) => node['Index Name'])).toEqual(carts.map(() => 'carts_abandoned'))
})

test('the page of one customer', async () => {
  const [row] = await listCustomers(handle(), base, await countCustomers(handle(), base))
  const of = { store: handle(), account: { accountId: store.accountId, db: world.db } }
  await expectCheap(() => readCustomerPage(world.deps, of, row!.id), 200)
})
