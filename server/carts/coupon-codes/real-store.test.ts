import { afterEach, expect, test } from 'vitest'
import { applyCode, findCheckout } from '../../../providers/shopify/checkouts.ts'
import { createCouponShop } from '../../../test/coupon-scene.ts'
import { openShopifyClient } from '../../../test/shopify-client.ts'
import { createWorld } from '../../../test/world.ts'

// Personal codes in a store of a contract server: what is stored there, and who can use it.

const world = createWorld()
let close: () => Promise<void>

afterEach(() => close())

test('on Shopify a personal code is a separate discount that anybody with the code uses once, known to the shop or not', async () => {
  const one = await openShopifyClient()
  close = one.close
  world.now = new Date(one.now())
  const shop = await createCouponShop(world)
  world.storeClient = () => one.client
  await shop.abandoned('ada', 'ben')
  one.advance(world.now.getTime() - one.now())
  await shop.make()
  const codes = await shop.codes()
  expect(codes.map(({ made_at, refusal }) => [made_at !== null, refusal])).toEqual([
    [true, null],
    [true, null],
  ])
  const [{ code, expires_at }] = codes as [(typeof codes)[number]]
  expect(await one.client.couponByCode(code, 'USD')).toMatchObject({
    usageLimit: 1,
    isIndividual: true,
    isPublished: true,
    limits: { emails: [] },
    expiresAt: `${expires_at.toISOString().slice(0, 19)}Z`,
  })
  // None of these is a customer of the shop.
  const use = (email: string) => {
    const { desk, shop: own, controls } = one.store
    const { token } = controls.beginCheckout([{ variantId: 44_100_000_000_001, quantity: 1 }], { email })
    const used = applyCode(desk, findCheckout(own, token)!, code)
    if (used.problem === null) controls.pay(used.checkout.id)
    return used.problem
  }
  expect(use('new@shoppers.example')).toBeNull()
  expect(use('other@shoppers.example')).toBe(`${code} has reached its usage limit`)
})
