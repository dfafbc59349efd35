import crypto from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { restoreTexts } from '../../../shared/delivery/restore.ts'
import { createFakeStore } from '../../../test/fake-store.ts'
import { isFullRun } from '../../../test/seed.ts'
import { buildTea, createShop, DAY, HOUR, MINUTE, pot, type Shop } from '../../../test/shop.ts'
import { buildWooKeys } from '../../../test/woo-access.ts'
import { createWorld } from '../../../test/world.ts'
import { saveKeys } from '../../access/stores/access.ts'
import { createToken } from '../../carts/links/message-tokens.ts'
import type { PlatformOrder } from '../../platforms/platform/platform.ts'
import { createRestoreToken } from '../compose/compose.ts'

// The cart that a message's link restores (decisions 4 and 14, X1).

const world = createWorld()
let shop: Shop
let messageId: string
let token: string
let n = 0

beforeEach(async () => {
  shop = await createShop(world)
  await shop.fill('one', [buildTea(3), pot])
  await shop.type('one', { email: `ada${++n}@shoppers.example.com`, firstName: 'Ada', phone: '+12125550123' })
  await shop.passTime(HOUR)
  messageId = (await shop.messages())[0]!.id
  token = createRestoreToken(world.deps.secrets, messageId)
})

const readCart = (cartId: string) => world.request('GET', `/api/carts/${cartId}`)
const restore = (cartId: string) => world.request('POST', `/api/carts/${cartId}/restore`)
/** Where Restore leads, without the mark that the capture script takes up. */
const leadsTo = async () =>
  ((await restore(token)).body.checkoutUrl as string | null)?.replace(/&recoup_cart=[\w-]{43}$/, '')

async function product(productId: string, more: { price?: number; stock?: number | null; isAvailable?: boolean }) {
  const { price = productId === '16' ? 2_100 : 6_800, stock = null, isAvailable = true } = more
  await world.db
    .insertInto('products')
    .values({
      store_id: shop.storeId,
      product_id: productId,
      variation_id: '',
      name: 'From the catalogue',
      price_minor: price,
      was_price_minor: productId === '16' ? 2_100 : 6_800,
      currency: 'USD',
      is_available: isAvailable,
      stock_quantity: stock,
      seen_at: world.now,
    })
    .execute()
}

test('the link shows items, prices and the shop, but no personal data (decision 4)', {
  tags: ['A2.1', 'B7'],
}, async () => {
  const { status, body } = await readCart(token)
  expect(status).toBe(200)
  expect(body.cart).toMatchObject({
    items: [
      { product_id: '16', price: 21, quantity: 3 },
      { product_id: '17', price: 68, quantity: 1 },
    ],
    total: 131,
    currency: 'USD',
    storeName: 'Tea & Co',
    expiresAt: new Date(world.now.getTime() + 30 * DAY).toISOString(),
  })
  const pressed = await restore(token)
  for (const text of [JSON.stringify(body), JSON.stringify(pressed.body)]) {
    expect(text).not.toMatch(/ada|2125550123|shoppers\.example/i)
  }
})

test('the page is in the shopper’s language, else the browser’s, else the shop’s', async () => {
  const readLocale = async (accepted?: string) =>
    (await world.request('GET', `/api/carts/${token}`, accepted ? { headers: { 'accept-language': accepted } } : {}))
      .body.cart.locale
  await world.db.updateTable('stores').set({ locale: 'nl-NL' }).where('id', '=', shop.storeId).execute()
  expect([await readLocale(), await readLocale('fr-FR,en;q=0.5')]).toEqual(['nl-NL', 'fr'])
  const shopper = { locale: 'de-AT', locale_source: 'shop' } as const
  await world.db.updateTable('shoppers').set(shopper).where('store_id', '=', shop.storeId).execute()
  expect(await readLocale('fr-FR')).toBe('de-AT')
  await world.db.updateTable('shoppers').set({ language: 'pl' }).where('store_id', '=', shop.storeId).execute()
  expect(await readLocale('fr-FR')).toBe('pl')
})

