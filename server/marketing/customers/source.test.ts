import { beforeEach, expect, test } from 'vitest'
import { createConnectedStore } from '../../../test/connected-store.ts'
import { buildOrder } from '../../../test/factories.ts'
import { buildCustomer, type FakeStore } from '../../../test/fake-store.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { pullCustomers } from '../../carts/sync/local-copies.ts'
import type { PlatformCustomer } from '../../platforms/platform/platform.ts'

// Sources of customers (decisions 40 and 127): customer records of the store, linked to shoppers.

const world = createWorld()
let fake: FakeStore
let storeId: string
let token: string

beforeEach(async () => {
  const store = await createConnectedStore(world)
  fake = store.fake
  storeId = store.storeId
  token = store.owner.token
})

interface CustomerRow {
  _id: string
  first_name: string | null
  last_name: string | null
  customer_email: string | null
  phone: string | null
  company: string | null
  is_registered: boolean
  last_login: string | null
}

async function customers(query = ''): Promise<CustomerRow[]> {
  const { status, body } = await world.request('GET', `/api/stores/customers/recent?${query}`, { token })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

async function pull(...records: Partial<PlatformCustomer>[]) {
  fake.allCustomers = records.map((record, index) => buildCustomer({ customerId: String(index + 1), ...record }))
  fake.pageSize = 100
  expect((await pullCustomers(world.deps, { storeId })).kind).toBe('done')
}

const order = (of: Parameters<typeof buildOrder>[1]) =>
  recordOrders(world.deps, storeId, [buildOrder(world, { kind: 'purchase', ...of })], 'sync')

test("a registered customer is listed with the store's data", { tags: ['B3'] }, async () => {
  const ada = { email: 'ada@example.org', phone: '+12125550101', firstName: 'Ada', lastName: 'Lovelace' }
  await pull({
    ...ada,
    company: 'Engines & Co',
    lastLoginAt: '2026-03-01T10:00:00Z',
    createdAt: '2025-01-01T00:00:00Z',
  })
  expect(await customers()).toEqual([
    {
      _id: expect.any(String),
      first_name: 'Ada',
      last_name: 'Lovelace',
      customer_email: 'ada@example.org',
      phone: '+12125550101',
      company: 'Engines & Co',
      is_registered: true,
      last_login: '2026-03-01T10:00:00.000Z',
    },
  ])
})

test('a guest with an order is an unregistered customer; an anonymous browser is none', {
  tags: ['B3'],
}, async () => {
  await order({ email: 'grace@example.org', firstName: 'Grace', lastName: 'Hopper', customerId: null })
  await order({ email: null, phone: null, firstName: 'No', lastName: 'Address', customerId: null })
  expect(await customers()).toMatchObject([
    { customer_email: 'grace@example.org', is_registered: false, last_login: null },
  ])
})

test.each<[string, Partial<PlatformCustomer>, Parameters<typeof buildOrder>[1]]>([
  ['number', { customerId: '7' }, { customerId: '7', email: 'other@example.org', phone: null }],
  ['email', { customerId: '8', email: 'same@example.org' }, { customerId: null, email: 'same@example.org' }],
  [
    'phone',
    { customerId: '9', email: null, phone: '+12125550144' },
    { customerId: null, email: 'x@example.org', phone: '+12125550144' },
  ],
])(
  'a record and a shopper with the same %s are one customer, whichever came first',
  { tags: ['B3'] },
  async (_, record, bought) => {
    await order(bought)
    await pull(record)
    expect(await customers()).toMatchObject([{ is_registered: true }])
    const [first] = await customers()
    // The other way round: later orders belong to them.
    await order({ ...bought, orderId: 'later' })
    expect(await customers()).toEqual([first])
  },
)

test("the store's record overrides typed data, and an order without a name does not clear it", async () => {
  await pull({ customerId: '5', email: 'ada@example.org', firstName: 'Ada', lastName: 'Lovelace', phone: null })
  await order({
    customerId: '5',
    email: 'ada.work@example.org',
    phone: '+12125550155',
    firstName: 'A.',
    lastName: null,
  })
  expect(await customers()).toMatchObject([
    { first_name: 'Ada', last_name: 'Lovelace', customer_email: 'ada@example.org', phone: '+12125550155' },
  ])
  await order({ customerId: '6', email: null, phone: null, firstName: null, lastName: null })
  await pull({ customerId: '6', email: 'six@example.org' })
  await order({ customerId: '6', email: null, phone: null, firstName: null, lastName: null, orderId: 'again' })
  const shopper = await world.db
    .selectFrom('shoppers')
    .select(['email', 'is_registered'])
    .where('store_id', '=', storeId)
    .where('account_email', '=', 'six@example.org')
    .executeTakeFirstOrThrow()
  expect(shopper).toEqual({ email: 'six@example.org', is_registered: true })
})

test('a record whose email and phone belong to two shoppers goes to the email, and merges no shoppers', async () => {
  await order({ customerId: null, email: 'one@example.org', phone: null })
  await order({ customerId: null, email: null, phone: '+12125550177' })
  await pull({ customerId: '3', email: 'one@example.org', phone: '+12125550177' })
  expect(
    (await customers()).map(({ customer_email, is_registered }) => [customer_email, is_registered]).sort(),
  ).toEqual([
    [null, false],
    ['one@example.org', true],
  ])
})

test('a customer merged with another shopper stays registered, with company and first day (S6)', async () => {
  await order({ customerId: null, email: 'first@example.org', phone: null })
  world.advance(60_000)
  await pull({ customerId: '4', email: 'late@example.org', company: 'Late Ltd', createdAt: '2025-10-05T00:00:00Z' })
  expect(await customers()).toHaveLength(2)
  await order({ customerId: '4', email: 'first@example.org', phone: null })
  expect(await customers()).toMatchObject([
    { customer_email: 'late@example.org', company: 'Late Ltd', is_registered: true },
  ])
  const { first_seen_at } = await world.db
    .selectFrom('shoppers')
    .select('first_seen_at')
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow()
  expect(first_seen_at.toISOString()).toBe('2025-10-05T00:00:00.000Z')
})

test('a second sync updates changed customers and adds none', async () => {
  await pull({ customerId: '1', email: 'a@example.org', company: null, lastLoginAt: null })
  const [before] = await customers()
  world.advance(60_000)
  await pull({ customerId: '1', email: 'a@example.org', company: 'New Ltd', lastLoginAt: '2026-03-02T08:00:00Z' })
  expect(await customers()).toEqual([{ ...before, company: 'New Ltd', last_login: '2026-03-02T08:00:00.000Z' }])
})

test('an address of the shop itself merges no shoppers', async () => {
  const { home_url } = await world.db
    .selectFrom('stores')
    .select('home_url')
    .where('id', '=', storeId)
    .executeTakeFirstOrThrow()
  const own = `sales@${new URL(home_url).hostname}`
  await pull({ customerId: '1', email: own }, { customerId: '2', email: own })
  expect((await customers()).map((each) => each.customer_email)).toEqual([own, own])
  const emails = await world.db.selectFrom('shoppers').select('email').where('store_id', '=', storeId).execute()
  expect(emails).toEqual([{ email: null }, { email: null }])
})

test('an erased customer disappears from the list and is not copied again (C8)', async () => {
  await pull({ customerId: '1', email: 'zen@example.org', company: 'Zen Ltd', firstName: 'Zen' }, { customerId: '2' })
  const erase = { token, body: { confirmation: 'erase' } }
  expect((await world.request('DELETE', '/api/privacy/zen@example.org', erase)).status).toBe(202)
  await world.runJobs()
  expect((await customers()).map(({ first_name }) => first_name)).not.toContain('Zen')
  world.advance(60_000)
  await pull({ customerId: '1', email: 'zen@example.org', company: 'Zen Ltd', firstName: 'Zen' }, { customerId: '2' })
  expect(await customers()).toHaveLength(1)
  const rows = await world.db.selectFrom('shoppers').selectAll().where('store_id', '=', storeId).execute()
  expect(JSON.stringify(rows).toLowerCase()).not.toContain('zen')
})
