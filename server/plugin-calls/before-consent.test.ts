import { beforeEach, expect, test } from 'vitest'
import { aCartEntry, aPluginShop, type PluginShop } from '../../test/plugin-shop.ts'
import { aWorld } from '../../test/world.ts'

// What an older plugin reports beyond the store's choice (C9).

const world = aWorld()
let shop: PluginShop

beforeEach(async () => {
  shop = await aPluginShop(world)
})

test.each([
  'nothing',
  'cart_only',
] as const)('%s: when a customer was signed in is not kept before a yes (C9)', async (mode) => {
  await world.db.updateTable('stores').set({ before_consent: mode }).where('id', '=', shop.storeId).execute()
  await world.db
    .insertInto('customers')
    .values({ store_id: shop.storeId, customer_id: '12', seen_at: world.now } as never)
    .execute()
  const visit = (seq: number, more: object = {}) =>
    shop.batch([{ seq, ...aCartEntry({ customer: { id: '12', lastActive: 1_700_000_000 + seq }, ...more }) }])
  const lastLogin = async () =>
    (await world.db.selectFrom('customers').select('last_login_at').where('store_id', '=', shop.storeId).execute())[0]!
      .last_login_at
  await visit(1)
  expect(await lastLogin()).toBeNull()
  await visit(2, { agreed: true })
  expect(await lastLogin()).toEqual(new Date(1_700_000_002_000))
})
