import { beforeEach, expect, test } from 'vitest'
import { insertCoupon, readCouponCode } from '../../../test/coupon-copies.ts'
import { type CouponShop, createCouponShop } from '../../../test/discount-scene.ts'
import { createStore } from '../../../test/factories.ts'
import { postWithWorker } from '../../../test/manual-send-scene.ts'
import { readTestFlags } from '../../../test/notifications.ts'
import { createWorld } from '../../../test/world.ts'

// Tests to oneself of a message with a coupon: an example of a personal code, or the shared code. No code is created.

const world = createWorld()
let shop: CouponShop

beforeEach(async () => {
  shop = await createCouponShop(world, { carts: 1, buyers: 1, plan: 'growth' })
  world.sent.length = 0
  world.texts.length = 0
})

const rules = { fallback: 'without', firstOrderOnly: false, pauseDays: null, aboveAmount: null }
const texts = { subject: 'For you', body: 'Your code is {{ coupon_code }}: {{ checkout_link }}' }
const personal = () => insertCoupon(world, shop, { kind: 'personal', code: 'CART' })
const NOTE = 'CART-EXAMPLE is an example. Each message gets a code of its own.'

const tryOut = (body: object) =>
  postWithWorker(world, shop, '/api/messages/test-send', { cartId: shop.cartIds[0], channel: 'email', ...body })

const listCodes = async () =>
  (await world.db.selectFrom('coupon_codes').select('code').where('store_id', '=', shop.storeId).execute()).length

test('a mail with a personal coupon has a labelled example in both parts and in the answer', async () => {
  const { body } = await tryOut({ ...texts, coupon: { couponId: await personal(), ...rules } })
  expect(body).toMatchObject({ isAccepted: true, couponNote: NOTE })
  const [mail] = world.sent
  expect(mail!.subject).toBe('[Test] For you')
  for (const part of [mail!.text, mail!.html]) {
    expect(part).toContain(NOTE)
    expect(part).toContain('Your code is CART-EXAMPLE')
  }
  expect(await listCodes()).toBe(0)
})

test('the unsubscribe links of a test mail lead to pages that say it is a test', async () => {
  await tryOut(texts)
  expect(world.sent[0]!.html).toMatch(/\/u\/test"/)
  expect(world.sent[0]!.html).toMatch(/\/preferences\?token(=|&#x3D;)test"/)
})

test('an SMS with a personal coupon has the example, and the answer mentions it', async () => {
  const coupon = { couponId: await personal(), ...rules }
  const { body } = await tryOut({ channel: 'sms', to: '+4915199900011', body: texts.body, coupon })
  expect(body).toMatchObject({ isAccepted: true, to: '+4915199900011', couponNote: NOTE })
  expect((await readTestFlags(world, shop.storeId)).at(-1)).toEqual(['connection_test', true])
  expect(world.texts[0]!.text).toMatch(/^\[Test\] Your code is CART-EXAMPLE/)
  expect(await listCodes()).toBe(0)
})

test('a shared coupon shows its code, a withheld one its reason, no coupon nothing', async () => {
  const couponId = await insertCoupon(world, shop)
  const shared = await tryOut({ ...texts, coupon: { couponId, ...rules } })
  expect([shared.body.couponNote, world.sent[0]!.text.includes(await readCouponCode(world, couponId))]).toEqual([
    null,
    true,
  ])
  const off = { couponId: await insertCoupon(world, shop, { code: 'OFF', is_active: false }), ...rules }
  const reply = await tryOut({ ...texts, coupon: off })
  expect(reply.body.couponNote).toBe('The message is sent without the coupon OFF. The coupon is not active.')
  const skipped = await tryOut({ ...texts, coupon: { ...off, fallback: 'skip' } })
  expect(skipped.body.couponNote).toBe('The message is not sent without the coupon OFF. The coupon is not active.')
  expect((await tryOut({ ...texts, coupon: null })).body.couponNote).toBeNull()
})

test('a test of a discount mail works for a customer with or without a cart and counts nowhere', async () => {
  const couponId = await personal()
  for (const customer of [shop.people[0]!, shop.buyers[0]!]) {
    world.sent.length = 0
    const { status, body } = await postWithWorker(world, shop, '/api/email/discount-test', {
      customer,
      couponId,
      ...texts,
    })
    expect([status, body.isAccepted, body.couponNote]).toEqual([200, true, NOTE])
    const { email } = await world.db
      .selectFrom('users')
      .select('email')
      .where('id', '=', shop.userId)
      .executeTakeFirstOrThrow()
    expect(world.sent.map(({ to, subject }) => [to, subject])).toEqual([[email, '[Test] For you']])
    const link = /\/c\/[\w-]{43}/.exec(world.sent[0]!.text)![0]
    expect((await world.app.inject({ method: 'GET', url: link })).statusCode).toBe(302)
  }
  const messages = await world.db.selectFrom('messages').select('id').where('store_id', '=', shop.storeId).execute()
  expect([messages, await listCodes()]).toEqual([[], 0])
})

test('a test never contains a coupon of another store', async () => {
  const other = await createCouponShop(world)
  const { body } = await tryOut({ ...texts, coupon: { couponId: other.couponId, ...rules } })
  expect(body.couponNote).toMatch(/^The message is sent without its coupon\./)
  expect(world.sent[0]!.text).not.toContain('Your code is')
  const offer = { customer: shop.people[0]!, couponId: other.couponId }
  expect((await postWithWorker(world, shop, '/api/email/discount-test', offer)).status).toBe(404)
})

test("a test through the operator's provider account rejects premium numbers", async () => {
  world.textCredits = { perMille: 1_500 }
  try {
    for (const to of ['+88216123456', '+881612345678', '+5351234567', '+4930901820', '+499001234567']) {
      const { status, body } = await tryOut({ channel: 'sms', to, body: texts.body })
      expect([to, status, Object.keys(body.fields ?? {})]).toEqual([to, 422, ['to']])
    }
    expect(world.texts).toEqual([])
    const own = await tryOut({ channel: 'sms', to: '+4915199900011', body: 'Come back: {{ checkout_link }}' })
    expect(own.body).toMatchObject({ isAccepted: true })
  } finally {
    world.textCredits = null
  }
})

test('a new shop sends itself its first reminder with the sample cart', async () => {
  const fresh = await createStore(world, { isFlowOn: true })
  await world.pool.query(`update stores set sender_name = '', postal_address = '' where id = $1`, [fresh.storeId])
  const { status, body } = await postWithWorker(world, fresh, '/api/messages/test-send', {
    cartId: 'sample',
    channel: 'email',
  })
  expect([status, body.isAccepted]).toEqual([200, true])
  const [mail] = world.sent
  expect(mail!.subject).toMatch(/^\[Test\] Your cart at /)
  expect(mail!.html).toContain('Stoneware mug')
  // Its links open the shop, because there is no cart to restore.
  const links = await world.db.selectFrom('link_tokens').selectAll().where('store_id', '=', fresh.storeId).execute()
  expect(links.map(({ cart_id, is_test, purpose }) => [cart_id, is_test, purpose])).toEqual(
    links.map(() => [null, true, 'click']),
  )
  expect(new Set(links.map(({ target }) => new URL(target!).host)).size).toBe(1)
  const messages = await world.db.selectFrom('messages').select('id').where('store_id', '=', fresh.storeId).execute()
  expect(messages).toEqual([])
})
