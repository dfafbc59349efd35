import { expect, test } from 'vitest'
import { findTraces } from '../../../test/erasure-scene.ts'
import { buildOrder } from '../../../test/factories.ts'
import { markPurchased } from '../../../test/message-scene.ts'
import { buildCheckout, createShopifyStore, deliverWebhook } from '../../../test/shopify-store.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { pullCheckouts } from '../../carts/sync/checkouts.ts'
import { upsertCustomers } from '../../carts/sync/sync-sql.ts'
import { transact } from '../../core/db/db.ts'

const world = createWorld()
const EMAIL = 'shopper-1@mail.example.org'

async function createStoreWithCart() {
  const shop = await createShopifyStore(world)
  const at = new Date(world.now.getTime() - 20 * 60_000).toISOString()
  const restoreUrl = `${shop.fake.profile.homeUrl}/1/checkouts/ac/secret-token/recover?key=k`
  shop.fake.allCheckouts = [buildCheckout({ checkoutId: '1', modifiedAt: at, restoreUrl })]
  await pullCheckouts(world.deps, { storeId: shop.storeId })
  return shop
}

const customer = { id: 7, email: EMAIL, phone: null }

test("an erasure request erases the person in all stores, including the checkout's address (C8)", async () => {
  const { storeId, captureKey } = await createStoreWithCart()
  const body = { shop_id: 1, customer, orders_to_redact: [] }
  expect(await deliverWebhook(world, captureKey, { topic: 'customers/redact', body })).toBe(200)
  expect(JSON.stringify(world.queued)).not.toContain(EMAIL)
  await world.runJobs()
  const tables = ['facts', 'carts', 'shoppers', 'shopper_keys'] as const
  for (const table of tables) {
    const rows = await world.db.selectFrom(table).selectAll().where('store_id', '=', storeId).execute()
    expect([table, JSON.stringify(rows)]).not.toEqual([
      table,
      expect.stringMatching(/shopper-1@|secret-token\/recover/),
    ])
  }
})

test('an erasure request by customer id alone erases the addresses known for it (C8)', async () => {
  const { storeId, captureKey } = await createStoreWithCart()
  const record = { customer_id: '7', email: 'Shopper-1@mail.example.org', phone: null, hashes: [] }
  await transact({ storeId, db: world.db }, (tx) => upsertCustomers(tx, JSON.stringify([record]), world.now, world.now))
  const body = { shop_id: 1, customer: { id: 7, email: null, phone: null }, orders_to_redact: [] }
  expect(await deliverWebhook(world, captureKey, { topic: 'customers/redact', body })).toBe(200)
  await world.runJobs()
  for (const table of ['facts', 'carts', 'shoppers', 'shopper_keys', 'customers'] as const) {
    const rows = await world.db.selectFrom(table).selectAll().where('store_id', '=', storeId).execute()
    expect([table, JSON.stringify(rows).toLowerCase()]).not.toEqual([table, expect.stringContaining('shopper-1@')])
  }
})

test('an erasure request erases a person without any address by customer id (C8)', async () => {
  const { storeId, captureKey } = await createStoreWithCart()
  const order = { ...buildOrder(world, { customerId: '9', firstName: 'Nora' }), email: null, phone: null }
  await recordOrders(world.deps, storeId, [order], 'sync')
  expect(await findTraces(world, ['nora'])).not.toEqual([])
  const body = { shop_id: 1, customer: { id: 9, email: null, phone: null }, orders_to_redact: [] }
  expect(await deliverWebhook(world, captureKey, { topic: 'customers/redact', body })).toBe(200)
  await world.runJobs()
  expect(await findTraces(world, ['nora'])).toEqual([])
  const keys = world.db.selectFrom('shopper_keys').select('value').where('store_id', '=', storeId)
  expect(await keys.where('kind', '=', 'customer').execute()).toEqual([])
  const rows = await world.db.selectFrom('orders').selectAll().where('store_id', '=', storeId).execute()
  expect(rows).toMatchObject([{ order_id: order.orderId, customer_id: null, total_minor: order.totalMinor }])
  // Later reports of the shop are stored without the person.
  const refunded = { ...markPurchased(world, order), refundedMinor: 500, customerId: '9', firstName: 'Nora' }
  await recordOrders(world.deps, storeId, [order, { ...refunded, email: null, phone: null }], 'sync')
  expect(await findTraces(world, ['nora'])).toEqual([])
  expect(await keys.where('kind', '=', 'customer').execute()).toEqual([])
  const again = await deliverWebhook(world, captureKey, { topic: 'customers/redact', body })
  await world.runJobs()
  const { rows: erasures } = await world.pool.query('select finished_at from person_erasures where finished_at is null')
  expect([again, erasures]).toEqual([200, []])
})

