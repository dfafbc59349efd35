import { beforeEach, expect, test } from 'vitest'
import { buildAddress, type CouponShop, createCouponShop } from '../../../test/coupon-scene.ts'
import { buildTea, DAY, MINUTE } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'

// An order with a personal coupon code is attributed to the message with that code (A1, S3, decision 38).

const world = createWorld()
let shop: CouponShop
let code: string
let messageId: string

beforeEach(async () => {
  shop = await createCouponShop(world)
  await shop.abandoned('ada')
  await shop.make()
  await shop.passTime(0)
  const sent = await shop.firstMessage()
  messageId = sent.id
  expect(sent.state).toBe('sent')
  code = (await shop.codes())[0]!.code
  world.advance(10 * MINUTE)
})

const selectTouches = () =>
  world.db.selectFrom('touchpoints').selectAll().where('store_id', '=', shop.storeId).orderBy('at').execute()
const readUse = async () => (await shop.codes()).map(({ used_at, used_order_id }) => ({ used_at, used_order_id }))[0]!
const order = (more: Parameters<CouponShop['order']>[0] = {}) =>
  shop.order({ kind: 'purchase', email: buildAddress('ada'), coupons: [code.toLowerCase()], ...more })

test('a purchase with the code recovers the cart and is attributed to its message without a click (A1, A2)', async () => {
  const bought = await order({ discounts: [{ code, discountMinor: 210 }] })
  expect((await shop.cart()).status).toBe('recovered')
  expect((await shop.orders())[0]).toMatchObject({ message_id: messageId, order_id: bought.orderId })
  expect(await selectTouches()).toMatchObject([
    { kind: 'coupon', message_id: messageId, is_human: true, at: world.now },
  ])
  expect(await readUse()).toEqual({ used_at: world.now, used_order_id: bought.orderId })
  const stored = await world.db.selectFrom('order_coupons').selectAll().where('store_id', '=', shop.storeId).execute()
  expect(stored).toMatchObject([{ order_id: bought.orderId, code, discount_minor: 210 }])
  const events = (await shop.events()).filter((event) => event.kind === 'coupon_used')
  expect(events.map(({ detail }) => detail)).toEqual([{ code, orderId: bought.orderId }])
})

test('the cart’s page shows the use once, in capitals', async () => {
  const bought = await order()
  const cart = await shop.cart()
  await world.db
    .updateTable('carts')
    .set({ coupons: JSON.stringify([code.toLowerCase()]) })
    .where('id', '=', cart.id)
    .execute()
  const { body } = await shop.get(`/api/carts/${cart.id}`)
  const { timeline } = (await shop.get(`/api/carts/${cart.id}/messages`)).body
  const uses = timeline.filter(({ title }: { title: string }) => title === 'Coupon used')
  expect(uses).toMatchObject([
    {
      messageId,
      text: `The code ${code} was used in an order. Order ${bought.orderId}. A purchase within the attribution window is attributed to this message.`,
    },
  ])
  expect(body.cart.coupons).toEqual([code])
})

test('a purchase without the code, or with another shopper’s code, is plain purchased', async () => {
  await order({ coupons: ['welcome10'] })
  expect((await shop.cart()).status).toBe('purchased')
  expect(await selectTouches()).toEqual([])
})

test('a friend who uses the code is recorded as the buyer, and the order is attributed to the same message', async () => {
  await shop.fill('bob', [buildTea()])
  await shop.type('bob', { email: buildAddress('bob') })
  await order({ email: buildAddress('bob') })
  const carts = await shop.carts()
  expect(carts.find((cart) => cart.email === buildAddress('bob'))!.status).toBe('recovered')
  expect(carts.find((cart) => cart.email === buildAddress('ada'))!.status).toBe('abandoned')
  expect((await shop.orders())[0]).toMatchObject({ message_id: messageId })
})

test('a repeated order and its later states record one touch and one use', async () => {
  const bought = await order()
  const at = world.now
  world.advance(DAY)
  await shop.order({ ...bought, status: 'completed', modifiedAt: world.now.toISOString() }, 'sync')
  await shop.order({ ...bought, status: 'completed', modifiedAt: world.now.toISOString() }, 'webhook')
  expect(await selectTouches()).toHaveLength(1)
  expect(await readUse()).toEqual({ used_at: at, used_order_id: bought.orderId })
  expect((await shop.events()).filter((event) => event.kind === 'coupon_used')).toHaveLength(1)
})

