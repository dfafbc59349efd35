import { describe, expect, test } from 'vitest'
import {
  getTypedProblemMessage,
  getTypedProblemText,
  STORE_PROBLEM_TEXT,
  type StoreProblemCode,
} from '../shared/access/store-problems.ts'
import { checkConnection, connectStore, type StoreView, storeTexts, switchStore } from '../shared/access/stores.ts'
import { readUsage } from '../shared/billing/billing.ts'
import { type buildUser, openFresh, serveNoStore, serveUser } from './account-scene.ts'
import { fixture } from './api.ts'
import { createScreens } from './app.ts'

const app = createScreens()
const { api } = app

const woo: StoreView = { ...fixture(checkConnection).store!, isDemo: false }
const fern: StoreView = {
  ...woo,
  id: '00000000-0000-4000-8000-0000000000fe',
  platform: 'shopify',
  version: '2026-10',
  name: 'Fern & Finch',
  store_url: 'https://fern-and-finch.myshopify.com',
  rights: {
    scopes: ['read_orders'],
    missingScopes: [],
    protectedData: 'full',
    hasAllOrders: true,
    planName: 'Grow',
    isPasswordProtected: false,
  },
}
const toListedStore = ({ id, store_url, platform, name, currency }: StoreView) => ({
  id,
  storeUrl: store_url,
  platform,
  name,
  currency,
  isActive: true,
})
const buildConnectReply = (store: StoreView, warnings: string[] = []) => ({
  status: 'success' as const,
  success: true as const,
  message: 'Connected.',
  warnings,
  store,
})

/** An account with these stores, showing the first. */
function serveStores(stores: StoreView[], changes: Parameters<typeof buildUser>[0] = {}) {
  serveUser(api, { stores: stores.map(toListedStore), ...changes })
  const [store] = stores
  const { platform, store_url } = store!
  api.answer(checkConnection, { hasConnection: true, platform, store_url, store: store! })
}

const findSwitcher = () => app.page.getByRole('button', { name: /^Store menu/ })
const findItems = () => app.page.getByRole('menuitem').filter({ hasNotText: /^(Sync now|Pause all sending)/ })

async function openMenu() {
  await findSwitcher().click()
  await findItems().first().waitFor()
}

async function chooseShopify() {
  await app.page.getByRole('combobox', { name: 'Platform' }).click()
  await app.page.getByRole('option', { name: 'Shopify' }).click()
}

/** The segmented control of that name selects the form. */
const field = (name: 'client_id' | 'client_secret' | 'access_token' | 'api_secret') =>
  app.page.locator(`[data-path=${name}]`)

const connect = () => app.page.getByRole('button', { name: 'Connect Store' }).click()