test('each item shows whether it is still available (decision 14)', { tags: ['B2'] }, async () => {
  await product('16', { stock: 2 })
  await product('17', { price: 7_000 })
  const { status, body } = await restore(token)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    message: restoreTexts.restored,
    items: [
      { product_id: '16', quantity: 2, outcome: 'quantity_clamped', before: { quantity: 3, price: 21 } },
      { product_id: '17', price: 70, outcome: 'price_changed', before: { quantity: 1, price: 68 } },
    ],
  })
  expect(await leadsTo()).toMatch(/\/checkout-link\/\?products=16:2,17:1$/)
})

test('the cart’s code is restored (decision 14)', async () => {
  await shop.fill('one', [buildTea(3), pot], { coupons: ['welcome10'] })
  expect(await leadsTo()).toMatch(/\?products=16:3,17:1&coupon=welcome10$/)
})

test('the message’s code takes precedence over the cart’s (decisions 14 and 37)', async () => {
  await shop.fill('one', [buildTea(3), pot], { coupons: ['welcome10'] })
  await world.db.updateTable('messages').set({ coupon_code: 'CART-BCDF3467' }).where('id', '=', messageId).execute()
  expect(await leadsTo()).toMatch(/\?products=16:3,17:1&coupon=CART-BCDF3467$/)
})

test('sold-out and removed items are shown as gone and not restored (decision 14)', async () => {
  await product('16', { stock: 0 })
  const one = await restore(token)
  expect(one.body.items.map((item: { outcome: string }) => item.outcome)).toEqual(['gone', 'ok'])
  expect(await leadsTo()).toMatch(/\?products=17:1$/)
  await product('17', { isAvailable: false })
  expect((await restore(token)).body.checkoutUrl).toBeNull()
})

test('an older shop leads to the unpaid order while it is payable and has the same items (decision 14)', async () => {
  const cart = await shop.cart()
  const line = (productId: string, quantity: number, unitPriceMinor: number) => ({
    productId,
    quantity,
    unitPriceMinor,
    variationId: null,
    name: productId,
    sku: null,
    imageUrl: null,
  })
  const { home_url: home } = await world.db
    .selectFrom('stores')
    .select('home_url')
    .where('id', '=', shop.storeId)
    .executeTakeFirstOrThrow()
  const paymentUrl = `${home}/checkout/order-pay/9/?pay_for_order=true&key=wc_order_k`
  const items = [line('17', 1, 6_800), line('16', 3, 2_100)]
  const placed = await shop.order({ kind: 'failed', email: cart.email, items, paymentUrl })
  const fake = createFakeStore(home)
  world.storeClient = () => fake
  const keys = buildWooKeys()
  await world.db
    .transaction()
    .execute((tx) => saveKeys(world.deps, { accountId: shop.accountId, db: tx }, shop.storeId, keys))
  await world.db.updateTable('stores').set({ has_checkout_link: false }).where('id', '=', shop.storeId).execute()
  const leadsWith = async (...orders: PlatformOrder[]) => {
    fake.allOrders = orders
    return leadsTo()
  }
  const oneProduct = `${home}/?add-to-cart=17&quantity=1`
  expect(await leadsWith(placed)).toBe(paymentUrl)
  expect(await leadsWith()).toBe(oneProduct)
  expect(await leadsWith({ ...placed, kind: 'purchase' })).toBe(oneProduct)
  expect(await leadsWith({ ...placed, items: [line('17', 2, 6_800)] })).toBe(oneProduct)
  expect(await leadsWith({ ...placed, paymentUrl: 'https://elsewhere.example/pay' })).toBe(oneProduct)
  expect(await leadsWith({ ...placed, paymentUrl: paymentUrl.replace('https:', 'http:') })).toBe(oneProduct)
  await product('16', { price: 2_500 })
  expect(await leadsWith(placed)).toBe(oneProduct)
  await world.db.updateTable('stores').set({ has_checkout_link: true }).where('id', '=', shop.storeId).execute()
  expect(await leadsWith(placed)).toBe(`${home}/checkout-link/?products=17:1,16:3`)
})

