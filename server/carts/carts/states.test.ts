import { expect, test } from 'vitest'
import { buildTea, createShop, DAY, HOUR, MINUTE, pot } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { detectAbandoned, detectLost } from './detect.ts'

// States of a cart (S1–S5) with the real database and sending. The default flow sends after 1 h, 24 h and 72 h.

const world = createWorld()
const ada = { email: 'ada@shoppers.example.com', firstName: 'Ada' }

async function createShopWithCart() {
  const shop = await createShop(world)
  await shop.fill('one', [buildTea()])
  await shop.type('one', ada)
  return shop
}

test('all carts of a store have the same timeout, including those without a reachable contact (S1)', async () => {
  const shop = await createShop(world)
  await shop.fill('known', [buildTea()])
  await shop.type('known', ada)
  await shop.fill('unknown', [pot])
  await shop.passTime(HOUR - 1)
  expect((await shop.carts()).map((cart) => cart.status)).toEqual(['active', 'active'])
  await shop.passTime(1)
  const carts = await shop.carts()
  expect(carts.map((cart) => cart.status)).toEqual(['abandoned', 'abandoned'])
  for (const cart of carts) expect(cart.abandoned_at).toEqual(new Date(cart.last_activity_at.getTime() + HOUR))
})

test('the store’s own timeout applies when no flow is on (S1)', { tags: ['A9'] }, async () => {
  const shop = await createShop(world, { isFlowOn: false })
  await shop.fill('one', [buildTea()])
  await shop.passTime(DAY - 1)
  expect((await shop.cart()).status).toBe('active')
  await shop.passTime(1)
  expect((await shop.cart()).status).toBe('abandoned')
  expect(await shop.messages()).toEqual([])
})

test('a cart is abandoned after 24 hours by default, or after the owner’s timeout (A 1)', {
  tags: ['A1'],
}, async () => {
  const shop = await createShop(world, { isFlowOn: false })
  await shop.fill('one', [buildTea()])
  await shop.passTime(24 * 3_600_000 - 1)
  expect((await shop.cart()).status).toBe('active')
  await shop.passTime(1)
  expect((await shop.cart()).status).toBe('abandoned')
  const other = await createShop(world, { isFlowOn: false })
  const body = { abandonmentTimeoutMinutes: 120 }
  expect((await world.request('PUT', '/api/stores/settings', { token: other.token, body })).status).toBe(200)
  await other.fill('one', [buildTea()])
  await other.passTime(2 * 3_600_000 - 1)
  expect((await other.cart()).status).toBe('active')
  await other.passTime(1)
  expect((await other.cart()).status).toBe('abandoned')
})

test('an empty cart is never abandoned (S1)', async () => {
  const shop = await createShop(world)
  await shop.fill('one', [{ productId: '999', variationId: null, quantity: 1 }])
  await shop.passTime(30 * DAY)
  expect((await shop.cart()).status).toBe('active')
})

test('a sync without changes and a staff edit do not count as activity (S1)', async () => {
  const shop = await createShop(world)
  const order = await shop.order({ kind: 'pending', email: ada.email })
  const before = (await shop.cart()).last_activity_at
  world.advance(10 * MINUTE)
  const later = { ...order, modifiedAt: world.now.toISOString() }
  await shop.order(later, 'sync')
  await shop.order({ ...later, items: [{ ...order.items[0]!, quantity: 7 }] }, 'sync')
  const cart = await shop.cart()
  expect(cart.last_activity_at).toEqual(before)
  expect(cart.item_count).toBe(7)
})

test('activity before a send makes the cart active again and moves the open steps (S2)', async () => {
  const shop = await createShopWithCart()
  // No sending in between: only the periodic jobs run.
  world.advance(HOUR)
  await detectAbandoned(world.deps)
  const planned = await shop.messages()
  expect(planned.map((message) => message.state)).toEqual(['scheduled', 'scheduled', 'scheduled'])
  world.advance(MINUTE)
  await shop.fill('one', [buildTea(2)])
  expect(await shop.cart()).toMatchObject({ status: 'active', abandoned_at: null })
  const moved = await shop.messages()
  expect(moved.map((message) => message.id)).toEqual(planned.map((message) => message.id))
  for (const [index, message] of moved.entries()) {
    expect(message.due_at.getTime() - planned[index]!.due_at.getTime()).toBe(HOUR + MINUTE)
  }
  const sent = world.sent.length
  await shop.passTime(HOUR - MINUTE)
  expect(world.sent).toHaveLength(sent)
  await shop.passTime(MINUTE)
  expect(world.sent).toHaveLength(sent + 1)
  expect((await shop.events()).map((event) => event.kind)).toEqual(['active', 'abandoned', 'active', 'abandoned'])
})

