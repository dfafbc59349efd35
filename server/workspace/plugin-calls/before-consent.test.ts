import { beforeEach, expect, test } from 'vitest'
import { computeWordingId } from '../../../shared/shoppers/consent-box.ts'
import {
  buildCartEntry,
  buildWireOrder,
  createCartToken,
  createPluginShop,
  type PluginShop,
} from '../../../test/plugin-shop.ts'
import { createWorld } from '../../../test/world.ts'

// Reports of an older plugin beyond the store's setting (C9).

const world = createWorld()
let shop: PluginShop

beforeEach(async () => {
  shop = await createPluginShop(world)
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
    shop.batch([{ seq, ...buildCartEntry({ customer: { id: '12', lastActive: 1_700_000_000 + seq }, ...more }) }])
  const readLastLogin = async () =>
    (await world.db.selectFrom('customers').select('last_login_at').where('store_id', '=', shop.storeId).execute())[0]!
      .last_login_at
  await visit(1)
  expect(await readLastLogin()).toBeNull()
  await visit(2, { agreed: true })
  expect(await readLastLogin()).toEqual(new Date(1_700_000_002_000))
})

test('with "nothing", a withdrawal alone is recorded, and so is the order of the same batch (C9)', async () => {
  await world.db.updateTable('stores').set({ before_consent: 'nothing' }).where('id', '=', shop.storeId).execute()
  const [cart, wording] = [createCartToken(), 'Send me emails']
  const yes = { isGiven: true, id: computeWordingId(wording), wording }
  const contact = { email: 'ada@shoppers.example.com' }
  await shop.batch([{ seq: 1, ...buildCartEntry({ cart, contact, consent: { email: yes } }) }])
  world.advance(60_000)
  const reply = await shop.batch([
    { seq: 2, ...buildCartEntry({ cart, consent: { email: { ...yes, isGiven: false } } }) },
    { seq: 3, type: 'order', order: buildWireOrder(world), cart: null },
  ])
  expect(reply).toMatchObject({ status: 200, body: { done: [2, 3], refused: [] } })
  const consents = await world.db
    .selectFrom('consents')
    .select('status')
    .where('store_id', '=', shop.storeId)
    .orderBy('at')
    .execute()
  expect(consents.map(({ status }) => status)).toEqual(['granted', 'withdrawn'])
  const orders = await world.db.selectFrom('orders').select('order_id').where('store_id', '=', shop.storeId).execute()
  expect(orders).toEqual([{ order_id: '501' }])
})
