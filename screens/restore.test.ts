import { expect, test } from 'vitest'
import { getCart, type RestorableCart } from '../shared/carts/carts.ts'
import { restoreCart, restoreTexts } from '../shared/delivery/restore.ts'
import { createScreens } from './app.ts'
import { sampleCart, subtractHours } from './carts-scene.ts'

// The cart restore page, for the recipient of a mail and for a member of the store (B 2).

const app = createScreens()
const TOKEN = `rt_${'a'.repeat(43)}`
const [item] = sampleCart.items as [(typeof sampleCart.items)[number]]

const restorable: RestorableCart = {
  items: [{ ...item, outcome: 'ok', now: { quantity: item.quantity, price: item.price }, url: null }],
  ...{ total: 32, currency: 'USD', locale: 'en-US', storeName: 'Maple & Clay', shopUrl: 'https://maple-clay.example' },
  brand: {
    logo: null,
    button: '#1d4ed8',
    text: '#1f2937',
    ground: '#ffffff',
    accent: '#1d4ed8',
    fontStack: 'system',
    radius: 4,
    promise: '',
  } as RestorableCart['brand'],
  isOrdered: false,
  expiresAt: subtractHours(-100),
  coupon: null,
}
const restored = {
  message: restoreTexts.restored,
  items: [
    {
      product_id: item.product_id,
      product_name: item.product_name,
      quantity: item.quantity,
      price: item.price,
      outcome: 'ok' as const,
      before: { quantity: item.quantity, price: item.price },
      url: null,
    },
  ],
  ...{ checkoutUrl: 'https://maple-clay.example/checkout/', shopUrl: 'https://maple-clay.example' },
  isOrdered: false,
  isTest: false,
  coupon: null,
}

test('the restore page keeps the items in the browser, and shows and retries a failed transfer to the store', {
  tags: ['B2', 'B3'],
}, async () => {
  app.api.answer(getCart, { cart: restorable })
  app.api.fail(restoreCart, 503, { error: 'Back soon.', code: 'unavailable' })
  const page = await app.open(`/cart/recover?cart_id=${TOKEN}`, { as: 'visitor' })
  const headings = ['Product', 'Qty', 'Price', 'Total']
  await expect.poll(() => page.getByRole('columnheader').allInnerTexts()).toEqual(headings)
  await page.getByRole('button', { name: 'Restore Cart' }).click()
  await page.getByText('Cart restored! You can now continue shopping or checkout.', { exact: true }).waitFor()
  await page.getByText('Back soon.').waitFor()
  const stored = await page.evaluate(() => JSON.parse(localStorage.getItem('restoredCart') ?? '[]') as object[])
  const { product_name, quantity, price } = item
  expect(stored).toMatchObject([{ product_name, quantity, price }])
  app.api.answer(restoreCart, restored)
  await page.getByRole('button', { name: 'Retry' }).click()
  const checkout = page.getByRole('link', { name: 'Continue to checkout' })
  await expect.poll(() => checkout.getAttribute('href')).toBe(restored.checkoutUrl)
  await expect.poll(() => page.getByText('Back soon.').count()).toBe(0)
  expect(await app.findViolations()).toEqual([])
})

test('the page of a purchased cart links to the shop', { tags: ['B2'] }, async () => {
  app.api.answer(getCart, { cart: { ...restorable, isOrdered: true } })
  const page = await app.open(`/cart/recover?cart_id=${TOKEN}`, { as: 'visitor' })
  await page.getByRole('heading', { name: 'You have already ordered.' }).waitFor()
  await expect
    .poll(() => page.getByRole('link', { name: 'Go to the shop' }).getAttribute('href'))
    .toBe(restorable.shopUrl)
})

test('a member’s restore by cart id is marked as a test', { tags: ['B2'] }, async () => {
  app.api.answer(getCart, { cart: sampleCart })
  app.api.answer(restoreCart, { ...restored, isTest: true })
  const page = await app.open(`/cart/recover?cart_id=${sampleCart.id}`)
  await page.getByText('is a test and is not counted').waitFor()
  await page.getByRole('button', { name: 'Restore Cart' }).click()
  await page.getByText('Cart restored! You can now continue shopping or checkout.').waitFor()
  await expect.poll(() => app.api.calls(restoreCart)[0]!.sent.headers.authorization).toBeDefined()
})

test('a link without a cart and one with an unknown cart show an explanation', { tags: ['B5', 'B8'] }, async () => {
  app.api.fail(getCart, 404, { code: 'not_found' })
  const page = await app.go('/cart/recover', { as: 'visitor' })
  await page.getByText('No cart ID provided.', { exact: true }).waitFor()
  await app.go(`/cart/recover?cart_id=${TOKEN}`, { as: 'visitor' })
  await page.getByText('Cart not found or expired.', { exact: true }).waitFor()
})

test('a German shopper’s page has German words and amounts, and another language can be chosen', async () => {
  app.api.answer(getCart, { cart: { ...restorable, currency: 'EUR', locale: 'de-DE' } })
  app.api.answer(restoreCart, restored)
  const page = await app.open(`/cart/recover?cart_id=${TOKEN}`, { as: 'visitor' })
  await page.getByRole('heading', { level: 1, name: 'Dein Warenkorb' }).waitFor()
  await expect.poll(() => page.evaluate(() => document.documentElement.lang)).toBe('de')
  const total = page.getByRole('row', { name: /^Summe/ })
  await expect.poll(async () => (await total.innerText()).replaceAll(/\s+/g, ' ')).toContain('32,00 €')
  await page.getByRole('button', { name: 'Warenkorb wiederherstellen' }).click()
  await page.getByText('Warenkorb wiederhergestellt!').waitFor()
  await page.getByRole('button', { name: 'Français' }).press('Enter')
  await page.getByText('Panier restauré').waitFor()
  expect(await app.findViolations()).toEqual([])
})
