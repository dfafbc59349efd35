import { expect, test } from 'vitest'
import { couponTexts } from '../../../shared/carts/coupons.ts'
import { type ConnectedStore, createConnectedStore } from '../../../test/connected-store.ts'
import { createShopifyStore } from '../../../test/shopify-store.ts'
import { createWorld } from '../../../test/world.ts'

// Personal codes tied to an email (decision 34), in shops that support codes tied to any email and in those that do not.

const world = createWorld()
const DAY_MS = 86_400_000

const post = ({ owner }: ConnectedStore, more: object) => {
  const [startDate, endDate] = [-1, 7].map((days) => new Date(world.now.getTime() + days * DAY_MS).toISOString())
  const body = { code: 'CART', type: 'percentage', amount: 10, startDate, endDate, kind: 'personal', ...more }
  return world.request('POST', '/api/coupons', { token: owner.token, body })
}

test('a shop that ties codes only to its own customers gets untied personal codes and the reason', async () => {
  const shop = await createShopifyStore(world)
  expect(await post(shop, { isTiedToEmail: true })).toMatchObject({
    status: 400,
    body: { error: couponTexts.noTie, fields: { isTiedToEmail: couponTexts.noTie } },
  })
  expect(await post(shop, {})).toMatchObject({
    status: 200,
    body: { coupon: { kind: 'personal', isTiedToEmail: false } },
  })
  const other = await createConnectedStore(world)
  expect(await post(other, { isTiedToEmail: true })).toMatchObject({ body: { coupon: { isTiedToEmail: true } } })
})
