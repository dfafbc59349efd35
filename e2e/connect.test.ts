import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DemoStore, startDemoStore } from '../providers/woocommerce/store.ts'
import { closePages, openBrowser } from './browser.ts'
import {
  addUnfinishedOrders,
  createAddress,
  createApiClient,
  createClientHeaders,
  findMailLink,
  KEYS,
  type ListedCart,
  PASSWORD,
} from './owner.ts'
import { type SharedInstance, startSharedInstance } from './shared-instances.ts'

let instance: SharedInstance
let browser: Browser
let page: Page
const stores: DemoStore[] = []

beforeAll(async () => {
  instance = await startSharedInstance('own')
  browser = await openBrowser()
})

afterAll(async () => {
  if (browser) await closePages(browser)
  for (const store of stores) await store.stop()
})

async function createStore(keys: Partial<typeof KEYS> = {}) {
  const store = await startDemoStore({ port: 0, dataFile: ':memory:', ...keys })
  stores.push(store)
  return store
}

/** Fills in the open sign-up form. */
async function signUp(name: string, email: string) {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByLabel('Repeat password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.waitForURL('**/pricing')
}

test('an owner registers, confirms, connects over http, sees unfinished orders as carts, and disconnects', {
  tags: ['A1', 'A2.1', 'A2.4'],
}, async () => {
  const store = await createStore(KEYS)
  const product = addUnfinishedOrders(store, [
    { status: 'checkout-draft', email: 'dora@customers.example', name: 'Dora' },
    { status: 'pending', email: 'petra@customers.example', name: 'Petra' },
    { status: 'failed', email: 'fay@customers.example', name: 'Fay' },
    { status: 'completed', email: 'bea@customers.example', name: 'Bea' },
  ])
  page = await (await browser.newContext({ extraHTTPHeaders: createClientHeaders() })).newPage()
  await page.goto(`${instance.url}/register`)
  const email = createAddress('olive')
  await signUp('Olive Owner', email)
  await page.getByRole('button', { name: 'Continue with Lite' }).click()
  await page.waitForURL('**/store-setup')
  const token = (await page.evaluate(() => localStorage.getItem('token')))!
  const { ask } = createApiClient(instance, () => token)
  await page.getByLabel('Store URL').fill(store.url)
  await page.getByLabel('Consumer key').fill(KEYS.consumerKey)
  await page.getByLabel('Consumer secret').fill(KEYS.consumerSecret)
  await page.getByRole('button', { name: 'Connect Store' }).click()
  await page.getByRole('heading', { level: 1, name: 'Maple & Clay is connected' }).waitFor()

  const fetchCarts = async () => (await ask<{ carts: ListedCart[] }>('GET', '/api/carts/abandoned')).carts
  await expect
    .poll(async () => (await fetchCarts()).map((cart) => cart.customer_email).sort())
    .toEqual(['dora', 'fay', 'petra'].map((local) => `${local}@customers.example`))
  for (const cart of await fetchCarts()) {
    expect(cart.total).toBeGreaterThan(0)
    expect(cart).toMatchObject({
      phone: expect.stringMatching(/^\+1212555\d{4}$/),
      state: 'abandoned',
      status: 'No Action',
      items: [{ quantity: 2, image_url: expect.stringContaining('http') }],
    })
  }
  await page.goto(`${instance.url}/carts`)
  for (const name of ['Dora', 'Petra', 'Fay']) await page.getByText(`${name} Miller`).first().waitFor()

  await page.goto(await findMailLink(instance, email, /^Confirm your email address$/))
  await page.getByRole('button', { name: 'Confirm this address' }).click()
  await page.getByRole('heading', { level: 1, name: 'Email address confirmed' }).waitFor()
  const { user } = await ask<{ user: { isEmailConfirmed: boolean } }>('GET', '/api/auth/me')
  expect(user.isEmailConfirmed).toBe(true)

  const connection = () =>
    ask<{ hasConnection: boolean; store: { captureKey: string; captureSeenAt: string | null } | null }>(
      ...(['GET', '/api/stores/check-connection'] as const),
    )
  const { captureKey } = (await connection()).store!
  const reported = await fetch(`${instance.url}/api/capture/${captureKey}`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain', origin: store.url },
    body: JSON.stringify({
      cart: 'cart-of-the-install',
      page: 'page-of-the-install',
      seq: 1,
      items: [{ id: String(product), quantity: 1 }],
    }),
  })
  expect(reported.status).toBe(204)
  await expect.poll(async () => (await connection()).store!.captureSeenAt).not.toBeNull()

  await page.goto(`${instance.url}/settings`)
  await page.getByRole('button', { name: 'Disconnect Store' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect Store' }).click()
  await page.waitForURL('**/store-setup')
  await expect.poll(async () => (await connection()).hasConnection).toBe(false)
  await page.context().close()
})

test('Connect in the shop opens sign-up and plans, then returns to the connected shop', async () => {
  const store = await createStore()
  page = await (await browser.newContext({ extraHTTPHeaders: createClientHeaders() })).newPage()
  await page.goto(`${store.url}/wp-admin/?page=recoup`)
  await page.getByLabel('Recoup address').fill(instance.url)
  await page.getByRole('button', { name: 'Connect' }).click()
  await page.getByRole('link', { name: 'Create an account' }).click()
  await signUp('Nora New', createAddress('nora'))
  // Simulates a payment made elsewhere.
  await page.reload()
  await page.getByRole('button', { name: 'Continue with Lite' }).click()
  await page.getByRole('heading', { name: 'Connect this shop?' }).waitFor()
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByText('The shop is connected.').waitFor()
  expect(page.url()).toContain(store.url)
  // The request was answered, so the set-up shows its normal state.
  await page.goto(`${instance.url}/store-setup`)
  await page.waitForURL('**/dashboard')
  await page.context().close()
})
