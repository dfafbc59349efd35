import { beforeEach, expect, test } from 'vitest'
import { createStore } from '../../../test/factories.ts'
import { buildCoupon } from '../../../test/fake-coupons.ts'
import { createWorld } from '../../../test/world.ts'
import { saveCouponPage } from './copy.ts'

const DAY_MS = 86_400_000
const world = createWorld()
let store: Awaited<ReturnType<typeof createStore>>

beforeEach(async () => {
  store = await createStore(world)
})

const read = (usageCount: number, at: Date) =>
  saveCouponPage(
    world.deps,
    { storeId: store.storeId, db: world.db },
    { rows: [buildCoupon({ couponId: '7', usageCount })], skipped: [] },
    { accountId: store.accountId, currency: 'USD', at },
  )

const used = async () =>
  (await world.db.selectFrom('coupons').select('usage_count').where('store_id', '=', store.storeId).execute()).map(
    ({ usage_count }) => usage_count,
  )

test('values of a later read stay', async () => {
  const began = world.now
  world.advance(60_000)
  await read(3, world.now)
  await read(2, began)
  expect(await used()).toEqual([3])
})

test('after the clock was put back, the store’s values win at once', async () => {
  await read(2, world.now)
  world.advance(-DAY_MS)
  await read(3, world.now)
  expect(await used()).toEqual([3])
})
