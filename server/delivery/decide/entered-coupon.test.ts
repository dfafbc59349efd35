import { beforeEach, expect, test } from 'vitest'
import { createConnectedStore } from '../../../test/connected-store.ts'
import { assignCouponToSteps, insertCoupon } from '../../../test/coupon-copies.ts'
import { buildOrder } from '../../../test/fake-store.ts'
import { HOUR, sendDueMessages } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { detectAbandoned } from '../../carts/carts/detect.ts'
import { recordOrders } from '../../carts/carts/record.ts'

// A coupon entered by the shopper: the message shows the cart’s total with it.

const world = createWorld()
beforeEach(() => {
  world.sent.length = 0
})

const line = (productId: string, name: string, unitPriceMinor: number, quantity = 1) => ({
  productId,
  variationId: null,
  name,
  sku: null,
  quantity,
  unitPriceMinor,
  imageUrl: null,
})

type Coupon = Parameters<typeof insertCoupon>[2]

/** A mug twice and a lamp, $60.00, left with WELCOME10 entered. */
async function createAbandonedCart(coupon: Coupon, { inStep = null as Coupon | null } = {}) {
  const { storeId, owner, fake } = await createConnectedStore(world)
  const of = { storeId } as Parameters<typeof insertCoupon>[1]
  await world.db
    .updateTable('stores')
    .set({ sender_name: 'Mugs & More', postal_address: '1 Main Street', selling_countries: ['US'] })
    .where('id', '=', storeId)
    .execute()
  const flow = await world.db.selectFrom('flows').select('id').where('store_id', '=', storeId).executeTakeFirstOrThrow()
  await world.request('POST', `/api/flows/${flow.id}/switch`, { token: owner.token, body: { isOn: true } })
  await insertCoupon(world, of, { code: 'WELCOME10', made_by: 'store', ...coupon })
  if (inStep) {
    const id = await insertCoupon(world, of, inStep)
    await assignCouponToSteps(world, { flowId: flow.id } as Parameters<typeof assignCouponToSteps>[1], id)
  }
  const items = [line('16', 'Enamel Mug', 1_200, 2), line('17', 'Brass Lamp', 3_600)]
  const modifiedAt = world.now.toISOString()
  fake.allOrders = [buildOrder({ orderId: '1000', modifiedAt, items, totalMinor: 5_400, coupons: ['welcome10'] })]
  await recordOrders(world.deps, storeId, fake.allOrders, 'sync')
  world.advance(HOUR)
  await detectAbandoned(world.deps)
  await sendDueMessages(world, storeId)
  return world.sent[0]!
}

test('the mail shows items, code and the total to pay', async () => {
  const { text, html } = await createAbandonedCart({})
  expect(text).toContain('Coupon WELCOME10: −$6.00')
  expect(text).toContain('Total with the coupon: $54.00')
  expect(text).not.toContain('Total: $60.00')
  expect(html).toMatch(/Subtotal.*\$60\.00.*WELCOME10.*−\$6\.00.*\$54\.00/s)
})

const unknown: [string, Coupon][] = [
  ['has expired', { ends_at: new Date('2026-01-01') }],
  ['is gone from the store', { gone_at: new Date('2026-01-01') }],
  ['is for larger carts', { min_spend_minor: 9_000 }],
  ['is for unknown categories', { terms: JSON.stringify({ categoryIds: ['7'] }) }],
  ['has another code', { code: 'WELCOME11' }],
  ['may be used once, and was', { terms: JSON.stringify({ usageLimitPerUser: 0 }), usage_limit: 1, usage_count: 1 }],
]

test.each(unknown)('a coupon that %s is neither shown nor deducted', async (_what, coupon) => {
  const { text } = await createAbandonedCart(coupon)
  expect(text).toContain('Total: $60.00')
  expect(text).not.toContain('WELCOME1')
})

test('the message’s coupon replaces it, as in the restored cart', async () => {
  const { text } = await createAbandonedCart({}, { inStep: { code: 'OURS20', percent: 2_000 } })
  expect(text).toContain('Total with the coupon: $48.00')
  expect(text).not.toContain('WELCOME10')
})

test('templates have no variable for it', async () => {
  const { text, subject } = await createAbandonedCart({ percent: 5_000 })
  expect(`${subject} ${text}`).not.toMatch(/50% off|a discount/)
})
