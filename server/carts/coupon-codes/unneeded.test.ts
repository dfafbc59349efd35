import { beforeEach, describe, expect, test } from 'vitest'
import { buildAddress, type CouponShop, createCouponShop } from '../../../test/coupon-scene.ts'
import { MINUTE } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { enqueueDueCodes } from './codes.ts'
import { codesJob } from './codes-jobs.ts'

// Codes are created only for messages that can use them, as far as known at that time (decision 34).

const world = createWorld()
let shop: CouponShop

beforeEach(async () => {
  world.queued.length = 0
  shop = await createCouponShop(world)
})

const isQueued = () =>
  world.queued.some(
    ({ name, payload }) => name === codesJob.name && (payload as { storeId: string }).storeId === shop.storeId,
  )

describe('no code is created for a message that would not use it', () => {
  const setStep = (conditions: object | null) =>
    world.db
      .updateTable('flow_steps')
      .set({ conditions: conditions && JSON.stringify(conditions) } as never)
      .where('store_id', '=', shop.storeId)
      .where('step', '=', 1)
      .execute()
  const worthMore = {
    match: 'all',
    groups: [{ match: 'all', conditions: [{ fact: 'value', is: 'above', amount: 500 }] }],
  }

  test('whose condition does not match, until it matches, and the job is not run until then', async () => {
    await setStep(worthMore)
    await shop.abandoned('ada', 'bob')
    await shop.make()
    expect(shop.fake.allCoupons).toEqual([])
    expect(await shop.codes()).toMatchObject([
      { state: 'wanted', attempts: 0 },
      { state: 'wanted', attempts: 0 },
    ])
    await enqueueDueCodes(world.deps)
    expect(isQueued()).toBe(false)
    await setStep(null)
    world.advance(MINUTE)
    await enqueueDueCodes(world.deps)
    expect(isQueued()).toBe(true)
    await shop.make()
    expect(shop.fake.allCoupons).toHaveLength(2)
  })

  test('to a suppressed address', async () => {
    await shop.abandoned('ada', 'bob')
    await world.db
      .insertInto('suppressions')
      .values({
        account_id: shop.accountId,
        channel: 'email',
        address_hash: world.deps.secrets.addressHash(buildAddress('ada')),
        reason: 'unsubscribed',
        source: 'STOP',
        created_at: world.now,
      })
      .execute()
    await shop.make()
    expect(shop.fake.allCoupons).toHaveLength(1)
    expect((await shop.codes()).map(({ state }) => state).toSorted()).toEqual(['made', 'wanted'])
  })

  test('about a cart below the step’s minimum for its coupon, which is sent without one', async () => {
    await world.db
      .updateTable('flow_steps')
      .set({ coupon_above_minor: 50_000 })
      .where('store_id', '=', shop.storeId)
      .execute()
    await shop.abandoned('ada')
    await shop.make()
    expect(shop.fake.allCoupons).toEqual([])
    await shop.passTime(0)
    expect(await shop.firstMessage()).toMatchObject({ state: 'sent', coupon_code: null })
  })

  test('a message that can be sent after all gets its code within one round', async () => {
    await setStep(worthMore)
    await shop.abandoned('ada')
    await shop.make()
    await setStep(null)
    await shop.passTime(0)
    expect(await shop.firstMessage()).toMatchObject({ state: 'held', reason: 'coupon_pending' })
    world.advance(5_000)
    await shop.make()
    await shop.passTime(0)
    expect(await shop.firstMessage()).toMatchObject({ state: 'sent' })
  })
})
