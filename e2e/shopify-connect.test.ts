import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { allScopes, type ShopifyStore } from '../demo/shopify/store.ts'
import { type DemoStore, startDemoStore } from '../demo/store/store.ts'
import { STORE_PROBLEM_TEXT, type StoreProblemCode, typedProblemText } from '../shared/store-problems.ts'
import { openShopify } from '../test/contract-servers/shopify.ts'
import { type AppInstance, anAppInstance } from './app-instance.ts'
import { openBrowser } from './browser.ts'
import { checkInEveryTheme } from './every-theme.ts'
import { anOwnerWithoutStore, KEYS } from './owner.ts'

// Connecting a Shopify store on its screen, by both kinds of credentials, and everything that can be in the way (decision 113).

let instance: AppInstance
let shopify: ShopifyStore
let woo: DemoStore
let browser: Browser
let page: Page
let owner: Awaited<ReturnType<typeof anOwnerWithoutStore>>

beforeAll(async () => {
  woo = await startDemoStore({ port: 0, dataFile: ':memory:', ...KEYS })
  shopify = await openShopify({ pastDays: 20 })
  instance = await anAppInstance({ DEMO: 'off' })
  browser = await openBrowser()
  page = await browser.newPage()
  owner = await anOwnerWithoutStore(instance, page)
  await owner.ask('POST', '/api/subscribe/manual-update', { planKey: 'growth' })
})

afterAll(async () => {
  await browser?.close()
  await instance?.stop()
  await shopify?.stop()
  await woo?.stop()
})

beforeEach(() => {
  const { controls } = shopify
  controls.setState('open')
  controls.setPlan('grow')
  controls.setOwner(true)
  controls.install()
  controls.setScopes(allScopes)
  controls.setProtectedData(['name', 'email', 'phone', 'address'])
  controls.setPassword(null)
})

async function openForm(store = shopify): Promise<void> {
  await page.goto(`${instance.url}/store-setup`)
  await page.getByRole('combobox', { name: 'Platform' }).click()
  await page.getByRole('option', { name: 'Shopify' }).click()
  await page.getByRole('textbox', { name: 'Store URL' }).fill(store.url)
}

async function connectByApp(keys = shopify.keys): Promise<void> {
  await openForm()
  await fillApp(keys)
}

async function fillApp(keys: ShopifyStore['keys']): Promise<void> {
  await page.locator('[data-path=client_id]').fill(keys.clientId)
  await page.locator('[data-path=client_secret]').fill(keys.clientSecret)
  await page.getByRole('button', { name: 'Connect Store' }).locator('visible=true').click()
}

const says = async (code: StoreProblemCode) => {
  const { sentence, nextStep } = typedProblemText(code)
  await page.getByText(sentence).locator('visible=true').first().waitFor()
  await page.getByText(nextStep).locator('visible=true').first().waitFor()
}

test('both forms look right in every theme, wide and on a phone', async () => {
  await openForm()
  await checkInEveryTheme(page, 'shopify-app-form')
  await page.getByText('Access token', { exact: true }).click()
  await page.locator('[data-path=access_token]').waitFor()
  await checkInEveryTheme(page, 'shopify-token-form')
  await page.getByRole('button', { name: 'Connect Store' }).locator('visible=true').click()
  await page.getByText('Access token is required for Shopify').waitFor()
  await page.getByText('API secret key is required for Shopify').waitFor()
  await page.getByText('Client ID and secret', { exact: true }).click()
  await page.getByRole('button', { name: 'Connect Store' }).locator('visible=true').click()
  await page.getByText('Client ID and client secret are required for Shopify').nth(1).waitFor()
})

describe('what is in the way is said, with what to do about it', () => {
  const refusals: [string, StoreProblemCode, () => void][] = [
    ['an app that is not installed', 'shopify_app_not_installed', () => shopify.controls.uninstall()],
    ['an app of another organization', 'shopify_wrong_organization', () => shopify.controls.setOwner(false)],
    ['a frozen store', 'shopify_store_frozen', () => shopify.controls.setState('frozen')],
    ['a paused store', 'shopify_store_paused', () => shopify.controls.setState('locked')],
    ['a name that no store has', 'shopify_wrong_shop', () => shopify.controls.setState('missing')],
  ]
  test.each(refusals)('%s', async (_name, code, prepare) => {
    prepare()
    await connectByApp()
    await says(code)
  })

  test('another secret', async () => {
    await connectByApp({ ...shopify.keys, clientSecret: 'shpss_00000000000000000000000000000000' })
    await says('shopify_secret_wrong')
  })

  test('a token that Shopify does not know', async () => {
    await openForm()
    await page.getByText('Access token', { exact: true }).click()
    // The help goes with the form.
    await page.getByText(/press Reveal token once/).waitFor()
    await page.locator('[data-path=access_token]').fill('shpat_00000000000000000000000000000000')
    await page.locator('[data-path=api_secret]').fill(shopify.keys.clientSecret)
    await page.getByRole('button', { name: 'Connect Store' }).locator('visible=true').click()
    await says('shopify_token_revoked')
  })
})

test('it is connected by client id and secret beside the WooCommerce store, and its past is read', async () => {
  await connectByApp()
  await page.getByText('Fern & Finch').first().waitFor()
  await owner.connect(woo)
  await page.goto(`${instance.url}/dashboard`)
  await page.getByRole('button', { name: 'Switch store' }).click()
  await page.getByRole('menuitem', { name: /WooCommerce/ }).waitFor()
  await page.getByRole('menuitem', { name: /Shopify/ }).click()
  await page.getByRole('button', { name: 'Switch store' }).getByText('Fern & Finch').waitFor()
  await page.goto(`${instance.url}/carts`)
  const hasRows = async () => {
    await page.reload()
    const sixth = page.getByRole('row').nth(5)
    return sixth.waitFor({ timeout: 8_000 }).then(
      () => true,
      () => false,
    )
  }
  // The import is a job behind others.
  await expect.poll(hasRows, { timeout: 200_000, interval: 500 }).toBe(true)
  expect(shopify.faults.told.flatMap(({ codes }) => codes)).not.toContain('NOT_MODELLED')
}, 240_000)

test('what does not keep a store from being connected is said once it is', async () => {
  const weak = await openShopify({
    plan: 'basic',
    app: { scopes: ['read_orders', 'read_customers', 'read_products'] },
  })
  weak.controls.setPassword('moss')
  page = await (await browser.newContext()).newPage()
  await anOwnerWithoutStore(instance, page, 'wanda@owners.example')
  await openForm(weak)
  await fillApp(weak.keys)
  await page.getByText('Missing: write_discounts.').waitFor()
  await page.getByText('the orders of the last 60 days only').waitFor()
  for (const code of ['shopify_protected_data', 'shopify_password_page'] as const) {
    await page.getByText(STORE_PROBLEM_TEXT[code].sentence).waitFor()
  }
  await weak.stop()
})