describe('another store', () => {
  test('is offered in the store menu, and the store limit is shown before the form is filled in', async () => {
    serveStores([woo])
    const problem = 'Your plan (Lite) includes 1 store. Upgrade your plan, or disconnect a store first.'
    api.alter(readUsage, (usage) => ({ ...usage, stores: { used: 1, limit: 1, problem, canAdd: false } }))
    const page = await app.open('/carts')
    await openMenu()
    // With one store there is no choice of all stores.
    await expect
      .poll(() => findItems().allInnerTexts())
      .toEqual([expect.stringContaining('maple-clay.example'), 'Connect another store'])
    await findItems().last().click()
    await page.getByRole('heading', { level: 1, name: 'Connect another store' }).waitFor()
    await page.getByText('Your plan’s store limit is reached').waitFor()
    await page.getByText(problem).waitFor()
    await expect.poll(() => page.getByRole('textbox').count()).toBe(0)
    await expect.poll(() => page.getByRole('link', { name: 'See plans' }).getAttribute('href')).toBe('/pricing')
    await expect.poll(() => page.getByRole('link', { name: 'Add an extra store' }).count()).toBe(0)
    await page.getByRole('main').getByRole('link', { name: 'Back' }).click()
    await page.waitForURL('**/carts')
    await page.getByRole('heading', { level: 1, name: 'Abandoned Carts' }).waitFor()
  })

  test('is connected from the settings and then shown, and a refused form keeps its input', async () => {
    serveStores([woo])
    const page = await app.open('/settings')
    await page.getByRole('link', { name: 'Connect another store' }).click()
    await page.getByText('Your connected stores stay as they are.').waitFor()
    await page.getByRole('banner').getByRole('link', { name: 'Back' }).click()
    await page.waitForURL('**/settings')
    await page.getByRole('link', { name: 'Connect another store' }).click()
    await chooseShopify()
    await page.getByRole('textbox', { name: 'Store URL' }).fill('fern-and-finch')
    await field('client_id').fill('of-the-app')
    await field('client_secret').fill('shpss_wrong')
    api.fail(connectStore, 401, { error: getTypedProblemMessage('shopify_secret_wrong'), code: 'store_credentials' })
    await connect()
    await page.getByText('Shopify does not accept this client ID with this client secret.').waitFor()
    await expect.poll(() => field('client_id').inputValue()).toBe('of-the-app')
    await field('client_secret').fill('shpss_right')
    api.answer(connectStore, () => {
      serveStores([fern, woo])
      return buildConnectReply(fern)
    })
    await connect()
    await page.getByRole('heading', { level: 1, name: 'Fern & Finch is connected' }).waitFor()
    await page.getByRole('button', { name: 'Go to the dashboard' }).click()
    await page.waitForURL('**/dashboard')
    await findSwitcher().getByText('Fern & Finch').waitFor()
    await openMenu()
    await page.locator('[role=menuitem][aria-current=true]').getByText('Shopify').waitFor()
    await expect
      .poll(() => api.calls(connectStore).at(-1)!.sent.body)
      .toEqual({
        platform: 'shopify',
        store_url: 'fern-and-finch',
        client_id: 'of-the-app',
        client_secret: 'shpss_right',
      })
  })

  test('is not offered to members without permission, and its page explains why', async () => {
    serveStores([fern, woo], { role: 'viewer' })
    const page = await app.open('/settings')
    await page.getByRole('heading', { name: 'Store Connection' }).waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'Connect another store' }).count()).toBe(0)
    await openMenu()
    await page.getByRole('menuitem', { name: /Shopify/ }).waitFor()
    await expect.poll(() => page.getByRole('menuitem', { name: 'Connect another store' }).count()).toBe(0)
    await app.open('/store-setup?another=store')
    await page.getByText('Only the owner or an admin of the account can connect a store.').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Connect Store' }).isDisabled()).toBe(true)
  })

  test('is the only reason to see the set-up with a store', { tags: ['A3'] }, async () => {
    serveStores([woo])
    await app.go('/store-setup')
    await app.page.waitForURL('**/dashboard')
  })
})

describe('of two stores', () => {
  const serveSwitch = () =>
    api.answer(switchStore, ({ body }) => {
      const store = [woo, fern].find(({ id }) => id === body.storeId)!
      serveStores([store, ...[woo, fern].filter((each) => each !== store)])
      return { success: true as const, store }
    })

  test('the store chosen in the menu is shown', async () => {
    serveStores([fern, woo])
    serveSwitch()
    await app.open('/carts')
    await openMenu()
    await app.page.getByRole('menuitem', { name: /WooCommerce/ }).click()
    await findSwitcher().getByText('Maple & Clay').waitFor()
    await expect.poll(() => api.calls(switchStore).map(({ body }) => body)).toEqual([{ storeId: woo.id }])
  })

  test('a late reply about the previous one does not bring it back', async () => {
    serveStores([fern, woo])
    serveSwitch()
    const page = await app.open('/settings/capture-script')
    await page.getByRole('button', { name: 'Check now' }).waitFor()
    const requestsBefore = api.calls(checkConnection).length
    const late = api.hold(checkConnection)
    // Clicked by script: after a live refetch the button may wait for that reply.
    await page.getByRole('button', { name: 'Check now' }).dispatchEvent('click')
    await expect.poll(() => api.calls(checkConnection).length).toBeGreaterThan(requestsBefore)
    await openMenu()
    await page.getByRole('menuitem', { name: /WooCommerce/ }).click()
    await findSwitcher().getByText('Maple & Clay').waitFor()
    late.release()
    await app.waitUntilSettled()
    await expect.poll(() => findSwitcher().innerText()).toContain('Maple & Clay')
    await expect.poll(() => page.evaluate(() => localStorage.getItem('storeUrl'))).toBe(woo.store_url)
  })
})

