import { beforeEach, expect, test } from 'vitest'
import { buildAddress, type CouponShop, createCouponShop } from '../../../test/coupon-scene.ts'
import { buildTea, HOUR, MINUTE, pot } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { detectAbandoned } from '../carts/detect.ts'
import { enqueueDueCodes } from './codes.ts'
import { codesJob } from './codes-jobs.ts'

// A capped percentage is an amount of the items available. An item that sells out after the code was created is removed
// from the amount before the mail is sent (decisions 33 and 134).

const world = createWorld()
let shop: CouponShop

const POT = `${pot.productId}:`

/** A cart with tea and a pot, whose code exists. */
beforeEach(async () => {
  world.sent.length = 0
  shop = await createCouponShop(world, { percent: 5_000, max_discount_minor: 5_000 })
  await world.db
    .insertInto('products')
    .values({
      store_id: shop.storeId,
      product_id: pot.productId,
      name: 'Teapot',
      price_minor: 6_800,
      currency: 'USD',
      is_available: true,
      seen_at: world.now,
    })
    .execute()
  await shop.fill('ada', [buildTea(), pot])
  await shop.type('ada', { email: buildAddress('ada') })
  world.advance(HOUR)
  await detectAbandoned(world.deps)
  await shop.make()
  expect(shop.fake.allCoupons).toMatchObject([{ type: 'fixed', amountMinor: 4_450 }])
})

const first = async () => {
  const { state, reason } = await shop.firstMessage()
  return reason ? `${state}(${reason})` : state
}
const isQueued = () =>
  world.queued.some(
    ({ name, payload }) => name === codesJob.name && (payload as { storeId: string }).storeId === shop.storeId,
  )

test('an item that sells out after the code was created is removed from its amount before the mail is sent', async () => {
  shop.fake.deletedKeys.add(POT)
  await shop.passTime(MINUTE)
  expect(await first()).toBe('held(coupon_pending)')
  expect(world.sent).toEqual([])
  world.queued.length = 0
  await enqueueDueCodes(world.deps)
  expect(isQueued()).toBe(true)
  await shop.make()
  expect(shop.fake.allCoupons).toMatchObject([{ type: 'fixed', amountMinor: 1_050 }])
  await shop.passTime(MINUTE)
  expect(await first()).toBe('sent')
  expect(world.sent[0]!.text).toContain('−$10.50')
  expect(world.sent[0]!.text).toContain('Total with the coupon: $10.50')
})

test('an item back in stock counts again, and nothing is written without a change', async () => {
  shop.fake.deletedKeys.add(POT)
  await shop.passTime(MINUTE)
  await shop.make()
  shop.fake.deletedKeys.delete(POT)
  await shop.passTime(MINUTE)
  expect(await first()).toBe('held(coupon_pending)')
  await shop.make()
  expect(shop.fake.allCoupons).toMatchObject([{ type: 'fixed', amountMinor: 4_450 }])
  world.queued.length = 0
  await enqueueDueCodes(world.deps)
  expect(isQueued()).toBe(false)
  await shop.passTime(MINUTE)
  expect(world.sent[0]!.text).toContain('−$44.50')
})

test('no code without an amount is created for a sold-out cart', async () => {
  shop.fake.deletedKeys.add(POT).add(`${buildTea().productId}:${buildTea().variationId ?? ''}`)
  await world.db
    .insertInto('products')
    .values({
      store_id: shop.storeId,
      product_id: buildTea().productId,
      variation_id: buildTea().variationId ?? '',
      name: 'Tea',
      price_minor: 2_100,
      currency: 'USD',
      is_available: false,
      seen_at: world.now,
    })
    .execute()
  await shop.passTime(MINUTE)
  expect(await first()).toBe('skipped(items_gone)')
  await world.db.updateTable('messages').set({ state: 'scheduled', wake_at: world.now }).where('step', '=', 1).execute()
  await shop.make()
  expect(shop.fake.allCoupons).toMatchObject([{ amountMinor: 4_450 }])
  expect(await shop.codes()).toMatchObject([
    { state: 'failed', refusal: 'Nothing in the cart can be bought any more.' },
  ])
})
