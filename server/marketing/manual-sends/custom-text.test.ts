import { beforeEach, expect, test } from 'vitest'
import { type CouponShop, createCouponShop, insertCoupon } from '../../../test/discount-scene.ts'
import { postWithWorker } from '../../../test/manual-send-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { createId } from '../../core/common/ids.ts'

// The limit on custom text for young accounts: each requested mail counts once.

// Not in local mode, which has no limits.
const world = createWorld({
  HOST: '0.0.0.0',
  PUBLIC_URL: 'https://recoup.example',
  SMTP_URL: 'smtp://mail.example:587',
})
let shop: CouponShop
beforeEach(async () => {
  shop = await createCouponShop(world)
  await world.db.updateTable('accounts').set({ created_at: world.now }).where('id', '=', shop.accountId).execute()
})

const ask = (path: string, body: object, key?: string) =>
  world.request('POST', path, { token: shop.token, body, headers: key ? { 'idempotency-key': key } : {} })
const texts = { subject: 'For you', body: 'Come {{ checkout_link }}' }
const nobodies = (count: number) => Array.from({ length: count }, () => createId())
const offersTo = (count: number, more: object = {}) => ({
  customers: nobodies(count),
  couponId: shop.couponId,
  ...texts,
  ...more,
})
const offers = '/api/email/send-discount-offers'
/** Of 50. */
const useUpRoom = async (count: number) => {
  expect((await ask(offers, offersTo(count + 1))).status).toBe(429)
  expect((await ask(offers, offersTo(count))).status).toBe(200)
}

test('the limit counts a discount mail once when it is requested twice, concurrently or by key', async () => {
  const body = offersTo(30)
  const replies = await Promise.all([1, 2, 3].map(() => ask(offers, body, 'once')))
  expect(new Set(replies.map((reply) => `${reply.status} ${reply.body.jobId}`)).size).toBe(1)
  expect((await ask(offers, body, 'once')).body).toEqual(replies[0]!.body)
  await useUpRoom(20)
})

test('the limit counts nothing for rejected text, nor for more people than the limit allows', async () => {
  expect((await ask(offers, offersTo(30, { body: 'Hi {{ custmer_name }}' }))).status).toBe(422)
  expect((await ask(offers, offersTo(51))).status).toBe(429)
  await useUpRoom(50)
})

test('the limit counts bulk and single reminders, too', async () => {
  const many = { channel: 'email', cartIds: nobodies(30), ...texts }
  for (const _ of [1, 2]) expect((await ask('/api/carts/send', many, 'many')).status).toBe(200)
  const one = { to: shop.orders[0]!.email, cart_id: shop.cartIds[0], ...texts }
  for (const _ of [1, 2]) expect((await postWithWorker(world, shop, '/api/email/send-email', one)).status).toBe(200)
  await useUpRoom(19)
})

test('the limit counts nothing for the default text of the single call', async () => {
  await insertCoupon(world, shop, { code: 'TEN-OFF' })
  const offer = { discountCode: 'TEN-OFF', discountAmount: 10, discountType: 'percentage', storeId: shop.storeId }
  const reply = await postWithWorker(world, shop, '/api/email/send-discount-offer', {
    ...offer,
    to: shop.buyerOrders[0]!.email,
  })
  expect(reply.body).toMatchObject({ success: true, state: 'sent' })
  await useUpRoom(50)
})

test('the limit counts an email that is a document, even with the words of the default text', async () => {
  const { quickSend } = (await world.request('GET', '/api/campaigns/templates', { token: shop.token })).body
  const { subject, body, design } = quickSend[0]
  const send = (content: object) => ask('/api/campaigns/send-to-abandoned-carts', content)
  expect((await send({ subject, htmlContent: body })).status).toBe(200)
  expect((await send({ design: { ...design, theme: 'bold' } })).body.campaign.content).toMatchObject({ subject, body })
  const one = { to: shop.orders[0]!.email, cart_id: shop.cartIds[0], design: { ...design, theme: 'bold' } }
  expect((await postWithWorker(world, shop, '/api/email/send-email', one)).status).toBe(200)
  // One by the campaign, one by the single mail.
  await useUpRoom(48)
})
