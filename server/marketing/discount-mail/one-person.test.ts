import { beforeEach, expect, test } from 'vitest'
import { aCouponShop, type CouponShop } from '../../../test/discount-scene.ts'
import { freshOrderCheck } from '../../../test/factories.ts'
import { DAY } from '../../../test/message-scene.ts'
import { aWorld } from '../../../test/world.ts'
import { transact } from '../../core/db/db.ts'
import { sendDue } from '../../delivery/send/send-due.ts'
import { lockAllKeys, resolveShoppers } from '../../shoppers/shoppers/shoppers.ts'

// Two customers of one discount mail turn out to be one person: they get it once (D1).

const world = aWorld()
let shop: CouponShop

beforeEach(async () => {
  shop = await aCouponShop(world, { carts: 2, buyers: 1 })
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
  await freshOrderCheck(world, shop.storeId)
  await sendDue(world.deps, { storeId: shop.storeId })
}

/** Somebody is found to have both addresses. */
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

const emailsOf = () => ({
  ada: shop.orders[0]!.email!,
  second: shop.orders[1]!.email!,
  ben: shop.buyerOrders[0]!.email!,
})

/** What Ben bought stands against no cart of Ada's then. */
const buyBeforeTheCart = () =>
  world.db
    .updateTable('orders')
    .set({ purchased_at: new Date(world.now.getTime() - 60 * DAY) })
    .where('shopper_id', '=', shop.buyers[0]!)
    .execute()

test('found out before either leaves, the one about the cart goes', async () => {
  await buyBeforeTheCart()
  await start([shop.people[0]!, shop.buyers[0]!])
  await join(emailsOf().ada, emailsOf().ben)
  expect(await outcomes()).toEqual(['cart: scheduled', 'none: merged'])
  await send()
  expect(world.sent.map(({ to }) => to)).toEqual([emailsOf().ada])
})

test('found out after one has left, the other one does not', async () => {
  await buyBeforeTheCart()
  const ben = emailsOf().ben
  await start([shop.people[0]!, shop.buyers[0]!])
  const cart = world.db.updateTable('messages').where('store_id', '=', shop.storeId).where('cart_id', 'is not', null)
  await cart.set({ wake_at: new Date(world.now.getTime() + 60_000) }).execute()
  await send()
  expect(world.sent.map(({ to }) => to)).toEqual([ben])
  await join(emailsOf().ada, ben)
  world.advance(60_000)
  await send()
  expect(world.sent).toHaveLength(1)
  expect(await outcomes()).toEqual(['cart: merged', 'none: sent'])
})

test('found out after both have failed, one of the two is tried again', async () => {
  await buyBeforeTheCart()
  const { answer } = world
  world.answer = () => ({ kind: 'rejected', reason: '552', response: '552 mailbox full', isRecipientFault: false })
  const jobId = await start([shop.people[0]!, shop.buyers[0]!])
  await send()
  world.answer = answer
  await join(emailsOf().ada, emailsOf().ben)
  const retry = `/api/carts/send/${jobId}/retry`
  expect((await world.request('POST', retry, { token: shop.token, body: {} })).body.retried).toBe(1)
  world.sent.length = 0
  await send()
  expect(world.sent).toHaveLength(1)
})

test('with a cart each, they get it about one of them', async () => {
  await start(shop.people)
  await join(emailsOf().ada, emailsOf().second)
  await send()
  await send()
  expect(world.sent).toHaveLength(1)
  expect(await outcomes()).toEqual(['cart: merged', 'cart: sent'])
})

test('another discount mail reaches the person all the same', async () => {
  await start([shop.people[0]!])
  await send()
  await start([shop.buyers[0]!])
  await join(emailsOf().ada, emailsOf().ben)
  await send()
  expect(await outcomes()).toEqual(['cart: sent', 'none: sent'])
})
