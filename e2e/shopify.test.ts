import pg from 'pg'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ShopifyStore } from '../demo/shopify/store.ts'
import { type DemoStore, startDemoStore } from '../demo/store/store.ts'
import { checkConnection } from '../shared/stores.ts'
import { openShopify, shopifyApp } from '../test/contract-servers/shopify.ts'
import { type AppInstance, anAppInstance, mailsTo, readMail, until } from './app-instance.ts'
import { openBrowser } from './browser.ts'
import { openStep } from './flow-steps.ts'
import { anOwner, KEYS } from './owner.ts'

// The whole loop on a Shopify store, in an account that has a WooCommerce store already: connected by client ID and secret, a checkout
// left with an email, the reminder, the shop's own checkout with the discount, the order, and what is counted. The other store has a
// cart of the same person, whom nothing of this concerns.

const ANA = 'ana@gardens.example'
const MINUTE_MS = 60_000
let instance: AppInstance
let woo: DemoStore
let shopify: ShopifyStore
/** By how much the shop's clock is behind: what is done there now was done so long ago. */
let behindMs = 0
let browser: Browser
let owner: Page
let shop: Page
let code = ''
let link = ''

beforeAll(async () => {
  woo = await startDemoStore({ port: 0, dataFile: ':memory:', ...KEYS })
  const lines = [{ productId: 1, quantity: 1 }]
  const billing = { email: ANA, first_name: 'Ana', last_name: 'Lopez', country: 'US', state: 'OR' }
  const product = woo.shop.db.sqlite.prepare('select id from products limit 1').get() as { id: number }
  lines[0]!.productId = product.id
  woo.insertOrders([
    { status: 'checkout-draft', createdAt: Math.floor(Date.now() / 1_000) - 30 * 3_600, billing, lines },
  ])
  shopify = await openShopify({ now: () => Date.now() - behindMs, pastDays: 10 })
  instance = await anAppInstance({ DEMO: 'off' })
  browser = await openBrowser()
  owner = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage()
  shop = await (await browser.newContext({ viewport: { width: 360, height: 740 } })).newPage()
  const { ask } = await anOwner(instance, woo, owner)
  await ask('POST', '/api/subscribe/manual-update', { planKey: 'growth' })
})

afterAll(async () => {
  await browser?.close()
  await instance?.stop()
  await shopify?.stop()
  await woo?.stop()
})

