import { expect, test } from 'vitest'
import { insertCoupon, readCouponCode } from '../../../test/coupon-copies.ts'
import { createMessageScene, type MessageScene } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'

// The words of a campaign before they are saved.

const world = createWorld()

const preview = (store: MessageScene, body: object) =>
  world.request('POST', '/api/messages/preview', {
    token: store.token,
    body: { cartId: 'sample', channel: 'email', ...body },
  })

const texts = { subject: 'For {{ customer_name }}', body: 'Take {{ coupon_code | default: "nothing" }}' }
const rules = { fallback: 'skip', firstOrderOnly: false, pauseDays: null, aboveAmount: null }

test('are shown for a real cart and the sample cart, with the chosen coupon and without one', async () => {
  const store = await createMessageScene(world)
  const couponId = await insertCoupon(world, store)
  const code = await readCouponCode(world, couponId)
  const { id } = await world.db
    .selectFrom('carts')
    .select('id')
    .where('store_id', '=', store.storeId)
    .executeTakeFirstOrThrow()
  for (const cartId of ['sample', id]) {
    const previewed = await preview(store, { cartId, ...texts, coupon: { couponId, ...rules } })
    expect([previewed.status, previewed.body.problem]).toEqual([200, null])
    expect([previewed.body.subject.startsWith('For '), previewed.body.text.includes(code)]).toEqual([true, true])
    expect((await preview(store, { cartId, ...texts })).body.text).toContain('Take nothing')
  }
})

test('show their problems, and the length of an SMS', async () => {
  const store = await createMessageScene(world)
  expect((await preview(store, { ...texts, body: '{{ nonsense }}' })).body.problem).toMatch(/nonsense/)
  const text = await preview(store, { channel: 'sms', body: 'Back: {{ checkout_link }}' })
  expect(text.body).toMatchObject({ problem: null, html: '', segments: expect.any(Number) })
})
