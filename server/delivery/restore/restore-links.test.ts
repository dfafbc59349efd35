import { beforeEach, expect, test } from 'vitest'
import { restoreTexts } from '../../../shared/delivery/restore.ts'
import { insertCoupon } from '../../../test/coupon-copies.ts'
import { createFakeStore } from '../../../test/fake-store.ts'
import { buildTea, createShop, HOUR, pot, type Shop } from '../../../test/shop.ts'
import { buildWooKeys } from '../../../test/woo-access.ts'
import { createWorld } from '../../../test/world.ts'
import { saveKeys } from '../../access/stores/access.ts'
import type { RefillRequest, RefillResult } from '../../platforms/platform/platform.ts'
import { createRestoreToken } from '../compose/compose.ts'

// The store's own check of a restored cart, and who may restore it (decisions 4, 11 and 14).

const world = createWorld()
let shop: Shop
let token: string
let home: string
let wishes: RefillRequest[] = []

const shirt = (choices?: { name: string; value: string }[]) => ({
  productId: '30',
  variationId: '31',
  quantity: 1,
  name: 'Shirt - Red',
  unitPriceMinor: 3_000,
  ...(choices ? { choices } : {}),
})
const large = [{ name: 'Size', value: 'Large' }]

beforeEach(async () => {
  shop = await createShop(world)
  wishes = []
  ;({ home_url: home } = await world.db
    .selectFrom('stores')
    .select('home_url')
    .where('id', '=', shop.storeId)
    .executeTakeFirstOrThrow())
})

async function mailed(items = [buildTea(3), pot]) {
  await shop.fill('one', items)
  await shop.type('one', { email: `ada-${shop.storeId}@shoppers.example.com`, firstName: 'Ada' })
  await shop.passTime(HOUR)
  token = createRestoreToken(world.deps.secrets, (await shop.messages())[0]!.id)
}

async function stubRefill(refill: (wish: RefillRequest) => RefillResult | null) {
  const fake = createFakeStore(home)
  fake.refill = (wish) => {
    wishes.push(wish)
    return refill(wish)
  }
  world.storeClient = () => fake
  const keys = buildWooKeys()
  await world.db
    .transaction()
    .execute((tx) => saveKeys(world.deps, { accountId: shop.accountId, db: tx }, shop.storeId, keys))
}

async function openShirtSize(permalink: string | null = null) {
  const row = { store_id: shop.storeId, product_id: '30', currency: 'USD', is_available: true, seen_at: world.now }
  const one = { name: 'Shirt - Red', price_minor: 3_000, has_open_choice: true, permalink }
  await world.db
    .insertInto('products')
    .values({ ...row, ...one, variation_id: '31' })
    .execute()
}

const readCart = async (cartId = token) => (await world.request('GET', `/api/carts/${cartId}`)).body.cart
const press = async (cartId = token) => (await world.request('POST', `/api/carts/${cartId}/restore`)).body
const getOutcomes = ({ items }: { items: { outcome: string }[] }) => items.map(({ outcome }) => outcome)
const touches = () => world.db.selectFrom('touchpoints').selectAll().where('store_id', '=', shop.storeId).execute()

test('the store’s own cart decides which items were restored (decision 14)', async () => {
  await mailed()
  await stubRefill(() => ({ checkoutUrl: `${home}/checkout/?session=x`, lines: [{ id: '16', quantity: 2 }] }))
  const reply = await press()
  expect(getOutcomes(reply)).toEqual(['quantity_clamped', 'choose_again'])
  expect(reply.items[0]).toMatchObject({ quantity: 2, before: { quantity: 3 } })
  expect(reply.checkoutUrl).toBe(`${home}/checkout/?session=x`)
  expect(wishes[0]).toMatchObject({ coupon: null, extra: { recoup_cart: expect.stringMatching(/^[\w-]{43}$/) } })
})

async function mailedWith(code: string): Promise<string> {
  await mailed()
  const couponId = await insertCoupon(world, shop, { code })
  await world.db
    .updateTable('messages')
    .set({ coupon_id: couponId, coupon_code: code })
    .where('store_id', '=', shop.storeId)
    .where('sending_at', 'is not', null)
    .execute()
  return couponId
}

