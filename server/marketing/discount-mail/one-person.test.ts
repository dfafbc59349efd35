import { beforeEach, expect, test } from 'vitest'
import { type CouponShop, createCouponShop } from '../../../test/discount-scene.ts'
import { completeOrderCheck } from '../../../test/factories.ts'
import { DAY } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { transact } from '../../core/db/db.ts'
import { sendDue } from '../../delivery/send/send-due.ts'
import { lockAllKeys, resolveShoppers } from '../../shoppers/shoppers/shoppers.ts'

// Two customers of one discount mail are merged: the person gets it once (D1).

const world = createWorld()
let shop: CouponShop

beforeEach(async () => {
  shop = await createCouponShop(world, { carts: 2, buyers: 1 })
  world.sent.length = 0
})

const start = (customers: string[]) =>
  world
    .request('POST', '/api/email/send-discount-offers', {
      token: shop.token,
      body: { customers, couponId: shop.couponId },
    })
    .then((reply): string => reply.body.jobId)
const send = async () => {
  await completeOrderCheck(world, shop.storeId)
  await sendDue(world.deps, { storeId: shop.storeId })
}

/** Merges the two through an order with both addresses. */
const join = (one: string, other: string) =>
  transact({ storeId: shop.storeId, db: world.db }, async (tx) => {
    const keys = [one, other].map((value) => ({ kind: 'email' as const, value }))
    await lockAllKeys(tx, keys)
    await resolveShoppers(tx, [keys], world.now)
  })

const outcomes = async () => {
  const rows = await world.db
    .selectFrom('messages')
    .select(['cart_id', 'state', 'reason'])
    .where('store_id', '=', shop.storeId)
    .execute()
  return rows.map(({ cart_id, state, reason }) => `${cart_id ? 'cart' : 'none'}: ${reason ?? state}`).sort()
}

const getEmails = () => ({
  ada: shop.orders[0]!.email!,
  second: shop.orders[1]!.email!,
  ben: shop.buyerOrders[0]!.email!,
})

/** Ben's purchase precedes Ada's cart, so it does not close that cart. */
const buyBeforeTheCart = () =>
  world.db
    .updateTable('orders')
    .set({ purchased_at: new Date(world.now.getTime() - 60 * DAY) })
    .where('shopper_id', '=', shop.buyers[0]!)
    .execute()

test('merged before the sends, only the message about the cart is sent', async () => {
  await buyBeforeTheCart()
  await start([shop.people[0]!, shop.buyers[0]!])
  await join(getEmails().ada, getEmails().ben)
  expect(await outcomes()).toEqual(['cart: scheduled', 'none: merged'])
  await send()
  expect(world.sent.map(({ to }) => to)).toEqual([getEmails().ada])
})

test('merged after one send, the other message is not sent', async () => {
  await buyBeforeTheCart()
  const ben = getEmails().ben
  await start([shop.people[0]!, shop.buyers[0]!])
  const cart = world.db.updateTable('messages').where('store_id', '=', shop.storeId).where('cart_id', 'is not', null)
  await cart.set({ wake_at: new Date(world.now.getTime() + 60_000) }).execute()
  await send()
  expect(world.sent.map(({ to }) => to)).toEqual([ben])
  await join(getEmails().ada, ben)
  world.advance(60_000)
  await send()
  expect(world.sent).toHaveLength(1)
  expect(await outcomes()).toEqual(['cart: merged', 'none: sent'])
})

test('merged after both failed, one of the two is retried', async () => {
  await buyBeforeTheCart()
  const { answer } = world
  world.answer = () => ({ kind: 'rejected', reason: '552', response: '552 mailbox full', isRecipientFault: false })
  const jobId = await start([shop.people[0]!, shop.buyers[0]!])
  await send()
  world.answer = answer
  await join(getEmails().ada, getEmails().ben)
  const retry = `/api/carts/send/${jobId}/retry`
  expect((await world.request('POST', retry, { token: shop.token, body: {} })).body.retried).toBe(1)
  world.sent.length = 0
  await send()
  expect(world.sent).toHaveLength(1)
})

test('with a cart each, one message about one of the carts is sent', async () => {
  await start(shop.people)
  await join(getEmails().ada, getEmails().second)
  await send()
  await send()
  expect(world.sent).toHaveLength(1)
  expect(await outcomes()).toEqual(['cart: merged', 'cart: sent'])
})

test('another discount mail still reaches the person', async () => {
  await start([shop.people[0]!])
  await send()
  await start([shop.buyers[0]!])
  await join(getEmails().ada, getEmails().ben)
  await send()
  expect(await outcomes()).toEqual(['cart: sent', 'none: sent'])
})
