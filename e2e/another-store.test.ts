import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ShopifyStore } from '../demo/shopify/store.ts'
import { type DemoStore, startDemoStore } from '../demo/store/store.ts'
import { openShopify } from '../test/contract-servers/shopify.ts'
import { type AppInstance, anAppInstance } from './app-instance.ts'
import { openBrowser } from './browser.ts'
import { checkInEveryTheme } from './every-theme.ts'
import { anOwner, KEYS } from './owner.ts'

// An owner who has a store connects another one: where the way begins, what is said when the plan has no room, and which store is shown
// afterwards.

let instance: AppInstance
let woo: DemoStore
let shopify: ShopifyStore
let browser: Browser
let page: Page
let owner: Awaited<ReturnType<typeof anOwner>>

beforeAll(async () => {
  woo = await startDemoStore({ port: 0, dataFile: ':memory:', ...KEYS })
  shopify = await openShopify({ pastDays: 2 })
  instance = await anAppInstance({ DEMO: 'off' })
  browser = await openBrowser()
  page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage()
  owner = await anOwner(instance, woo, page)
})

afterAll(async () => {
  await browser?.close()
  await instance?.stop()
  await shopify?.stop()
  await woo?.stop()
})

const switcher = () => page.getByRole('button', { name: 'Switch store' })
const choose = (platform: string) => page.getByRole('option', { name: platform }).click()

async function openMenu(): Promise<void> {
  await switcher().click()
  await page.getByRole('menuitem', { name: 'Connect another store' }).waitFor()
}

test('the way begins in the menu with the store’s name, and a plan without room is said before anything is typed', async () => {
  await page.goto(`${instance.url}/carts`)
  await openMenu()
  // All stores are this one.
  expect(await page.getByRole('menuitem').allInnerTexts()).toEqual([
    expect.stringContaining('localhost'),
    'Connect another store',
  ])
  await checkInEveryTheme(page, 'menu-of-one-store')
  await page.getByRole('menuitem', { name: 'Connect another store' }).click()
  await page.getByRole('heading', { level: 1, name: 'Connect another store' }).waitFor()
  await page.getByText('Your plan has no room for another store').waitFor()
  await page.getByText('Your plan (Lite) includes 1 store. Upgrade your plan, or disconnect a store first.').waitFor()
  expect(await page.getByRole('textbox').count()).toBe(0)
  expect(await page.getByRole('link', { name: 'See plans' }).getAttribute('href')).toBe('/pricing')
  await checkInEveryTheme(page, 'no-room-for-another-store')
  await page.getByRole('main').getByRole('link', { name: 'Back' }).click()
  await page.waitForURL('**/carts')
  await page.getByRole('heading', { level: 1, name: 'Abandoned Carts' }).waitFor()
})

test('nobody who has a store is led to the set-up otherwise (A 3)', async () => {
  await page.goto(`${instance.url}/store-setup`)
  await page.waitForURL('**/dashboard')
})

test('with room the forms are there, and Back leads to the settings they were opened from', async () => {
  await owner.ask('POST', '/api/subscribe/manual-update', { planKey: 'growth' })
  await page.goto(`${instance.url}/settings`)
  await page.getByRole('link', { name: 'Connect another store' }).click()
  await page.getByText('The stores that are connected stay as they are.').waitFor()
  await checkInEveryTheme(page, 'another-store')
  await page.getByRole('banner').getByRole('link', { name: 'Back' }).click()
  await page.waitForURL('**/settings')
})

test('a Shopify store is connected beside the WooCommerce store, and is the one that is shown', async () => {
  await page.getByRole('link', { name: 'Connect another store' }).click()
  await page.getByRole('combobox', { name: 'Platform' }).click()
  await choose('Shopify')
  await page.getByRole('textbox', { name: 'Store URL' }).fill(shopify.url)
  await page.getByLabel('Client ID', { exact: true }).fill(shopify.keys.clientId)
  await page.getByLabel('Client secret', { exact: true }).fill('shpss_wrong')
  await page.getByRole('button', { name: 'Connect Store' }).click()
  // What was typed stays where it was refused.
  await page.getByText('Shopify does not accept this client ID with this client secret.').waitFor()
  await page.getByLabel('Client secret', { exact: true }).fill(shopify.keys.clientSecret)
  await page.getByRole('button', { name: 'Connect Store' }).click()
  await page.getByRole('heading', { level: 1, name: 'Fern & Finch is connected' }).waitFor()
  await checkInEveryTheme(page, 'another-store-connected')
  await page.getByRole('button', { name: 'Go to the dashboard' }).click()
  await page.waitForURL('**/dashboard')
  await switcher().getByText('Fern & Finch').waitFor()
  await openMenu()
  await page.locator('[role=menuitem][aria-current=true]').getByText('Shopify').waitFor()
  await page.getByRole('menuitem', { name: /WooCommerce/ }).click()
  await switcher().getByText('Maple & Clay').waitFor()
})

test('whoever may not connect stores is offered none, and sees why on the page', async () => {
  await page.route('**/api/auth/me', async (route) => {
    const answer = (await (await route.fetch()).json()) as { user: object }
    await route.fulfill({ json: { ...answer, user: { ...answer.user, role: 'viewer' } } })
  })
  await page.goto(`${instance.url}/settings`)
  await page.getByRole('heading', { name: 'Store Connection' }).waitFor()
  await page.getByRole('link', { name: 'Connect another store' }).waitFor({ state: 'detached' })
  await switcher().click()
  await page.getByRole('menuitem', { name: /Shopify/ }).waitFor()
  expect(await page.getByRole('menuitem', { name: 'Connect another store' }).count()).toBe(0)
  await page.goto(`${instance.url}/store-setup?another=store`)
  await page.getByText('Only the owner or an admin of the account can connect a store.').waitFor()
  expect(await page.getByRole('button', { name: 'Connect Store' }).isDisabled()).toBe(true)
  await page.unroute('**/api/auth/me')
})
