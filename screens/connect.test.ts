import { expect, test } from 'vitest'
import {
  checkConnection,
  connectStore,
  examineStore,
  replaceKeys,
  storeHealth,
  storeTexts,
} from '../shared/access/stores.ts'
import { readMailServer } from '../shared/delivery/mail-server.ts'
import { readBrand } from '../shared/workspace/brand-calls.ts'
import { listNotifications } from '../shared/workspace/notification-calls.ts'
import { openFresh, serveNoPlan, serveNoStore, serveUser } from './account-scene.ts'
import { fixture } from './api.ts'
import { createScreens } from './app.ts'
import { checkLayout } from './page-checks.ts'

const app = createScreens()
const { api } = app

const KEY = `ck_${'c'.repeat(40)}`
const SECRET = `cs_${'d'.repeat(40)}`
const store = { ...fixture(checkConnection).store!, isDemo: false }
const REFUSED = 'The consumer secret does not belong to this consumer key.'

/** The account's store is not the demo's. */
function serveStore(changes: Partial<typeof store> = {}) {
  serveUser(api)
  api.alter(checkConnection, (reply) => ({ ...reply, store: { ...store, ...changes } }))
}

test('the WooCommerce form marks missing fields, swaps keys, and keeps its input after a refusal', {
  tags: ['A2.4'],
}, async () => {
  serveNoStore(api)
  await openFresh(app, '/store-setup')
  const { page } = app
  const connect = page.getByRole('button', { name: 'Connect Store' })
  await connect.click()
  await page.getByText(storeTexts.urlRequired).waitFor()
  await page.getByText(storeTexts.keysRequired).nth(1).waitFor()
  await page.getByLabel('Store URL').fill(' http://localhost:8080/ ')
  await page.getByLabel('Consumer key').fill(SECRET)
  await page.getByLabel('Consumer secret').fill(KEY)
  await page.getByRole('button', { name: 'Swap key and secret' }).click()
  api.fail(connectStore, 401, { error: REFUSED, code: 'store_credentials', fields: { consumer_secret: REFUSED } })
  await connect.click()
  await page.getByText(REFUSED).first().waitFor()
  await expect.poll(() => page.getByLabel('Consumer key').inputValue()).toBe(KEY)
  const warning = 'The key is read-only, so coupons cannot be created.'
  const connected = {
    status: 'success' as const,
    success: true as const,
    message: 'Connected.',
    warnings: [warning],
  }
  api.answer(connectStore, { ...connected, store })
  await page.getByLabel('Consumer secret').fill(SECRET)
  await connect.click()
  await page.getByRole('heading', { level: 1, name: 'Maple & Clay is connected' }).waitFor()
  await page.getByText(warning).waitFor()
  await expect
    .poll(() => api.calls(connectStore).at(-1)!.sent.body)
    .toEqual({
      ...{ platform: 'woocommerce', store_url: 'http://localhost:8080/', consumer_key: KEY, consumer_secret: SECRET },
    })
  // The guard learns of the store only now.
  serveStore()
  await page.getByRole('button', { name: 'Go to the dashboard' }).click()
  await page.waitForURL('**/dashboard')
})

test('the connected screen shows what the import has found so far', async () => {
  serveNoStore(api)
  await openFresh(app, '/store-setup')
  const page = app.page
  await page.getByLabel('Store URL').fill('http://localhost:8080/')
  await page.getByLabel('Consumer key').fill(KEY)
  await page.getByLabel('Consumer secret').fill(SECRET)
  const connected = { status: 'success' as const, success: true as const, message: 'Connected.', warnings: [] }
  api.answer(connectStore, { ...connected, store })
  const logo = { path: '/logo.svg', width: 96, height: 32 }
  api.answer(readBrand, { ...fixture(readBrand), logo: null, proposal: { source: 'site_logo', logo, hash: 'a' } })
  api.answer(storeHealth, { ...fixture(storeHealth), counts: { orders: 1_175, customers: 0, products: 17 } })
  await page.getByRole('button', { name: 'Connect Store' }).click()
  const found = page.getByRole('region', { name: 'Found so far' })
  await found.getByText('1,175').waitFor()
  await expect.poll(() => found.locator('dt').allInnerTexts()).toEqual(['Orders', 'Products'])
  await found.getByRole('img', { name: 'Logo found in your store' }).waitFor()
})

