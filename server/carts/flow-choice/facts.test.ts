import { beforeEach, expect, test } from 'vitest'
import type { FlowConditions } from '../../../shared/carts/flow-conditions.ts'
import { buildOrder } from '../../../test/factories.ts'
import { grantConsent } from '../../../test/manual-send-scene.ts'
import { buildTea, createShop, DAY, MINUTE, pot, type Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { createId } from '../../core/common/ids.ts'
import type { ConditionValues } from './conditions.ts'
import { readConditionValues } from './facts.ts'

// Values of carts that conditions use, read from the database (decision 52).

const world = createWorld()
let shop: Shop
let n = 0

beforeEach(async () => {
  shop = await createShop(world)
})

const ofConsent: FlowConditions = {
  match: 'all',
  groups: [{ match: 'all', conditions: [{ fact: 'consent', is: 'given', channel: 'sms' }] }],
}

async function readFactsOf(conditions: FlowConditions | null = null): Promise<ConditionValues> {
  const { id } = await shop.cart()
  const asking = { secrets: world.deps.secrets, now: world.now }
  return (await readConditionValues({ storeId: shop.storeId, db: world.db }, asking, [id], [conditions])).get(id)!
}

/** A cart of a shopper with this contact. */
async function createCart(contact: { phone?: string } = {}, more: Parameters<Shop['fill']>[2] = {}) {
  const email = `facts${++n}@shoppers.example.com`
  await shop.fill('one', [buildTea(2), pot], more)
  await shop.type('one', { email, ...contact })
  return email
}

const withdrawConsent = (phone: string) =>
  world.db
    .insertInto('consents')
    .values({
      store_id: shop.storeId,
      id: createId(),
      address_hash: world.deps.secrets.addressHash(phone),
      channel: 'sms',
      status: 'withdrawn',
      source: 'sms',
      wording: null,
      at: world.now,
    })
    .execute()

test('reads value, number of items, products and coupon of the cart', async () => {
  await createCart()
  expect(await readFactsOf()).toMatchObject({
    valueMinor: 11_000,
    currency: 'USD',
    storeCurrency: 'USD',
    items: 3,
    productIds: ['16', '17'],
    categoryIds: [],
    hasCoupon: false,
    hasPhone: false,
    orders: 0,
    hasBoughtBefore: false,
  })
  await shop.fill('one', [buildTea(2), pot], { coupons: ['SAVE'] })
  expect(await readFactsOf()).toMatchObject({ hasCoupon: true })
})

test('reads the categories of the store’s own products', async () => {
  const other = await createShop(world)
  const product = {
    name: 'Earl Grey',
    price_minor: 2_100,
    currency: 'USD',
    is_available: true,
    seen_at: world.now,
  }
  await world.db
    .insertInto('products')
    .values([
      { ...product, store_id: shop.storeId, product_id: '16', category_ids: ['7', '8'] },
      { ...product, store_id: shop.storeId, product_id: '99', category_ids: ['9'] },
      { ...product, store_id: other.storeId, product_id: '17', category_ids: ['10'] },
    ])
    .execute()
  await createCart()
  expect([...(await readFactsOf()).categoryIds].sort()).toEqual(['7', '8'])
})

test('takes the country from the shopper, else from the phone, and day and hour from their time zone', async () => {
  world.now = new Date('2026-07-10T22:30:00Z')
  await createCart()
  // A Friday, in New York.
  expect(await readFactsOf()).toMatchObject({ country: null, hasPhone: false, day: 5, hour: 18 })
  await shop.type('one', { phone: '+4915112345678' })
  expect(await readFactsOf()).toMatchObject({ country: 'DE', hasPhone: true, day: 6, hour: 0 })
  await world.db.updateTable('shoppers').set({ country: 'JP' }).where('store_id', '=', shop.storeId).execute()
  expect(await readFactsOf()).toMatchObject({ country: 'JP', day: 6, hour: 7 })
})

test('counts orders placed before the cart, and a returning buyer has one of ours or of the store’s count', async () => {
  const email = `facts${++n}@shoppers.example.com`
  await shop.order({ kind: 'purchase', email })
  world.advance(2 * DAY)
  await shop.fill('one', [buildTea()], { keys: [{ kind: 'customer', value: '7' }] })
  await shop.type('one', { email })
  const { id, started_at } = (await shop.carts()).at(-1)!
  const asking = { secrets: world.deps.secrets, now: world.now }
  const read = async () =>
    (await readConditionValues({ storeId: shop.storeId, db: world.db }, asking, [id], [null])).get(id)!
  expect(await read()).toMatchObject({ orders: 1, hasBoughtBefore: true })
  await world.db
    .updateTable('orders')
    .set({ purchased_at: new Date(started_at.getTime() + MINUTE) })
    .where('store_id', '=', shop.storeId)
    .execute()
  expect(await read()).toMatchObject({ orders: 0, hasBoughtBefore: false })
  await world.db
    .insertInto('customers')
    .values({ store_id: shop.storeId, customer_id: '7', seen_at: world.now, orders_count: 3, spent_minor: 9_000 })
    .execute()
  expect(await read()).toMatchObject({ orders: 0, hasBoughtBefore: true })
})

test('an unpaid order in a custom status makes no returning buyer (S4)', async () => {
  const email = `facts${++n}@shoppers.example.com`
  const order = { kind: 'purchase', email, status: 'quote' } as const
  const { orderId, createdAt } = await shop.order({ ...order, paidAt: null, amount: 'if_counted' })
  world.advance(2 * DAY)
  await shop.fill('one', [buildTea()])
  await shop.type('one', { email })
  const { id } = (await shop.carts()).at(-1)!
  const asking = { secrets: world.deps.secrets, now: world.now }
  const read = async () =>
    (await readConditionValues({ storeId: shop.storeId, db: world.db }, asking, [id], [null])).get(id)!
  expect(await read()).toMatchObject({ orders: 0, hasBoughtBefore: false })
  const at = world.now.toISOString()
  await shop.order({ ...order, orderId, createdAt, modifiedAt: at, paidAt: at })
  expect(await read()).toMatchObject({ orders: 1, hasBoughtBefore: true })
})

test('reads consents that were not withdrawn, and the language that the shopper chose', async () => {
  const phone = '+4915112345679'
  const email = await createCart({ phone })
  expect(await readFactsOf(ofConsent)).toMatchObject({ consents: [], language: null })
  await grantConsent(world, shop, buildOrder(world, { email, phone }))
  expect(await readFactsOf(ofConsent)).toMatchObject({ consents: ['email', 'sms', 'whatsapp'] })
  world.advance(MINUTE)
  await withdrawConsent(phone)
  await world.db.updateTable('shoppers').set({ language: 'de' }).where('store_id', '=', shop.storeId).execute()
  expect(await readFactsOf(ofConsent)).toMatchObject({ consents: ['email', 'whatsapp'], language: 'de' })
  // Not read if no condition uses it.
  expect(await readFactsOf()).toMatchObject({ consents: [] })
})