test('activity after a send keeps the cart abandoned and moves later steps, without repeating one (S2)', async () => {
  const shop = await createShopWithCart()
  await shop.passTime(HOUR)
  expect((await shop.messages()).map((message) => message.state)).toEqual(['sent', 'scheduled', 'scheduled'])
  const sent = world.sent.length
  world.advance(HOUR)
  await shop.fill('one', [buildTea(2)])
  expect((await shop.cart()).status).toBe('abandoned')
  const [first, second] = await shop.messages()
  expect(first!.state).toBe('sent')
  expect(second!.due_at).toEqual(new Date(world.now.getTime() + DAY))
  await shop.passTime(DAY - 1)
  expect(world.sent).toHaveLength(sent)
  await shop.passTime(1)
  expect(world.sent).toHaveLength(sent + 1)
  await shop.passTime(5 * DAY)
  expect(world.sent.length - sent).toBeLessThanOrEqual(2)
})

test('messages are held while a payment is pending and continue after a day (S4)', async () => {
  const shop = await createShop(world)
  await shop.order({ kind: 'pending', email: ada.email })
  const sent = world.sent.length
  await shop.passTime(HOUR)
  expect((await shop.messages())[0]).toMatchObject({ state: 'held', reason: 'purchase_in_progress' })
  await shop.passTime(DAY - HOUR - 1)
  expect(world.sent).toHaveLength(sent)
  await shop.passTime(2)
  expect(world.sent).toHaveLength(sent + 1)
})

test('a failed pending payment releases the messages at once (S4)', async () => {
  const shop = await createShop(world)
  const order = await shop.order({ kind: 'pending', email: ada.email })
  await shop.passTime(HOUR)
  const failed = { ...order, kind: 'failed' as const, status: 'failed', modifiedAt: world.now.toISOString() }
  await shop.order(failed)
  expect((await shop.cart()).pending_until).toBeNull()
  const sent = world.sent.length
  await shop.passTime(HOUR)
  expect(world.sent).toHaveLength(sent + 1)
})

test('an order on hold or paid on delivery is a purchase (S4)', async () => {
  for (const status of ['on-hold', 'processing']) {
    const shop = await createShopWithCart()
    await shop.order({ kind: 'purchase', status, paidAt: null, email: ada.email })
    expect((await shop.cart()).status).toBe('purchased')
  }
})

test('a cart without planned messages is lost 30 days after its last activity (S5)', async () => {
  const shop = await createShop(world, { isFlowOn: false })
  await shop.fill('one', [buildTea()])
  const start = world.now
  await shop.passTime(DAY)
  await shop.passTime(29 * DAY - 1)
  expect((await shop.cart()).status).toBe('abandoned')
  await shop.passTime(1)
  expect(await shop.cart()).toMatchObject({ status: 'lost', ended_at: new Date(start.getTime() + 30 * DAY) })
})

test('a cart is lost 7 days after its last planned message (S5)', async () => {
  const shop = await createShopWithCart()
  const start = world.now
  await shop.passTime(HOUR)
  expect((await shop.cart()).lost_at).toEqual(new Date(start.getTime() + 10 * DAY))
  await shop.order({ kind: 'draft', email: ada.email, items: [], country: 'US' })
  expect((await shop.cart()).lost_at).toEqual(new Date(start.getTime() + 10 * DAY))
})

test('activity moves the lost date along with the messages (S5)', async () => {
  const shop = await createShopWithCart()
  await shop.passTime(HOUR)
  world.advance(HOUR)
  await shop.fill('one', [buildTea(3)])
  expect((await shop.cart()).lost_at).toEqual(new Date(world.now.getTime() + 10 * DAY))
})

test('activity after the last message postpones the lost date (S5)', async () => {
  const shop = await createShopWithCart()
  for (const wait of [HOUR, 23 * HOUR, 48 * HOUR]) await shop.passTime(wait)
  await shop.passTime(6 * DAY + 23 * HOUR)
  await shop.fill('one', [buildTea(3)])
  await shop.passTime(2 * HOUR)
  expect((await shop.cart()).status).toBe('abandoned')
})

test('a purchase after the cart was lost counts, and new activity opens another cart (S5)', async () => {
  const shop = await createShop(world, { isFlowOn: false })
  await shop.fill('one', [buildTea()])
  await shop.type('one', ada)
  await shop.passTime(DAY)
  await shop.passTime(30 * DAY)
  await shop.order({ kind: 'purchase', email: ada.email })
  expect((await shop.cart()).status).toBe('purchased')
  await shop.passTime(HOUR)
  await shop.fill('one', [pot])
  expect((await shop.carts()).map((cart) => cart.status)).toEqual(['purchased', 'active'])
})

test('running the periodic jobs again changes nothing', async () => {
  const shop = await createShopWithCart()
  await shop.passTime(HOUR)
  await shop.passTime(0)
  await Promise.all([detectAbandoned(world.deps), detectAbandoned(world.deps)])
  world.advance(40 * DAY)
  await Promise.all([detectLost(world.deps), detectLost(world.deps)])
  expect((await shop.events()).map((event) => event.kind)).toEqual(['active', 'abandoned', 'lost'])
})