test('after the plugin was removed, set-up and settings explain it and the notifications open', async () => {
  const at = '2026-11-28T20:00:00.000Z'
  serveNoStore(api)
  api.answer(checkConnection, {
    hasConnection: false,
    platform: null,
    store_url: null,
    store: null,
    ended: {
      id: store.id,
      platform: 'woocommerce',
      store_url: store.store_url,
      name: store.name,
      by: 'uninstall',
      at,
      keptUntil: '2026-12-28T20:00:00.000Z',
    },
  })
  await openFresh(app, '/dashboard')
  const { page } = app
  const title = page.getByText('The Recoup plugin was removed from Maple & Clay')
  await page.waitForURL('**/store-setup')
  await title.waitFor()
  await checkLayout(app)
  await page.getByRole('link', { name: 'Settings' }).click()
  await title.waitFor()
  await page.getByRole('link', { name: 'Open its notifications' }).click()
  await page.waitForURL('**/notifications')
  await page.getByRole('region', { name: 'List of notifications' }).getByRole('listitem').first().waitFor()
  await expect.poll(() => api.calls(listNotifications)[0]!.sent.query).toMatchObject({ storeId: store.id })
})

test('an account without a plan must choose one before connecting a store', { tags: ['A3'] }, async () => {
  serveNoPlan(api)
  await openFresh(app, '/store-setup')
  await app.page.getByRole('heading', { level: 1, name: 'Subscription Required' }).waitFor()
  await expect.poll(() => app.page.getByRole('link', { name: 'Choose a Plan' }).getAttribute('href')).toBe('/pricing')
  await expect.poll(() => app.page.getByRole('textbox').count()).toBe(0)
})

test('the first steps link to the script’s install methods, which show whether it was seen', async () => {
  serveStore()
  api.alter(readMailServer, (view) => ({ ...view, isFixed: false }))
  const page = await app.open('/dashboard')
  await page.getByRole('link', { name: 'Install the tracking script' }).click()
  await page.waitForURL('**/settings/capture-script')
  for (const way of ['A plugin for header scripts', 'A classic theme', 'A block theme']) {
    const section = page.getByRole('region', { name: way })
    await section.waitFor()
    await expect.poll(() => section.getByRole('listitem').count()).toBe(4)
    await section.getByRole('img', { name: /^Drawing of/ }).waitFor()
  }
  const tabs = page.getByRole('navigation', { name: 'Settings' })
  await expect.poll(() => tabs.locator('[aria-current=page]').innerText()).toBe('Store')
  await expect
    .poll(() => page.locator('.snippet').first().innerText())
    .toContain(`${app.url}/capture/${store.captureKey}.js`)
  const check = page.getByRole('button', { name: 'Check now' })
  await check.click()
  await page.getByText('No report from the script yet.').waitFor()
  serveStore({ captureSeenAt: '2026-11-28T22:40:00.000Z' })
  await check.click()
  await page.getByText('The script is on your pages.').waitFor()
  api.cut(checkConnection)
  await check.click()
  await page.getByText('Recoup could not be reached.').waitFor()
})

test('keys the store rejects are replaced from the doctor’s finding, once the new ones work', {
  tags: ['A8'],
}, async () => {
  serveStore()
  const { at, checks } = fixture(examineStore)
  const withKeys = (changes: object) => ({
    at,
    checks: checks.map((check) => (check.id === 'keys' ? { ...check, ...changes } : check)),
  })
  const finding = 'The store does not recognize this consumer key.'
  api.answer(examineStore, withKeys({ state: 'bad', finding }))
  const page = await app.open('/settings')
  const doctor = page.getByRole('region', { name: 'Connection doctor' })
  await doctor.getByText(finding).waitFor()
  await doctor.getByText(/^1 problem, 2 need attention\./).waitFor()
  await doctor.getByRole('button', { name: 'Replace keys' }).click()
  const dialog = page.getByRole('dialog', { name: 'Replace keys' })
  await dialog.getByLabel('Consumer key').fill(SECRET)
  await dialog.getByLabel('Consumer secret').fill(KEY)
  await dialog.getByRole('button', { name: 'Swap key and secret' }).click()
  await expect.poll(() => dialog.getByLabel('Consumer key').inputValue()).toBe(KEY)
  api.fail(replaceKeys, 401, { error: REFUSED, code: 'store_credentials' })
  await dialog.getByRole('button', { name: 'Check and replace' }).click()
  await dialog.getByRole('alert').getByText(REFUSED).waitFor()
  api.answer(replaceKeys, () => {
    api.answer(examineStore, withKeys({}))
    return { success: true as const, message: 'The keys of Maple & Clay are replaced.', warnings: [], store }
  })
  await dialog.getByRole('button', { name: 'Check and replace' }).press('Enter')
  await dialog.waitFor({ state: 'hidden' })
  await page.getByText('The keys of Maple & Clay are replaced.').waitFor()
  await doctor.getByText('The store knows the key and accepts its secret.').waitFor()
  await expect
    .poll(() => api.calls(replaceKeys).at(-1))
    .toMatchObject({
      query: { storeId: store.id },
      body: { consumer_key: KEY, consumer_secret: SECRET },
    })
})