test('an erasure request with an unknown address erases by customer id (C8)', async () => {
  const { storeId, captureKey } = await createStoreWithCart()
  const order = { ...buildOrder(world, { customerId: '10', firstName: 'Nina' }), email: null, phone: null }
  await recordOrders(world.deps, storeId, [order], 'sync')
  const body = { shop_id: 1, customer: { id: 10, email: 'nina@x.example', phone: null }, orders_to_redact: [] }
  expect(await deliverWebhook(world, captureKey, { topic: 'customers/redact', body })).toBe(200)
  await world.runJobs()
  expect(await findTraces(world, ['nina'])).toEqual([])
})

test('a shared address does not extend an erasure to other people (C8)', async () => {
  const { storeId, captureKey } = await createStoreWithCart()
  const shared = 'noreply@till.example'
  const [mine, other] = ['11', '12'].map((customerId) => ({
    ...buildOrder(world, { customerId, firstName: `Till${customerId}` }),
    email: `till-${customerId}@walk.example`,
    phone: null,
  }))
  await recordOrders(world.deps, storeId, [mine!, other!], 'sync')
  const records = ['11', '12'].map((customer_id) => ({ customer_id, email: shared, phone: null, hashes: [] }))
  await transact({ storeId, db: world.db }, (tx) => upsertCustomers(tx, JSON.stringify(records), world.now, world.now))
  const body = { shop_id: 1, customer: { id: 11, email: shared, phone: null }, orders_to_redact: [] }
  expect(await deliverWebhook(world, captureKey, { topic: 'customers/redact', body })).toBe(200)
  await world.runJobs()
  expect(await findTraces(world, ['till-11@', 'till11'])).toEqual([])
  expect(await findTraces(world, ['till-12@'])).not.toEqual([])
  const hashes = ['till-12@walk.example', shared].map((address) => world.deps.secrets.addressHash(address))
  const { rows } = await world.pool.query('select 1 from suppressions where address_hash = any($1)', [hashes])
  expect(rows).toEqual([])
})

test('a data request without a known address is reported by customer id', async () => {
  const { storeId, captureKey } = await createStoreWithCart()
  const body = {
    shop_id: 1,
    customer: { id: 8, email: null, phone: null },
    orders_requested: [],
    data_request: { id: 9 },
  }
  expect(await deliverWebhook(world, captureKey, { topic: 'customers/data_request', body })).toBe(200)
  await world.runJobs()
  const rows = world.db.selectFrom('pending_notifications').select('data').where('store_id', '=', storeId)
  const [notification] = await rows.where('type', '=', 'privacy_asked').execute()
  expect(notification!.data).toMatchObject({ customerId: '8', who: 'A shopper' })
})

test('a data request is reported to the owner with a masked address', async () => {
  const { storeId, captureKey } = await createStoreWithCart()
  const body = { shop_id: 1, customer, orders_requested: [], data_request: { id: 9 } }
  expect(await deliverWebhook(world, captureKey, { topic: 'customers/data_request', body })).toBe(200)
  await world.runJobs()
  const rows = world.db.selectFrom('pending_notifications').select('data').where('store_id', '=', storeId)
  const [notification] = await rows.where('type', '=', 'privacy_asked').execute()
  expect(notification!.data).toMatchObject({ customerId: '7', who: expect.not.stringContaining(EMAIL) })
})

test("a shop's erasure request deletes the shop at once", async () => {
  const { storeId, captureKey } = await createStoreWithCart()
  expect(
    await deliverWebhook(world, captureKey, {
      topic: 'shop/redact',
      body: { shop_id: 1, shop_domain: 'a.myshopify.com' },
    }),
  ).toBe(200)
  await world.runJobs()
  const row = world.db.selectFrom('stores').select('id').where('id', '=', storeId)
  expect(await row.executeTakeFirst()).toBeUndefined()
})