test('drafts, unpaid and failed orders use no code, and the purchase made from them does', async () => {
  const draft = await order({ kind: 'draft' })
  const later = (kind: 'pending' | 'failed' | 'purchase', status: string) => {
    world.advance(MINUTE)
    const at = world.now.toISOString()
    return shop.order({ ...draft, kind, status, modifiedAt: at, paidAt: kind === 'purchase' ? at : null })
  }
  await later('pending', 'pending')
  await later('failed', 'failed')
  expect(await selectTouches()).toEqual([])
  expect((await readUse()).used_at).toBeNull()
  await later('purchase', 'processing')
  expect(await selectTouches()).toHaveLength(1)
  expect((await readUse()).used_at).toEqual(world.now)
  expect((await shop.cart()).status).toBe('recovered')
})

test('an unpaid order clears neither a paid order’s use nor the store’s, and a cancelled order clears its own', async () => {
  const bought = await order()
  const paid = { used_at: world.now, used_order_id: bought.orderId }
  const unpaid = { kind: 'pending', status: 'pending', paidAt: null } as const
  world.advance(MINUTE)
  await order({ ...unpaid, email: buildAddress('bob') })
  expect(await readUse()).toEqual(paid)
  await shop.order({ ...bought, ...unpaid, modifiedAt: world.now.toISOString() })
  expect(await readUse()).toEqual(paid)
  const usage = { used_at: world.now, used_order_id: null }
  await world.db.updateTable('coupon_codes').set(usage).where('message_id', '=', messageId).execute()
  await world.db.deleteFrom('orders').where('store_id', '=', shop.storeId).execute()
  world.advance(MINUTE)
  const other = await order({ ...unpaid, email: buildAddress('bob') })
  expect(await readUse()).toEqual(usage)
  await order({ kind: 'draft', status: 'checkout-draft', paidAt: null, email: buildAddress('cyd') })
  expect(await readUse()).toEqual(usage)
  world.advance(MINUTE)
  await shop.order({ ...other, kind: 'cancelled', status: 'cancelled', modifiedAt: world.now.toISOString() })
  expect(await readUse()).toEqual({ used_at: null, used_order_id: null })
})

test('a cancelled order releases the code, as in the store, and stays attributed with zero revenue (S3)', async () => {
  const bought = await order({ totalMinor: 5_000 })
  const at = world.now
  world.advance(DAY)
  await shop.order({ ...bought, kind: 'cancelled', status: 'cancelled', modifiedAt: world.now.toISOString() })
  expect((await readUse()).used_at).toBeNull()
  expect((await shop.cart()).status).toBe('recovered')
  expect((await shop.orders())[0]).toMatchObject({ message_id: messageId, net_minor: 0 })
  world.advance(MINUTE)
  await shop.order({ ...bought, modifiedAt: world.now.toISOString() })
  expect(await readUse()).toEqual({ used_at: at, used_order_id: bought.orderId })
})

test('the result is the same whether the order or the store’s coupon state arrives first', async () => {
  await world.db
    .updateTable('coupon_codes')
    .set({ state: 'wanted', platform_id: null })
    .where('store_id', '=', shop.storeId)
    .execute()
  await order()
  expect((await shop.cart()).status).toBe('recovered')
  await shop.make()
  expect((await readUse()).used_at).toEqual(world.now)
})

test('an older state of the order does not restore a coupon that it no longer has', async () => {
  const bought = await order()
  world.advance(MINUTE)
  await shop.order({ ...bought, coupons: [], modifiedAt: world.now.toISOString() })
  expect((await readUse()).used_at).toBeNull()
  await shop.order({ ...bought, status: 'on-hold' })
  expect((await readUse()).used_at).toBeNull()
})

test('a staff order with the code uses it and is not attributed (A2)', async () => {
  await order({ source: 'staff' })
  expect((await readUse()).used_at).toEqual(world.now)
  expect(await selectTouches()).toEqual([])
  expect((await shop.cart()).status).toBe('purchased')
})

test('of two concurrent orders with the code the first uses it, and both are attributed to the message', async () => {
  const second = await order({ email: buildAddress('bob') })
  const earlier = new Date(world.now.getTime() - MINUTE).toISOString()
  const first = await order({ paidAt: earlier, modifiedAt: earlier, createdAt: earlier })
  expect((await readUse()).used_order_id).toBe(first.orderId)
  expect(new Set((await shop.orders()).map((each) => each.message_id))).toEqual(new Set([messageId]))
  expect(second.orderId).not.toBe(first.orderId)
})

test('an order’s code is compared in the same capitals as our copy', async () => {
  await order({ coupons: ['süß10'] })
  const stored = await world.db
    .selectFrom('order_coupons')
    .select('code')
    .where('store_id', '=', shop.storeId)
    .execute()
  expect(stored).toEqual([{ code: 'SÜß10' }])
})
