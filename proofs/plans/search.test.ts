import { beforeAll, expect, test } from 'vitest'
import { BADGE } from '../../server/carts/carts/fragments.ts'
import { type CartFilter, countCarts, listCarts } from '../../server/carts/carts/list-sql.ts'
import { sql } from '../../server/core/db/db.ts'
import { CartBadge, sortColumns } from '../../shared/carts/carts.ts'
import { createStore, type TestStore } from '../../test/factories.ts'
import { insertManyCarts } from '../../test/many-carts.ts'
import { FEW_ROWS, findPlanFaults, listPlanNodes, type PlanWatch, watchPlans } from '../../test/plans.ts'
import { createWorld } from '../../test/world.ts'

// Searches of the cart list return exactly the matching carts in order, and read only matching index entries.

const CARTS = 60_000
/** Most index entries that one query reads: those that are gathered, and one more. */
const GATHERED = 5_001

const world = createWorld()
let store: TestStore
let watch: PlanWatch

beforeAll(async () => {
  store = await createStore(world, { plan: 'growth' })
  await insertManyCarts(world.db, { storeId: store.storeId, flowId: store.flowId, now: world.now, count: CARTS })
  watch = watchPlans(world.pool, { repeated: true })
}, 300_000)

const handle = () => ({ storeId: store.storeId, db: world.db })
const base: CartFilter = { page: 1, limit: 25, badge: null, search: '', sort: 'timestamp', order: 'desc' }

async function find(filter: Partial<CartFilter>) {
  const params = { ...base, ...filter }
  const counted = await countCarts(handle(), params)
  return { counted, ids: (await listCarts(handle(), params, counted)).map(({ id }) => id) }
}

const COLUMNS: Record<CartFilter['sort'], string> = {
  timestamp: 'last_activity_at',
  value: 'value_minor',
  customer: 'search collate "C"',
  items: 'item_count',
  email: 'email collate "C"',
  phone: 'phone collate "C"',
  status: 'badge',
}

/** The expected result, computed in the simplest way. */
async function findPlainly(filter: Partial<CartFilter>) {
  const { badge, search, sort, order, page, limit } = { ...base, ...filter }
  const digits = /^[+0-9][0-9 ().-]*$/.test(search) ? `+${search.replace(/\D/g, '')}` : null
  const idOrder = sort === 'status' ? (order === 'asc' ? 'desc' : 'asc') : order
  const { rows } = await sql<{ id: string }>`
    select id from (select c.*, ${BADGE} as badge from carts c) carts where store_id = ${store.storeId} and status in ('abandoned', 'recovered', 'lost')
      and (${badge}::text is null or badge = ${badge})
      and (starts_with(search, ${search}) or starts_with(split_part(lower(customer_name), ' ', 2), ${search})
        or starts_with(email, ${search}) or starts_with(phone, ${digits}))
    order by ${sql.raw(COLUMNS[sort])} ${sql.raw(order)}, ${sort === 'status' ? sql.raw(`last_activity_at ${idOrder},`) : sql``} id ${sql.raw(idOrder)}`.execute(
    world.db,
  )
  const ids = rows.map(({ id }) => id)
  return { total: ids.length, ids: ids.slice((page - 1) * limit, page * limit) }
}

// With more matches than can be gathered, with some hundreds, and with few.
const SEARCHES = ['g', '+1212', 'lovelace', '+1212000001', 'ada.love', 'ada lovelace ada.lovelace59']

test.each(SEARCHES)('“%s” finds exactly the prefix matches, under every badge', async (search) => {
  for (const badge of [null, ...CartBadge.options]) {
    const plain = await findPlainly({ search, badge })
    const { counted, ids } = await find({ search, badge })
    expect({ badge, total: counted.total, isCapped: counted.isCapped }).toEqual({
      badge,
      total: Math.min(plain.total, 1_000),
      isCapped: plain.total > 1_000,
    })
    expect(ids).toEqual(plain.ids)
  }
})

test.each(sortColumns)('by %s, both ways, with and without a search and a badge', async (sort) => {
  for (const search of ['', 'g', 'lovelace']) {
    for (const badge of [null, 'No Response'] as const) {
      for (const order of ['asc', 'desc'] as const) {
        const params = { search, badge, sort, order, page: 3 }
        expect((await find(params)).ids, JSON.stringify(params)).toEqual((await findPlainly(params)).ids)
      }
    }
  }
})

test('a page far down in a text order has the carts at its position, and sorts none', async () => {
  for (const sort of ['customer', 'email', 'phone'] as const) {
    for (const page of [1_000, 2_000]) {
      const params = { sort, order: 'asc', page } as const
      const plans = await watch.during(async () => {
        expect((await find(params)).ids).toHaveLength(25)
      })
      expect(findPlanFaults(plans, { large: ['carts'], rows: CARTS, sorted: FEW_ROWS })).toEqual([])
      expect((await find(params)).ids).toEqual((await findPlainly(params)).ids)
    }
  }
})

test.each(
  SEARCHES,
)('“%s” under a badge reads each matching cart at most once, and sorts only gathered ones', async (search) => {
  for (const badge of ['Recovered', 'No Response', 'WhatsApp Sent'] as const) {
    const plans = await watch.during(() => find({ search, badge }))
    expect(findPlanFaults(plans, { large: ['carts'], rows: CARTS, sorted: GATHERED })).toEqual([])
  }
})

test('a prefix of very many carts is matched while the list is read, not gathered', async () => {
  for (const badge of [null, 'No Action'] as const) {
    const counted = await countCarts(handle(), { search: 'g', badge })
    const plans = await watch.during(() => listCarts(handle(), { ...base, search: 'g', badge }, counted))
    expect([counted.isMany, badge]).toEqual([badge === null, badge])
    expect(
      findPlanFaults(plans, {
        large: ['carts'],
        rows: badge ? 2 * GATHERED : FEW_ROWS,
        sorted: badge ? 4 * GATHERED : FEW_ROWS,
      }),
    ).toEqual([])
    const kinds = plans.flatMap(({ plan }) => listPlanNodes(plan)).map((node) => node['Node Type'])
    expect(kinds).not.toContain('BitmapOr')
  }
})

test('a text without prefix matches scans the newest carts, and without a badge only an index', async () => {
  for (const badge of [null, ...CartBadge.options]) {
    const plans = await watch.during(() => countCarts(handle(), { search: 'zz', badge }))
    const scans = plans.flatMap(({ plan }) => listPlanNodes(plan)).filter((node) => node['Relation Name'] === 'carts')
    const read = scans.filter((node) => node['Actual Rows'] > 0)
    const isInIndex = read.every((node) => node['Node Type'] === 'Index Only Scan' && node['Heap Fetches'] === 0)
    expect([badge, isInIndex || badge !== null]).toEqual([badge, true])
    // Under a badge the other carts are skipped.
    expect(findPlanFaults(plans, { large: ['carts'], rows: badge ? CARTS : 20_000, sorted: FEW_ROWS })).toEqual([])
  }
  expect(await countCarts(handle(), { search: 'zz', badge: null })).toMatchObject({ isAnywhere: true, isPartial: true })
})
