import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AppInstance, anAppInstance, freePorts, mailsTo, readMail, until } from './app-instance.ts'
import { openBrowser } from './browser.ts'
import { minutePasses } from './demo-shopper.ts'

// The whole loop on a Shopify store, in an account that has a WooCommerce store beside it: a checkout left with an email, the reminder,
// the shop's own checkout with the discount, the order, and what is counted.

const ANA = 'ana@gardens.example'
let instance: AppInstance
let browser: Browser
let owner: Page
let shop: Page
let storeUrl: string
let code = ''
let link = ''

beforeAll(async () => {
  const [port] = await freePorts(1)
  storeUrl = `http://localhost:${port}`
  instance = await anAppInstance({ DEMO_DAYS: '30', DEMO_SHOPIFY: 'on', DEMO_SHOPIFY_PORT: String(port) })
  browser = await openBrowser()
  owner = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage()
  shop = await (await browser.newContext({ viewport: { width: 360, height: 740 } })).newPage()
  await owner.goto(`${instance.url}/login`)
  await owner.getByRole('button', { name: 'Try the live demo' }).click()
  await owner.getByRole('navigation', { name: 'Sections' }).waitFor()
})

afterAll(async () => {
  await browser?.close()
  await instance?.stop()
})

async function api<T>(path: string): Promise<T> {
  const token = await owner.evaluate(() => localStorage.getItem('token') ?? sessionStorage.getItem('token'))
  const reply = await fetch(`${instance.url}${path}`, { headers: { authorization: `Bearer ${token}` } })
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
  return reply.json() as Promise<T>
}

interface Cart {
  id: string
  status: string
  customer_email: string
}

const cartOf = async (email: string) =>
  (await api<{ carts: Cart[] }>(`/api/carts/abandoned?search=${encodeURIComponent(email)}`)).carts.find(
    (cart) => cart.customer_email === email,
  )

/** The links of recovery do nothing for ten minutes: the checkout was begun so much earlier. */
function beginEarlier(): void {
  const store = new DatabaseSync(path.join(instance.dataDir, 'demo-shopify.sqlite'))
  store.exec('pragma busy_timeout = 5000')
  const { id } = store.prepare(`select id from records where kind = 'checkout' order by id desc limit 1`).get() as {
    id: number
  }
  const move = `update records set created = created - 660000, doc = json_set(doc, '$.createdAt', created - 660000)
    where kind = 'checkout' and id = ?`
  store.prepare(move).run(id)
  store.close()
}

test('the demo account has a store of each platform, and the switcher goes from one to the other', async () => {
  await owner.getByRole('button', { name: 'Switch store' }).getByText('Maple & Clay').waitFor()
  await owner.getByRole('button', { name: 'Switch store' }).click()
  await owner.getByRole('menuitem', { name: /Shopify/ }).click()
  await owner.getByRole('button', { name: 'Switch store' }).getByText('Fern & Finch').waitFor()
  // Its past is what the import has read.
  await owner.goto(`${instance.url}/customers`)
  await owner.getByRole('row').nth(5).waitFor({ timeout: 60_000 })
}, 120_000)

test('a coupon is made in Shopify and put on the first step', async () => {
  await owner.goto(`${instance.url}/coupons`)
  await owner.getByRole('button', { name: 'Quick Create' }).first().click()
  await owner.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click()
  code = await owner
    .getByText(/^Coupon CART/)
    .locator('strong')
    .innerText()
  const [flow] = (await api<{ flows: { id: string }[] }>('/api/flows')).flows
  await owner.goto(`${instance.url}/flows/${flow!.id}`)
  await owner.getByRole('combobox', { name: 'Coupon' }).click()
  await owner.getByRole('option', { name: new RegExp(`^${code} · 10%`) }).click()
  await owner.getByRole('button', { name: 'Save', exact: true }).click()
  await owner.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' })
  await shop.goto(`${storeUrl}/admin`)
  await shop.getByText(code).first().waitFor()
}, 60_000)

test('a checkout left with an email is reminded by one mail', async () => {
  await shop.goto(`${storeUrl}/products/copper-watering-can`)
  await shop.getByRole('button', { name: 'Add to cart' }).click()
  await shop.getByRole('link', { name: 'View cart' }).click()
  await shop.getByRole('link', { name: 'Check out' }).click()
  await shop.getByRole('heading', { level: 1, name: 'Checkout' }).waitFor()
  beginEarlier()
  await shop.getByLabel('First name').fill('Ana')
  await shop.getByLabel('Last name').fill('Lopez')
  await shop.getByLabel('Email', { exact: true }).fill(ANA)
  await shop.getByLabel('Email me with news and offers').check()
  await until(async () => (await cartOf(ANA)) !== undefined, 60_000)
  await minutePasses(instance, ANA)
  await until(async () => (await mailsTo(instance, ANA)).length > 0, 110_000)
  const [summary] = await mailsTo(instance, ANA)
  const mail = await readMail(instance, summary!.id)
  expect(mail.html).toContain(code)
  expect(`${summary!.subject}${mail.html}${mail.text}`).not.toContain('{{')
  link = /https?:\/\/[^\s"<>]+\/c\/[\w-]+/.exec(mail.html)![0]
}, 240_000)

test('in another browser the link leads to the shop’s own checkout, with the discount, and an order is recovered', async () => {
  const phone = await (await browser.newContext({ viewport: { width: 360, height: 740 } })).newPage()
  await phone.goto(link)
  await phone.getByRole('button', { name: 'Restore Cart' }).click()
  await phone.getByText('Cart restored! You can now continue shopping or checkout.').waitFor()
  await phone.getByRole('link', { name: 'Continue to checkout' }).click()
  await phone.waitForURL(`${storeUrl}/checkouts/cn/**`)
  await phone.getByText(code, { exact: true }).waitFor()
  expect(await phone.getByLabel('Email', { exact: true }).inputValue()).toBe(ANA)
  await phone.getByLabel('Address', { exact: true }).fill('1 Alder St')
  await phone.getByLabel('City').fill('Portland')
  await phone.getByLabel('ZIP code').fill('97202')
  await phone.getByRole('button', { name: 'Pay now' }).click()
  await phone.getByRole('heading', { name: 'Thank you, Ana!' }).waitFor()
  await expect.poll(() => cartOf(ANA), { timeout: 60_000, interval: 1_000 }).toMatchObject({ status: 'Recovered' })
  const cart = (await cartOf(ANA))!
  const { order, messages } = await api<{
    order: { attributedMessageId: string | null } | null
    messages: { step: number; state: string; reason: string | null }[]
  }>(`/api/carts/${cart.id}/messages`)
  expect(order?.attributedMessageId).toBeTruthy()
  expect(messages[0]).toMatchObject({ step: 1, state: 'sent' })
  expect(messages[1]).toMatchObject({ step: 2, state: 'cancelled', reason: 'purchased' })
  expect(await mailsTo(instance, ANA)).toHaveLength(1)
}, 180_000)