test('a coupon renamed in the store is offered and applied by its new code (decision 14)', async () => {
  const couponId = await mailedWith('CART10')
  await world.db.updateTable('coupons').set({ code: 'TEATIME' }).where('id', '=', couponId).execute()
  expect((await readCart()).coupon).toMatchObject({ code: 'TEATIME' })
  await stubRefill(() => ({ checkoutUrl: `${home}/checkout/?session=x`, lines: [{ id: '16', quantity: 3 }] }))
  expect((await press()).coupon).toEqual({ code: 'TEATIME', outcome: 'carried' })
  expect(wishes).toMatchObject([{ coupon: 'TEATIME' }])
})

test('the page shows the message’s code with its saving; if the store refuses it, the cart is filled without it (decision 14)', async () => {
  const couponId = await mailedWith('CART10')
  const { coupon, total } = await readCart()
  expect(coupon).toEqual({ code: 'CART10', saving: Math.ceil(total * 10 - 0.5) / 100 })
  const lines = [
    { id: '16', quantity: 3 },
    { id: '17', quantity: 1 },
  ]
  await stubRefill(() => ({ checkoutUrl: `${home}/checkout/?session=x`, lines, isCouponRefused: false }))
  expect((await press()).coupon).toEqual({ code: 'CART10', outcome: 'carried' })
  expect(wishes[0]).toMatchObject({ coupon: 'CART10' })
  await stubRefill(() => ({ checkoutUrl: `${home}/checkout/?session=x`, lines, isCouponRefused: true }))
  const refused = await press()
  expect(refused).toMatchObject({
    coupon: { code: 'CART10', outcome: 'refused' },
    checkoutUrl: `${home}/checkout/?session=x`,
  })
  expect(getOutcomes(refused)).toEqual(['ok', 'ok'])
  await world.db.updateTable('coupons').set({ gone_at: world.now }).where('id', '=', couponId).execute()
  expect((await readCart()).coupon).toBeNull()
})

test('an entered coupon is restored too, and the page shows its saving (decision 37)', async () => {
  await insertCoupon(world, shop, { code: 'WELCOME10', made_by: 'store' })
  await shop.fill('one', [buildTea(3), pot], { coupons: ['welcome10'] })
  await shop.type('one', { email: `ada-${shop.storeId}@shoppers.example.com`, firstName: 'Ada' })
  await shop.passTime(HOUR)
  token = createRestoreToken(world.deps.secrets, (await shop.messages())[0]!.id)
  const { coupon, total } = await readCart()
  expect(coupon).toEqual({ code: 'WELCOME10', saving: Math.ceil(total * 10 - 0.5) / 100 })
  await world.db.updateTable('coupons').set({ ends_at: world.now }).where('code', '=', 'WELCOME10').execute()
  world.advance(HOUR)
  expect((await readCart()).coupon).toBeNull()
})

test('a link pressed repeatedly causes at most ten store requests in ten minutes and still works', async () => {
  await mailed()
  await stubRefill(() => ({ checkoutUrl: `${home}/checkout/?session=x`, lines: [{ id: '16', quantity: 3 }] }))
  for (let n = 0; n < 10; n++) expect((await press()).checkoutUrl).toBe(`${home}/checkout/?session=x`)
  const replies = await Promise.all(Array.from({ length: 20 }, () => press()))
  expect(new Set(replies.map(({ checkoutUrl }) => checkoutUrl.replace(/&recoup_cart=.*/, '')))).toEqual(
    new Set([`${home}/checkout-link/?products=16:3,17:1`]),
  )
  expect(wishes).toHaveLength(10)
})

