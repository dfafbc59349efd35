import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser } from './browser.ts'
import { aHouse, type House, mailsTo, readMail, until } from './house.ts'

// The whole loop as a new user meets it: abandon a cart in the demo store, get the mail, restore, buy, see why.

let house: House
let browser: Browser
let owner: Page
const ANA = 'ana@shoppers.example'
const GRETA = 'greta@shoppers.example'

beforeAll(async () => {
  house = await aHouse()
  browser = await openBrowser()
  owner = await (await browser.newContext()).newPage()
  await owner.goto(`${house.url}/login`)
  await owner.getByRole('button', { name: 'Try the live demo' }).click()
  await owner.waitForURL(/dashboard|carts/)
}, 120_000)

afterAll(async () => {
  await browser?.close()
  await house?.stop()
})

/** A shopper with a browser profile of their own puts tea in the cart and types an email at checkout. */
async function abandonCart(email: string, country: string): Promise<Page> {
  const context = await browser.newContext()
  const shop = await context.newPage()
  await shop.goto(house.storeUrl)
  await shop.locator('a[href*="/product/"]').first().click()
  await shop.getByRole('button', { name: 'Add to cart' }).click()
  await shop.waitForTimeout(500)
  await shop.goto(`${house.storeUrl}/checkout/`)
  await shop.locator('#email').fill(email)
  await shop.locator('#shipping-country').selectOption(country)
  await shop.locator('#shipping-first_name').fill('Ana')
  await shop.locator('#shipping-last_name').fill('Lopez')
  await shop.locator('#shipping-last_name').blur()
  await shop.waitForTimeout(1_500)
  return shop
}

async function cartOf(email: string): Promise<{ id: string; status: string; state: string } | undefined> {
  const reply = await api<{ carts: { id: string; status: string; state: string; customer_email: string }[] }>(
    `/api/carts/abandoned?search=${encodeURIComponent(email)}`,
  )
  return reply.carts.find((cart) => cart.customer_email === email)
}

async function api<T>(path: string): Promise<T> {
  const token = await owner.evaluate(() => localStorage.getItem('token') ?? sessionStorage.getItem('token'))
  const reply = await fetch(`${house.url}${path}`, { headers: { authorization: `Bearer ${token}` } })
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
  return reply.json() as Promise<T>
}

interface Messages {
  messages: {
    step: number
    state: string
    reason: string | null
    explanation: string
    decisions: { reason: string }[]
  }[]
  order: { attributedMessageId: string | null } | null
  timeline: { title: string; text: string }[]
}

/** Came before the demo's past was written, and stays on the list of carts. */
let early: Page

test('whoever comes early is told that the demo’s past is being written', async () => {
  early = await (await browser.newContext()).newPage()
  await early.goto(`${house.url}/login`)
  await early.getByRole('button', { name: 'Try the live demo' }).click()
  await early.getByRole('link', { name: 'Abandoned Carts', exact: true }).click()
  await early.getByText('Your demo’s past is being written').waitFor()
  expect(await early.getByRole('progressbar', { name: 'Past that is written' }).count()).toBe(1)
})

test('a cart left behind is reminded, restored, bought, and counted for that mail', async () => {
  const shop = await abandonCart(ANA, 'US')
  await abandonCart(GRETA, 'DE')
  await until(async () => (await mailsTo(house, ANA)).length > 0, 110_000, 1_000)

  const [summary] = await mailsTo(house, ANA)
  const mail = await readMail(house, summary!.id)
  expect(mail.raw).toMatch(/^List-Unsubscribe: <https?:/im)
  expect(mail.raw).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click/im)
  expect(`${summary!.subject}${mail.html}${mail.text}`).not.toContain('{{')

  const link = /https?:\/\/[^\s"<>]+\/c\/[\w-]+/.exec(mail.html)![0]
  await shop.goto(link)
  await shop.getByRole('button', { name: 'Restore Cart' }).waitFor()
  expect(await shop.getByRole('columnheader').allInnerTexts()).toEqual(['Product', 'Qty', 'Price', 'Total'])
  expect(new URL(shop.url()).searchParams.get('cart_id')).toMatch(/^rt_/)
  await shop.getByRole('button', { name: 'Restore Cart' }).click()
  await shop.getByText('Cart restored! You can now continue shopping or checkout.').waitFor()
  const stored = await shop.evaluate(() => JSON.parse(localStorage.getItem('restoredCart') ?? '[]') as object[])
  expect(stored).toMatchObject([{ quantity: 1, product_name: expect.any(String), price: expect.any(Number) }])
  await shop.getByRole('link', { name: 'Continue to checkout' }).click()
  await shop.waitForURL('**/checkout/**')
  await buy(shop)

  await expect.poll(() => cartOf(ANA), { timeout: 60_000, interval: 1_000 }).toMatchObject({ status: 'Recovered' })
  const cart = (await cartOf(ANA))!
  const record = await api<Messages>(`/api/carts/${cart.id}/messages`)
  const [first, second] = record.messages
  expect(first).toMatchObject({ step: 1, state: 'sent' })
  expect(second).toMatchObject({ step: 2, state: 'cancelled', reason: 'purchased' })
  expect(record.order?.attributedMessageId).toBeTruthy()
  await owner.goto(`${house.url}/carts/${cart.id}`)
  await owner.getByText('The shopper has bought. No further message goes out for this cart.').first().waitFor()
  expect(await mailsTo(house, ANA)).toHaveLength(1)
}, 240_000)

test('the list that was empty has filled by itself', async () => {
  await early.getByRole('row').nth(10).waitFor({ timeout: 150_000 })
}, 180_000)

test('a link without its cart, or of none, says so (B 5, B 8)', async () => {
  const visitor = await (await browser.newContext()).newPage()
  await visitor.goto(`${house.url}/cart/recover`)
  await visitor.getByText('No cart ID provided.', { exact: true }).waitFor()
  await visitor.goto(`${house.url}/cart/recover?cart_id=rt_${'a'.repeat(43)}`)
  await visitor.getByText('Cart not found or expired.', { exact: true }).waitFor()
})

async function buy(shop: Page): Promise<void> {
  await shop.locator('#email').fill(ANA)
  await shop.locator('#shipping-first_name').fill('Ana')
  await shop.locator('#shipping-last_name').fill('Lopez')
  await shop.locator('#shipping-address_1').fill('1 Main Street')
  await shop.locator('#shipping-city').fill('New York')
  await shop.locator('#shipping-state').selectOption('NY')
  await shop.locator('#shipping-postcode').fill('10001')
  await shop.getByRole('button', { name: /place order/i }).click()
  await shop.waitForURL('**/order-received/**')
}

test('a shopper in Germany without consent gets no mail, and the record says why', async () => {
  await until(
    async () => {
      const cart = await cartOf(GRETA)
      if (!cart) return false
      const { messages } = await api<Messages>(`/api/carts/${cart.id}/messages`)
      return messages[0]?.reason === 'no_consent'
    },
    60_000,
    1_000,
  )
  expect(await mailsTo(house, GRETA)).toHaveLength(0)
}, 90_000)
