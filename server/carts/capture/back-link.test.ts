import { beforeEach, expect, test } from 'vitest'
import { buildTea, createShop, DAY, HOUR, MINUTE, pot, type Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { createRestoreToken } from '../../delivery/compose/compose.ts'
import { createToken } from '../links/message-tokens.ts'
import { foldStalePosts } from './capture-intake.ts'

// A cart restored in another browser continues as the same cart and merges no two people (X1, Identity).

const world = createWorld()
let shop: Shop
let mailed: string
let email: string
let n = 0
let seq = 0

beforeEach(async () => {
  shop = await createShop(world, { url: `https://way-back-${++n}.example.com` })
  email = `ada${n}@shoppers.example.com`
  await world.db
    .insertInto('products')
    .values(
      [buildTea(), pot].map((item) => ({
        store_id: shop.storeId,
        product_id: item.productId,
        name: item.name!,
        price_minor: item.unitPriceMinor!,
        currency: 'USD',
        is_available: true,
        seen_at: world.now,
      })),
    )
    .execute()
  await shop.fill('desktop-cart-token-1', [buildTea()])
  await shop.type('desktop-cart-token-1', { email, firstName: 'Ada' })
  await shop.passTime(HOUR)
  mailed = (await shop.messages()).find((each) => each.state === 'sent')!.id
  world.advance(10 * MINUTE)
})

const readBackToken = (reply: { body: { checkoutUrl: string } }) =>
  new URL(reply.body.checkoutUrl).searchParams.get('recoup_cart')!

/** A browser's capture post: its cart token, and its device unless it asks not to be tracked. */
async function postFromBrowser(browser: string, post: object) {
  world.advance(MINUTE)
  const tokens = { cart: `cart-of-${browser}`.padEnd(20, 'x'), page: `page-of-${browser}`, seq: seq++ }
  const reply = await world.app.inject({
    method: 'POST',
    url: `/api/capture/${shop.captureKey}`,
    headers: { origin: `https://way-back-${n}.example.com`, 'content-type': 'text/plain' },
    payload: JSON.stringify({ ...tokens, ...post }),
  })
  expect(reply.statusCode).toBe(204)
  await foldStalePosts(world.deps, 0)
}

const teaCart = { items: [{ id: '16', quantity: 1 }], coupons: [] }
const potCart = { items: [{ id: '17', quantity: 1 }], coupons: [] }

test('a cart restored and abandoned on the phone stays the same cart, without a "Guest"', async () => {
  const back = readBackToken(await shop.press(mailed))
  await postFromBrowser('phone', { back, ...teaCart })
  await shop.passTime(HOUR)
  expect(await shop.cart()).toMatchObject({ email, item_count: 1 })
  await postFromBrowser('phone', { back, items: [{ id: '16', quantity: 2 }], coupons: [] })
  await shop.passTime(DAY)
  expect(await shop.cart()).toMatchObject({ email, item_count: 2 })
})

test('the same items in the other browser do not count as activity (S1) and store nothing (S7)', async () => {
  const before = await shop.cart()
  const back = readBackToken(await shop.press(mailed))
  await postFromBrowser('phone', { back, device: 'device-of-the-phone', ...teaCart })
  await postFromBrowser('phone', { back, device: 'device-of-the-phone', ...teaCart })
  expect((await shop.cart()).last_activity_at).toEqual(before.last_activity_at)
  const facts = await world.db.selectFrom('facts').select('id').where('store_id', '=', shop.storeId).execute()
  expect(facts.length).toBeLessThanOrEqual(3)
})

test('an address typed there is the shopper’s, to whom that browser belongs from then on', async () => {
  const back = readBackToken(await shop.press(mailed))
  await postFromBrowser('phone', { back, ...teaCart })
  await postFromBrowser('phone', { back, ...teaCart, contact: { email } })
  await postFromBrowser('phone', potCart)
  expect(await shop.cart()).toMatchObject({ email, items: [{ name: 'Teapot' }] })
})

test('a forwarded link merges no shoppers, and a shopper who types another address has a separate cart', async () => {
  const other = `bob${n}@shoppers.example.com`
  const back = readBackToken(await shop.press(mailed))
  await postFromBrowser('bobs', { back, ...teaCart })
  await postFromBrowser('bobs', { back, ...teaCart, contact: { email: other, firstName: 'Bob' } })
  await postFromBrowser('bobs', { back, ...potCart })
  const [adas, bobs] = await shop.liveCarts()
  expect(adas).toMatchObject({ email, customer_name: 'Ada', items: [{ name: 'Earl Grey' }] })
  expect(bobs).toMatchObject({ email: other, customer_name: 'Bob', items: [{ name: 'Teapot' }] })
  expect(bobs!.shopper_id).not.toBe(adas!.shopper_id)
})

test('a purchase in the other browser ends the reminders about the restored cart (Identity)', async () => {
  const other = `bob${n}@shoppers.example.com`
  const back = readBackToken(await shop.press(mailed))
  await postFromBrowser('bobs', { back, ...teaCart })
  await postFromBrowser('bobs', { back, ...teaCart, contact: { email: other } })
  await shop.order({ kind: 'purchase', email: other })
  const sent = world.sent.length
  await shop.passTime(DAY)
  expect(world.sent.slice(sent).filter(({ to }) => to === email)).toEqual([])
})

test('a name or a consent without an address says nothing about the cart’s shopper', async () => {
  const back = readBackToken(await shop.press(mailed))
  await postFromBrowser('bobs', { back, ...teaCart, contact: { firstName: 'Mallory' } })
  await postFromBrowser('bobs', { back, ...teaCart, consent: { email: true, wording: 'Send me everything' } })
  expect((await shop.liveCarts())[0]).toMatchObject({ email, customer_name: 'Ada' })
  const consents = await world.db.selectFrom('consents').selectAll().where('store_id', '=', shop.storeId).execute()
  expect(consents).toEqual([])
})

test('an expired or forged token, or one of another purpose or store, is ignored (X1)', async () => {
  const back = readBackToken(await shop.press(mailed))
  const others = [
    createRestoreToken(world.deps.secrets, mailed).slice(3),
    createToken(world.deps.secrets, 'click', mailed),
    'A'.repeat(43),
  ]
  for (const [index, token] of others.entries()) await postFromBrowser(`stranger-${index}`, { back: token, ...potCart })
  const url = `https://elsewhere-${n}.example.com`
  const elsewhere = await createShop(world, { url })
  const reply = await world.app.inject({
    method: 'POST',
    url: `/api/capture/${elsewhere.captureKey}`,
    headers: { origin: url, 'content-type': 'text/plain' },
    payload: JSON.stringify({ cart: 'cart-of-elsewhere-xx', page: 'page-of-it', seq: 0, back, ...potCart }),
  })
  expect(reply.statusCode).toBe(204)
  world.advance(2 * DAY + 1)
  await postFromBrowser('late', { back, ...potCart })
  expect((await shop.carts())[0]).toMatchObject({ email, items: [{ name: 'Earl Grey' }] })
  for (const path of [`/api/carts/rt_${back}`, `/api/unsubscribe/${back}`])
    expect((await world.request('GET', path)).status).toBe(404)
  expect((await world.request('POST', `/api/carts/rt_${back}/restore`)).status).toBe(404)
})

test('a test message’s restore link creates no cart until an address is typed', async () => {
  await world.db.updateTable('link_tokens').set({ is_test: true }).where('message_id', '=', mailed).execute()
  const back = readBackToken(await shop.press(mailed))
  await postFromBrowser('owners', { back, ...potCart })
  expect(await shop.carts()).toHaveLength(1)
  await postFromBrowser('owners', { back, ...potCart, contact: { email: `owner${n}@shoppers.example.com` } })
  expect(await shop.carts()).toHaveLength(2)
})

test('the restore token is deleted with its message', async () => {
  const back = readBackToken(await shop.press(mailed))
  await world.db.deleteFrom('link_tokens').where('message_id', '=', mailed).execute()
  await postFromBrowser('phone', { back, ...potCart })
  expect((await shop.carts())[0]).toMatchObject({ items: [{ name: 'Earl Grey' }] })
})
