import { beforeEach, expect, test } from 'vitest'
import type { Outcome } from '../server/messages/channels/channel.ts'
import { createCouponShop, insertCoupon } from './discount-scene.ts'
import { createShop, postWithWorker, type Shop } from './manual-send-scene.ts'
import { acceptMail, createWorld } from './world.ts'

// What counts toward the month of a plan (decision 6): every send that was not rejected. Mails to the account and tests
// do not.

const world = createWorld()

beforeEach(() => {
  world.answer = acceptMail
})

const UNKNOWN: Outcome = { kind: 'unknown', reason: 'timeout', response: 'no answer' }
const REFUSED: Outcome = { kind: 'rejected', reason: 'content', response: '554 spam', isRecipientFault: false }
const NO_MAILBOX: Outcome = { kind: 'rejected', reason: 'no_mailbox', response: '550 no user', isRecipientFault: true }

async function readUsed({ token }: Pick<Shop, 'token'>): Promise<number> {
  return (await world.request('GET', '/api/subscribe/usage', { token })).body.meters[0].used
}

test.each([
  ['that is accepted', 1, acceptMail],
  ['with an unknown outcome', 1, () => UNKNOWN],
  ['that the mail server rejects', 0, () => REFUSED],
  ['to an unknown mailbox', 0, () => NO_MAILBOX],
] as const)('a manual mail %s counts %i', async (_, count, answer) => {
  const shop = await createShop(world)
  world.answer = answer
  await postWithWorker(world, shop, '/api/email/send-email', { to: shop.orders[0]!.email, cart_id: shop.cartIds[0] })
  expect(await readUsed(shop)).toBe(count)
})

test('a discount mail counts', async () => {
  const shop = await createCouponShop(world)
  await insertCoupon(world, shop, {
    code: 'SAVE-5',
    type: 'fixed',
    platform_type: 'fixed_cart',
    percent: null,
    amount_minor: 500,
  })
  const offer = { discountCode: 'save-5', discountAmount: '$5.00', discountType: 'fixed', storeId: shop.storeId }
  const before = await readUsed(shop)
  const reply = await postWithWorker(world, shop, '/api/email/send-discount-offer', {
    ...offer,
    to: shop.orders[0]!.email,
  })
  expect(reply.body).toMatchObject({ success: true, state: 'sent' })
  expect(await readUsed(shop)).toBe(before + 1)
})

test('test mails and mails to the account do not count', async () => {
  const shop = await createShop(world)
  world.sent.length = 0
  const { status } = await postWithWorker(world, shop, '/api/messages/test-send', {
    channel: 'email',
    cartId: shop.cartIds[0],
  })
  expect(status).toBe(200)
  const user = world.db.selectFrom('users').select('email').where('id', '=', shop.userId)
  const { email } = await user.executeTakeFirstOrThrow()
  expect((await world.request('POST', '/api/auth/forgot-password', { body: { email } })).status).toBe(200)
  await world.runJobs()
  expect(world.sent.map(({ to }) => to)).toEqual([email, email])
  expect(await readUsed(shop)).toBe(0)
})
