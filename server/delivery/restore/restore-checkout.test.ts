import { expect, test } from 'vitest'
import { buildCheckout, createShopifyStore } from '../../../test/shopify-store.ts'
import { createWorld } from '../../../test/world.ts'
import { pullCheckouts } from '../../carts/sync/checkouts.ts'

// A cart whose shop keeps the checkout itself goes back to that checkout (decision 117).

const world = createWorld()

async function pressed(minutesOld: number) {
  const { owner, fake, storeId } = await createShopifyStore(world)
  const { homeUrl } = fake.profile
  const restoreUrl = `${homeUrl}/1/checkouts/ac/t/recover?key=k`
  const modifiedAt = new Date(world.now.getTime() - minutesOld * 60_000).toISOString()
  fake.allCheckouts = [buildCheckout({ checkoutId: '1', modifiedAt, restoreUrl, coupons: ['CART10'] })]
  await pullCheckouts(world.deps, { storeId })
  const carts = world.db.selectFrom('carts').select('id').where('store_id', '=', storeId)
  const { id } = await carts.executeTakeFirstOrThrow()
  const { body } = await world.request('POST', `/api/carts/${id}/restore`, { token: owner.token })
  return { url: new URL(body.checkoutUrl), homeUrl, items: body.items as { outcome: string }[] }
}

test('Continue leads to the shop’s own checkout, with the discount', async () => {
  const { url, homeUrl, items } = await pressed(20)
  expect(url.origin + url.pathname).toBe(`${homeUrl}/1/checkouts/ac/t/recover`)
  expect([url.searchParams.get('key'), url.searchParams.get('discount')]).toEqual(['k', 'CART10'])
  expect(items.map(({ outcome }) => outcome)).toEqual(['ok'])
})

test('a checkout younger than ten minutes is restored as the same items and code', async () => {
  const { url, homeUrl } = await pressed(5)
  expect(url.origin + url.pathname).toBe(`${homeUrl}/cart/161:1`)
  expect(url.searchParams.get('discount')).toBe('CART10')
})