describe('a Shopify store', () => {
  async function openForm() {
    serveNoStore(api)
    await openFresh(app, '/store-setup')
    await chooseShopify()
    await app.page.getByRole('textbox', { name: 'Store URL' }).fill('fern-and-finch.myshopify.com')
  }

  test('requires the fields of the selected form', async () => {
    await openForm()
    const { page } = app
    await connect()
    await page.getByText(storeTexts.clientRequired).nth(1).waitFor()
    await page.getByText('Access token', { exact: true }).click()
    // The help changes with the form.
    await page.getByText(/press Reveal token once/).waitFor()
    await expect.poll(() => page.getByText(storeTexts.clientRequired).count()).toBe(0)
    await connect()
    await page.getByText('Access token is required for Shopify').waitFor()
    await page.getByText('API secret key is required for Shopify').waitFor()
    api.fail(connectStore, 401, { error: getTypedProblemMessage('shopify_token_revoked'), code: 'store_credentials' })
    await field('access_token').fill('shpat_0')
    await field('api_secret').fill('shpss_0')
    await connect()
    await page.getByText(getTypedProblemText('shopify_token_revoked').nextStep).waitFor()
    await expect
      .poll(() => api.calls(connectStore).at(-1)!.sent.body)
      .toEqual({
        platform: 'shopify',
        store_url: 'fern-and-finch.myshopify.com',
        access_token: 'shpat_0',
        api_secret: 'shpss_0',
      })
  })

  test('lists every problem, with the next step', async () => {
    await openForm()
    await field('client_id').fill('of-the-app')
    await field('client_secret').fill('shpss_0')
    const codes: StoreProblemCode[] = [
      ...(['shopify_app_not_installed', 'shopify_wrong_organization', 'shopify_store_frozen'] as const),
      ...(['shopify_store_paused', 'shopify_wrong_shop', 'shopify_secret_wrong'] as const),
    ]
    for (const code of codes) {
      api.fail(connectStore, 422, { error: getTypedProblemMessage(code) })
      await connect()
      const { sentence, nextStep } = getTypedProblemText(code)
      const alert = app.page.getByRole('alert').filter({ hasText: sentence })
      await alert.getByText(nextStep).waitFor()
    }
  })

  test('is connected with its missing permissions shown', async () => {
    await openForm()
    const warnings = [
      'The app lacks access scopes that Recoup needs. Missing: write_discounts.',
      ...(['shopify_protected_data', 'shopify_password_page'] as const).map(
        (code) => STORE_PROBLEM_TEXT[code].sentence,
      ),
    ]
    const rights = { ...fern.rights!, hasAllOrders: false, planName: 'Basic' }
    api.answer(connectStore, buildConnectReply({ ...fern, canWrite: false, rights }, warnings))
    await field('client_id').fill('of-the-app')
    await field('client_secret').fill('shpss_0')
    await connect()
    for (const warning of warnings) await app.page.getByText(warning).waitFor()
    await app.page.getByText('Last 60 days').waitFor()
    await app.page.getByText('Recoup cannot create them').waitFor()
  })

  test('has its script pasted into the theme', async () => {
    serveStores([fern])
    const page = await app.open('/settings/capture-script')
    await page.getByText('Open layout/theme.liquid.').waitFor()
    await expect.poll(() => page.getByRole('main').innerText()).not.toMatch(/WordPress|WooCommerce|plugin/i)
    await expect.poll(() => page.locator('.snippet').first().innerText()).toContain(`${fern.captureKey}.theme.js`)
  })
})