test('a store that accepts no item leads to no checkout, and a foreign checkout URL is not followed (X1)', async () => {
  await mailed()
  await stubRefill(() => ({ checkoutUrl: null, lines: [] }))
  expect(await press()).toMatchObject({ checkoutUrl: null, shopUrl: home })
  // Nor over http, where an eavesdropper could read the link.
  for (const checkoutUrl of ['https://elsewhere.example/', `${home.replace('https:', 'http:')}/checkout/?session=x`]) {
    await stubRefill(() => ({ checkoutUrl, lines: [{ id: '16', quantity: 3 }] }))
    expect((await press()).checkoutUrl).toMatch(new RegExp(`^${home}/checkout-link/\\?products=16:3,17:1&recoup_cart=`))
  }
})

test('the choice of a variation with "any size" is restored', async () => {
  await openShirtSize()
  await mailed([shirt(large), pot])
  expect(getOutcomes(await readCart())).toEqual(['ok', 'ok'])
  await stubRefill(() => null)
  await press()
  expect(wishes[0]!.items).toMatchObject([{ productId: '30', variationId: '31', choices: large }, { productId: '17' }])
})

test('an unknown size has to be chosen again, as the page says before the press', async () => {
  await openShirtSize(`${home}/product/shirt/`)
  await mailed([shirt(), pot])
  expect((await readCart()).items).toMatchObject([
    { outcome: 'choose_again', url: `${home}/product/shirt/` },
    { outcome: 'ok', url: null },
  ])
  await stubRefill(() => null)
  const reply = await press()
  expect(getOutcomes(reply)).toEqual(['choose_again', 'ok'])
  expect(reply.checkoutUrl).toMatch(/\?products=17:1&/)
  expect(wishes[0]!.items).toHaveLength(1)
})

test('a product page is linked only on the store’s own host (X1)', async () => {
  await openShirtSize('https://elsewhere.example/shirt')
  await mailed([shirt()])
  expect((await readCart()).items[0].url).toBeNull()
})

test('a draft without the choice keeps it, and another size is another cart (S7)', async () => {
  await mailed([shirt(large), pot])
  await shop.fill('one', [shirt(), pot])
  expect((await shop.cart()).items[0]).toMatchObject({ choices: large })
  const before = await shop.cart()
  await shop.fill('one', [shirt([{ name: 'Size', value: 'Small' }]), pot])
  const after = await shop.cart()
  expect(after.items[0]).toMatchObject({ choices: [{ name: 'Size', value: 'Small' }] })
  expect(after.last_activity_at.getTime()).toBeGreaterThan(before.last_activity_at.getTime())
})

test('an older store takes one product, and the page names the others before the press', async () => {
  await mailed()
  await world.db.updateTable('stores').set({ has_checkout_link: false }).where('id', '=', shop.storeId).execute()
  expect(getOutcomes(await readCart())).toEqual(['ok', 'choose_again'])
  const reply = await press()
  expect(getOutcomes(reply)).toEqual(['ok', 'choose_again'])
  expect(reply.checkoutUrl).toMatch(/\?add-to-cart=16&quantity=3&/)
})

test('bought items are not offered again', { tags: ['B2'] }, async () => {
  await mailed()
  world.advance(HOUR)
  await shop.order({ kind: 'purchase', email: (await shop.cart()).email! })
  expect(await readCart()).toMatchObject({ isOrdered: true, shopUrl: home })
  expect(await press()).toMatchObject({ message: restoreTexts.ordered, isOrdered: true, items: [], checkoutUrl: null })
  expect(await touches()).toEqual([])
})

test('a member’s restore by cart id is a test without a touch (decision 4)', async () => {
  await mailed()
  const { id, no_response_at } = await shop.cart()
  const path = `/api/carts/${id}/restore`
  const { status, body } = await world.request('POST', path, { token: shop.token })
  expect(status).toBe(200)
  expect(body).toMatchObject({ message: restoreTexts.restored, isTest: true, checkoutUrl: expect.any(String) })
  expect(await touches()).toEqual([])
  expect((await shop.cart()).no_response_at).toEqual(no_response_at)
  const otherShop = await createShop(world)
  for (const session of [undefined, otherShop.token]) {
    const refused = await world.request('POST', path, session ? { token: session } : {})
    expect(refused.status).toBe(404)
  }
  expect((await press()).isTest).toBe(false)
})
