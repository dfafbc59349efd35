import { beforeEach, expect, test } from 'vitest'
import { createConnectedStore } from '../../../test/connected-store.ts'
import { assignCouponToSteps, insertCoupon } from '../../../test/coupon-copies.ts'
import { buildOrder, buildProduct } from '../../../test/fake-store.ts'
import { HOUR, sendDueMessages } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { detectAbandoned } from '../../carts/carts/detect.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { pullProducts } from '../../carts/sync/local-copies.ts'
import type { PlatformItem } from '../../platforms/platform/platform.ts'

// A discount is computed from the prices entered in the catalogue, by the store's tax settings (decision 37).

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

type Pricing = { prices_include_tax?: boolean; shows_tax?: boolean | null; price_decimals?: number }
type Coupon = Parameters<typeof insertCoupon>[2]

const MUGS_AND_LAMP: PlatformItem[] = [line('16', 'Enamel Mug', 1_200, 2), line('17', 'Brass Lamp', 3_600)]

/** A mug twice and a lamp as the cart shows them, left an hour ago. */
async function createShop(pricing: Pricing, coupon: Coupon | null, items = MUGS_AND_LAMP) {
  const { storeId, owner, fake } = await createConnectedStore(world)
  const sender = { sender_name: 'Mugs & More', postal_address: '1 Main Street', selling_countries: ['US'] }
  await world.db
    .updateTable('stores')
    .set({ ...sender, ...pricing })
    .where('id', '=', storeId)
    .execute()
  const flow = await world.db.selectFrom('flows').select('id').where('store_id', '=', storeId).executeTakeFirstOrThrow()
  await world.request('POST', `/api/flows/${flow.id}/switch`, { token: owner.token, body: { isOn: true } })
  const couponId = coupon && (await insertCoupon(world, { storeId } as Parameters<typeof insertCoupon>[1], coupon))
  if (couponId)
    await assignCouponToSteps(world, { flowId: flow.id } as Parameters<typeof assignCouponToSteps>[1], couponId)
  fake.allOrders = [buildOrder({ orderId: '1000', modifiedAt: world.now.toISOString(), items, totalMinor: 6_000 })]
  await recordOrders(world.deps, storeId, fake.allOrders, 'sync')
  return { storeId, fake }
}

async function readMail(storeId: string): Promise<string> {
  world.advance(HOUR)
  await detectAbandoned(world.deps)
  await sendDueMessages(world, storeId)
  return world.sent[0]!.text
}

const fiveOff = { type: 'fixed', platform_type: 'fixed_cart', percent: null, amount_minor: 500 } as const

test('the total is the shown total less the discount when prices are shown as entered', async () => {
  const { storeId } = await createShop({ prices_include_tax: true, shows_tax: true }, fiveOff)
  expect(await readMail(storeId)).toContain('Total with the coupon: $55.00')
})

test('the discount includes its tax when prices are shown with tax and entered without', async () => {
  const { storeId, fake } = await createShop({ prices_include_tax: false, shows_tax: true }, fiveOff)
  // 20 % tax: 10.00 and 30.00 entered, 12.00 and 36.00 shown.
  fake.prices.set('16:', 1_000).set('17:', 3_000)
  expect(await readMail(storeId)).toContain('Total with the coupon: $54.00')
})

test('the entered prices count even when the catalogue has the shown ones', async () => {
  const { storeId, fake } = await createShop({ prices_include_tax: false, shows_tax: true }, fiveOff)
  fake.allProducts = MUGS_AND_LAMP.map(({ productId, name, unitPriceMinor }) =>
    buildProduct({ productId, name, priceMinor: unitPriceMinor, enteredMinor: unitPriceMinor / 1.2 }),
  )
  await pullProducts(world.deps, { storeId })
  fake.prices.set('16:', 1_000).set('17:', 3_000)
  expect(await readMail(storeId)).toContain('Total with the coupon: $54.00')
})

test('no total is shown when the entered prices are unknown', async () => {
  const { storeId } = await createShop({ prices_include_tax: false, shows_tax: true }, fiveOff)
  const text = await readMail(storeId)
  expect(text).toContain('Coupon SAVE-')
  expect(text).not.toContain('Total with the coupon')
})

test('a coupon that excludes sale items does not discount them', async () => {
  const { storeId, fake } = await createShop({}, { terms: JSON.stringify({ excludesSaleItems: true }) })
  fake.onSale.add('17:')
  expect(await readMail(storeId)).toContain('Total with the coupon: $57.60')
})

test('a store without decimals deducts whole amounts', async () => {
  const { storeId } = await createShop({ price_decimals: 0 }, { percent: 750 })
  // 7.5 % of 24 and 36 are 4.5, rounded half down.
  expect(await readMail(storeId)).toContain('Total with the coupon: $56.00')
})

test.each([
  ['entered without tax and shown with it', false, true, '$59.50', 5_950],
  ['entered with tax and shown without it', true, false, '$50.00', 5_000],
  ['shown as entered', true, true, '$59.50', 5_950],
  ['of a store that does not say', true, null, '$59.50', 5_950],
])('list, cart and mail show the shop’s prices: %s', async (_, entered, isTaxIncluded, text, minor) => {
  const displayed = { withTaxMinor: 5_950, withoutTaxMinor: 5_000 }
  const item = { ...line('18', 'Desk', entered ? 5_950 : 5_000), displayed }
  const { storeId } = await createShop({ prices_include_tax: entered, shows_tax: isTaxIncluded }, null, [item])
  const mail = await readMail(storeId)
  expect(mail).toContain(text)
  const cart = await world.db.selectFrom('carts').selectAll().where('store_id', '=', storeId).executeTakeFirstOrThrow()
  expect([cart.value_minor, cart.items[0]!.unitPriceMinor]).toEqual([minor, minor])
})