/** As the owner's own screens ask, of the store they show. */
async function api<T>(path: string): Promise<T> {
  const token = await owner.evaluate(() => localStorage.getItem('token'))
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

/** The hour until the first reminder: the cart was left, and the flow switched on, so much earlier. */
async function hourPasses(): Promise<void> {
  const ofShop = `store_id = (select id from stores where platform = 'shopify')`
  const shift = `with left_behind as (
      update carts set started_at = started_at - interval '1 hour', last_activity_at = last_activity_at - interval '1 hour',
        abandon_at = abandon_at - interval '1 hour'
      where ${ofShop} and email = $1 and customer_name = 'Ana Lopez' and status = 'active' returning store_id, shopper_id),
    switched as (update flows f set takes_from = f.takes_from - interval '1 hour' from left_behind l where f.store_id = l.store_id)
    update facts f set at = f.at - interval '1 hour' from left_behind l where f.store_id = l.store_id and f.shopper_id = l.shopper_id`
  const client = new pg.Client(instance.databaseUrl())
  await client.connect()
  try {
    await until(async () => (await client.query(shift, [ANA])).rowCount! > 0, 60_000)
  } finally {
    await client.end()
  }
}

/** As an app's own configuration subscribes: this server has no public address, at which it would subscribe by itself. */
async function subscribe(): Promise<void> {
  const { store } = await api<{ store: { captureKey: string } }>('/api/stores/check-connection')
  const ask = await shopifyApp(shopify)
  const uri = `${instance.url}/api/webhooks/shopify/${store.captureKey}`
  const query = `mutation W($topic: WebhookSubscriptionTopic!, $uri: String!) {
    webhookSubscriptionCreate(topic: $topic, webhookSubscription: { uri: $uri }) { userErrors { message } } }`
  for (const topic of ['CARTS_UPDATE', 'CHECKOUTS_CREATE', 'CHECKOUTS_UPDATE', 'ORDERS_CREATE', 'ORDERS_PAID']) {
    const { data } = await ask(query, { topic, uri })
    expect(data.webhookSubscriptionCreate).toEqual({ userErrors: [] })
  }
}

const switchTo = async (platform: RegExp, name: string) => {
  await owner.getByRole('button', { name: 'Switch store' }).click()
  await owner.getByRole('menuitem', { name: platform }).click()
  await owner.getByRole('button', { name: 'Switch store' }).getByText(name).waitFor()
}

test('the store is connected by client ID and secret, beside the one on WooCommerce', async () => {
  await owner.goto(`${instance.url}/dashboard`)
  await owner.getByRole('button', { name: 'Switch store' }).click()
  await owner.getByRole('menuitem', { name: 'Connect another store' }).click()
  await owner.getByRole('combobox', { name: 'Platform' }).click()
  await owner.getByRole('option', { name: 'Shopify' }).click()
  await owner.getByRole('textbox', { name: 'Store URL' }).fill(shopify.url)
  await owner.getByLabel('Client ID', { exact: true }).fill(shopify.keys.clientId)
  await owner.getByLabel('Client secret', { exact: true }).fill(shopify.keys.clientSecret)
  await owner.getByRole('button', { name: 'Connect Store' }).click()
  await owner.getByRole('button', { name: 'Set sender and address' }).click()
  await owner.getByLabel('Sender name').fill('Fern & Finch')
  await owner.getByLabel('Postal address').fill('2210 SE Clinton St, Portland, OR 97202')
  await owner.getByRole('button', { name: 'Save', exact: true }).click()
  await owner.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' })
  await subscribe()
}, 120_000)

test('a coupon is made in Shopify and put on the first step, and the flow is switched on', async () => {
  await owner.goto(`${instance.url}/coupons`)
  await owner.getByRole('button', { name: 'Quick Create' }).first().click()
  await owner.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click()
  code = await owner
    .getByText(/^Coupon CART/)
    .locator('strong')
    .innerText()
  const [flow] = (await api<{ flows: { id: string }[] }>('/api/flows')).flows
  await owner.goto(`${instance.url}/flows/${flow!.id}`)
  await openStep(owner, 1)
  await owner.getByRole('combobox', { name: 'Coupon' }).click()
  await owner.getByRole('option', { name: new RegExp(`^${code} · 10%`) }).click()
  await owner.getByRole('button', { name: 'Save', exact: true }).click()
  await owner.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' })
  await owner.getByRole('button', { name: 'Switch on' }).click()
  const dialog = owner.getByRole('dialog')
  await dialog.getByLabel('No control group').check()
  await dialog.getByLabel('I have read the messages in the preview').check()
  await dialog.getByRole('button', { name: 'Switch on' }).click()
  await owner.getByRole('button', { name: 'Switch off' }).waitFor()
  await shop.goto(`${shopify.url}/admin`)
  await shop.getByText(code).first().waitFor()
}, 60_000)

test('the script’s line is pasted into the theme, where its screen says', async () => {
  await owner.goto(`${instance.url}/settings/capture-script`)
  await owner.getByText('Open layout/theme.liquid.').waitFor()
  expect(await owner.getByRole('main').innerText()).not.toMatch(/WordPress|WooCommerce|plugin/i)
  await shop.goto(`${shopify.url}/admin`)
  await shop.getByLabel('theme.liquid, before </head>').fill(await owner.locator('.snippet').first().innerText())
  await shop.getByRole('button', { name: 'Save theme' }).click()
}, 60_000)

test('a checkout left with an email is reminded by one mail', async () => {
  // In its first ten minutes the shop's own address of a checkout leads to the front page.
  behindMs = 11 * MINUTE_MS
  await shop.goto(`${shopify.url}/products/copper-watering-can`)
  // The script tells of the cart before there is a checkout.
  const told = shop.waitForRequest('**/api/capture/**')
  await shop.getByRole('button', { name: 'Add to cart' }).click()
  await told
  await shop.getByRole('link', { name: 'View cart' }).click()
  await shop.getByRole('link', { name: 'Check out' }).click()
  await shop.getByRole('heading', { level: 1, name: 'Checkout' }).waitFor()
  behindMs = 0
  await shop.getByLabel('First name').fill('Ana')
  await shop.getByLabel('Last name').fill('Lopez')
  await shop.getByLabel('Email me with news and offers').check()
  // The last that is typed: what is told of it after the hour has passed would be activity.
  await shop.getByLabel('Email', { exact: true }).fill(ANA)
  await shop.getByLabel('Email', { exact: true }).blur()
  await until(async () => {
    await owner.getByRole('button', { name: 'Check now' }).click()
    return owner.getByText('The script is on your pages.').isVisible()
  }, 30_000)
  await hourPasses()
  await until(async () => (await mailsTo(instance, ANA)).length > 0, 90_000)
  const [summary] = await mailsTo(instance, ANA)
  const mail = await readMail(instance, summary!.id)
  expect(mail.html).toContain(code)
  expect(mail.html).toContain('Copper Watering Can')
  expect(`${summary!.subject}${mail.html}${mail.text}`).not.toMatch(/\{\{|Maple/)
  link = /https?:\/\/[^\s"<>]+\/c\/[\w-]+/.exec(mail.html)![0]
}, 180_000)

test('in another browser the link leads to the shop’s own checkout, with the discount, and the cart is recovered', async () => {
  const phone = await (await browser.newContext({ viewport: { width: 360, height: 740 } })).newPage()
  await phone.goto(link)
  await phone.getByRole('button', { name: 'Restore Cart' }).click()
  await phone.getByText('Cart restored! You can now continue shopping or checkout.').waitFor()
  await phone.getByRole('link', { name: 'Continue to checkout' }).click()
  await phone.waitForURL(`${shopify.url}/checkouts/cn/**`)
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
    messages: { id: string; step: number; state: string; reason: string | null }[]
  }>(`/api/carts/${cart.id}/messages`)
  expect(messages[0]).toMatchObject({ step: 1, state: 'sent' })
  expect(order?.attributedMessageId).toBe(messages[0]!.id)
  expect(messages[1]).toMatchObject({ step: 2, state: 'cancelled', reason: 'purchased' })
  expect(await mailsTo(instance, ANA)).toHaveLength(1)
}, 180_000)

test('the owner sees it in the Shopify store, and the same person’s cart in the other store is where it was', async () => {
  await owner.goto(`${instance.url}/carts?search=${encodeURIComponent(ANA)}`)
  await owner.getByRole('table').getByText('Recovered').first().waitFor()
  await switchTo(/WooCommerce/, 'Maple & Clay')
  expect(await cartOf(ANA)).toMatchObject({ status: 'No Action' })
  await owner.goto(`${instance.url}/carts?search=${encodeURIComponent(ANA)}`)
  await owner.getByRole('table').getByText('Ana Lopez').first().waitFor()
  expect(await owner.getByRole('table').getByText('Recovered', { exact: true }).count()).toBe(0)
}, 60_000)

test('an answer about the store before, still on its way, does not bring it back', async () => {
  await switchTo(/Shopify/, 'Fern & Finch')
  await owner.goto(`${instance.url}/carts`)
  await owner.getByRole('button', { name: 'Switch store' }).getByText('Fern & Finch').waitFor()
  const [asked, answered, given] = Array.from({ length: 3 }, () => Promise.withResolvers<void>())
  const late = `**${checkConnection.path}*`
  await owner.route(late, async (route) => {
    const response = await route.fetch()
    asked!.resolve()
    await answered!.promise
    // The page may have given it up.
    await route.fulfill({ response }).catch(() => {})
    given!.resolve()
  })
  await owner.clock.install()
  await owner.clock.fastForward(30_000)
  await owner.getByRole('link', { name: 'Customers' }).click()
  await asked!.promise
  await owner.getByRole('button', { name: 'Switch store' }).click()
  await owner.getByRole('menuitem', { name: /WooCommerce/ }).click()
  await owner.getByRole('button', { name: 'Switch store' }).getByText('Maple & Clay').waitFor()
  answered!.resolve()
  await given!.promise
  // Behind it, so that the page has it.
  for (let n = 0; n < 3; n++) await owner.evaluate(async () => void (await fetch('/readyz')))
  await owner.unroute(late)
  await owner.goto(`${instance.url}/carts`)
  await owner.getByRole('button', { name: 'Switch store' }).getByText('Maple & Clay').waitFor()
}, 90_000)
