import { expect, test } from 'vitest'
import { findTraces } from '../../../test/erasure-scene.ts'
import { buildOrder, createStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { upsertCustomers } from '../../carts/sync/sync-sql.ts'
import { transact } from '../../core/db/db.ts'
import { linkCustomers, listCustomerKeys, lockAllKeys } from '../../shoppers/shoppers/shoppers.ts'

const world = createWorld()

test("erases an account's address that is another shopper's key, for any address of the person (C8, decision 40)", async () => {
  const { storeId, token } = await createStore(world)
  const phone = '+12125550144'
  const record = { customerId: '4713', email: 'Mia@walk.example', phone: null }
  // The account's order has only a phone; a cart had the account's email before the store reported the account.
  const byPhone = { ...buildOrder(world), email: null, phone, customerId: record.customerId }
  await recordOrders(world.deps, storeId, [byPhone, buildOrder(world, { email: 'mia@walk.example' })], 'sync')
  await transact({ storeId, db: world.db }, async (tx) => {
    const row = { customer_id: record.customerId, email: record.email, phone: null, hashes: [] }
    expect(await upsertCustomers(tx, JSON.stringify([row]), world.now, world.now)).toEqual([record.customerId])
    const changed = { ...record, email: 'mia@walk.example' }
    await lockAllKeys(tx, listCustomerKeys(changed, 'shop.example'))
    await linkCustomers(tx, [changed], { storeHost: 'shop.example', now: world.now })
  })
  expect(await findTraces(world, ['mia@walk'])).toContain('shoppers.account_email: mia@walk')
  for (const known of ['mia@walk.example', phone]) {
    const { body } = await world.request('GET', `/api/privacy/${encodeURIComponent(known)}`, { token })
    expect(body.person.addresses.toSorted()).toEqual([phone, 'mia@walk.example'])
    expect(body.person.counts).toMatchObject({ customers: 1 })
  }
  const erase = `/api/privacy/${encodeURIComponent(phone)}`
  expect((await world.request('DELETE', erase, { token, body: { confirmation: 'erase' } })).status).toBe(202)
  await world.runJobs()
  expect(await findTraces(world, ['mia@walk', '2125550144'])).toEqual([])
})