test('unknown, expired and misused links get the same reply (X1, decision 4)', async () => {
  const purposes = ['click', 'unsubscribe'] as const
  const others = purposes.map((purpose) => `rt_${createToken(world.deps.secrets, purpose, messageId)}`)
  const unknown = `rt_${'A'.repeat(43)}`
  const cart = await shop.cart()
  const wrong = [...others, unknown, 'rt_', 'rt_short', token.slice(3), token.toUpperCase(), cart.id, 'null', '%00']
  for (const id of wrong) {
    for (const { status, body } of [await readCart(id), await restore(id)]) {
      expect(status, id).toBe(404)
      expect(body.error ?? body.message, id).toEqual(
        (await restore(unknown)).body.error ?? (await restore(unknown)).body.message,
      )
    }
  }
  world.advance(30 * DAY + 1)
  expect([(await readCart(token)).status, (await restore(token)).status]).toEqual([404, 404])
  expect((await restore(token)).body.error).toEqual((await restore(unknown)).body.error)
})

test('both buttons count as one press, a press on another day as a second, and nothing else changes (A1)', async () => {
  const before = await shop.cart()
  await Promise.all([restore(token), restore(token)])
  world.advance(5 * MINUTE)
  await restore(token)
  world.advance(DAY)
  await restore(token)
  const after = await shop.cart()
  expect(after).toEqual({ ...before, no_response_at: null })
  const touches = await world.db.selectFrom('touchpoints').selectAll().where('store_id', '=', shop.storeId).execute()
  expect(touches.map((touch) => [touch.kind, touch.is_human])).toEqual([
    ['restore', true],
    ['restore', true],
  ])
})

test('a test message’s link restores without recording anything', async () => {
  await world.db.updateTable('link_tokens').set({ is_test: true }).where('message_id', '=', messageId).execute()
  expect((await restore(token)).status).toBe(200)
  const touches = await world.db.selectFrom('touchpoints').selectAll().where('store_id', '=', shop.storeId).execute()
  expect(touches).toEqual([])
})

test('the link of a cart bought meanwhile still opens', async () => {
  world.advance(MINUTE)
  const { email } = await shop.cart()
  await shop.order({ kind: 'purchase', email: email! })
  expect((await restore(token)).status).toBe(200)
})

/** Ten thousand are tried by `npm run proofs -- fuzz`. */
const HUNDREDS = isFullRun ? 100 : 10

test('a thousand guessed tokens get one reply, one look-up each and no record (X1, decision 4)', async () => {
  const answers = new Set<string>()
  const heads = new Set<string>()
  const guess = () => `rt_${crypto.randomBytes(32).toString('base64url')}`
  for (let batch = 0; batch < HUNDREDS; batch++) {
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, n) => (n % 2 ? readCart(guess()) : restore(guess()))),
    )
    for (const { status, body, headers } of replies) {
      const { requestId: _, ...answer } = body
      answers.add(`${status} ${JSON.stringify(answer)}`)
      heads.add(
        Object.keys(headers)
          .filter((name) => !/^x-ratelimit|^date$/.test(name))
          .sort()
          .join(),
      )
    }
  }
  expect(answers.size, [...answers].join()).toBe(1)
  expect(heads.size).toBe(1)
  const touches = await world.db.selectFrom('touchpoints').selectAll().where('store_id', '=', shop.storeId).execute()
  expect(touches).toEqual([])
})

test('unknown, expired, misused and malformed tokens cost the same look-up (X1)', async () => {
  let statements = 0
  world.pool.on('acquire', () => (statements += 1))
  const misused = `rt_${createToken(world.deps.secrets, 'click', messageId)}`
  const counts: number[] = []
  const count = async (id: string) => {
    statements = 0
    expect((await restore(id)).status).toBe(404)
    counts.push(statements)
  }
  for (const id of [`rt_${'A'.repeat(43)}`, misused, 'rt_short', '%20']) await count(id)
  world.advance(30 * DAY + 1)
  await count(token)
  expect(new Set(counts)).toEqual(new Set([1]))
})
