import { beforeEach, expect, test } from 'vitest'
import { insertCoupon } from '../../../test/coupon-copies.ts'
import { type CouponShop, createCouponShop } from '../../../test/discount-scene.ts'
import { completeOrderCheck } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { sendDue } from '../../delivery/send/send-due.ts'

// Text of a discount mail for a coupon without amount, end or minimum (decision 37).

const world = createWorld()
let shop: CouponShop

beforeEach(async () => {
  shop = await createCouponShop(world, { carts: 1, buyers: 2 })
  world.sent.length = 0
})

const FREE = { type: 'other', platform_type: 'free_shipping', percent: null, amount_minor: 0 } as const

test('the default text fits free shipping above a minimum, and a type that only the store knows', async () => {
  const offers = [
    [shop.buyers[0]!, await insertCoupon(world, shop, { ...FREE, code: 'FREESHIP', min_spend_minor: 2_500 })],
    [shop.buyers[1]!, await insertCoupon(world, shop, { ...FREE, code: 'GIFT', platform_type: 'smart_gift' })],
  ]
  const texts = []
  for (const [customer, couponId] of offers) {
    const body = { customers: [customer], couponId }
    await world.request('POST', '/api/email/send-discount-offers', { token: shop.token, body })
    await completeOrderCheck(world, shop.storeId)
    await sendDue(world.deps, { storeId: shop.storeId })
    texts.push(world.sent.at(-1))
  }
  expect(texts[0]!.text).toMatch(
    /Here is free shipping at .+\. Your code is FREESHIP\.\n\nIt is for orders from \$25\.00\./,
  )
  expect(texts[0]!.subject).toMatch(/^A coupon for you at /)
  expect(texts[1]!.text).toMatch(/Here is a discount at .+\. Your code is GIFT\./)
  for (const mail of texts) expect(mail!.text).not.toMatch(/ is {2}off|for {2}off|orders from \.|until/)
})

test('the preview names text left out because a variable is empty', async () => {
  const couponId = await insertCoupon(world, shop, { ...FREE, code: 'FREESHIP' })
  const body = 'Your code is {{ coupon_code }}.\n\nIt takes {{ coupon_amount }} off.'
  const subject = '{{ coupon_amount }} off'
  const preview = await world.request('POST', '/api/email/discount-preview', {
    token: shop.token,
    body: { customer: shop.buyers[0]!, couponId, body, subject },
  })
  expect(preview.body).toMatchObject({
    subject: expect.stringMatching(/^A coupon for you at /),
    couponNote: null,
    couponWarning:
      'A coupon variable in the subject is empty here, so a default subject is used. Omitted because its coupon variable is empty here: “It takes … off.”.',
  })
  expect(preview.body.text).toMatch(/^Your code is FREESHIP\.\n\n--/)
})

test('the preview warns if the text lacks the code, and says whether the link applies it', async () => {
  const warning = async (customer: string, body: string) => {
    const input = { customer, couponId: shop.couponId, subject: 'For you', body }
    const reply = await world.request('POST', '/api/email/discount-preview', { token: shop.token, body: input })
    return reply.body.couponWarning
  }
  const [withCart, without] = [shop.people[0]!, shop.buyers[0]!]
  expect(await warning(withCart, 'Come back: {{ checkout_link }}')).toBe(
    'The code is not in the text; the link applies it.',
  )
  expect(await warning(without, 'Come back: {{ checkout_link }}')).toBe(
    'The code is not in the text. This customer has no saved cart, so the link does not apply it either.',
  )
  const { code } = await world.db
    .selectFrom('coupons')
    .select('code')
    .where('id', '=', shop.couponId)
    .executeTakeFirstOrThrow()
  for (const body of [`Use ${code}`, 'Use {{ coupon_code }}', '{{ cart_items }} Hi']) {
    expect([await warning(withCart, body), await warning(without, body)]).toEqual([null, null])
  }
})

test("the message is called a discount mail, also on the cart's page", async () => {
  await world.request('POST', '/api/email/send-discount-offers', {
    token: shop.token,
    body: { customers: [shop.people[0]!], couponId: shop.couponId },
  })
  await completeOrderCheck(world, shop.storeId)
  await sendDue(world.deps, { storeId: shop.storeId })
  const cart = await world.db
    .selectFrom('carts')
    .select('id')
    .where('store_id', '=', shop.storeId)
    .where('shopper_id', '=', shop.people[0]!)
    .executeTakeFirstOrThrow()
  const { body } = await world.request('GET', `/api/carts/${cart.id}/messages`, { token: shop.token })
  const called = body.messages.map(({ originKind, originName }: { originKind: string; originName: string }) => [
    originKind,
    originName,
  ])
  expect(called).toContainEqual(['manual', 'Discount mail'])
  const titles = body.timeline.map(({ title }: { title: string }) => title)
  expect(titles).toContain('Discount mail: sent')
})
