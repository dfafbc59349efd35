import { expect, test } from 'vitest'
import { createCouponShop, insertCoupon } from '../../../test/discount-scene.ts'
import { postWithWorker } from '../../../test/manual-send-scene.ts'
import { createWorld } from '../../../test/world.ts'

// A store may hold a code twice, published and as a draft (decision 32).

const world = createWorld()

test.each([
  'a draft of the store’s own is not active',
  'one made here was unpublished in the store',
])('a duplicate code means the published coupon: %s', async (which) => {
  const shop = await createCouponShop(world)
  const draft = which.startsWith('a draft')
    ? { made_by: 'store' as const, is_active: false }
    : { terms: JSON.stringify({ isPublished: false }) }
  const published = { code: 'TWICE' }
  // In every order of ids.
  for (const [at, more] of [draft, published, draft].entries()) {
    await insertCoupon(world, shop, { code: 'TWICE', ...more, ...(more === draft ? { percent: 2_000 + at } : {}) })
  }
  const reply = await postWithWorker(world, shop, '/api/email/send-discount-offer', {
    to: shop.buyerOrders[0]!.email,
    storeId: shop.storeId,
    discountCode: 'twice',
    discountAmount: 10,
    discountType: 'percentage',
  })
  expect([reply.status, reply.body.fields]).toEqual([200, undefined])
})
