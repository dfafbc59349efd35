import type { Locator } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { checkConnection, connectStore, disconnectStore, storeTexts } from '../shared/access/stores.ts'
import { readStoredConnection, setAccess } from './access-scene.ts'
import { fixture } from './api.ts'
import { createScreens } from './app.ts'

// Disconnecting a store, and connecting the first or another one (A 2.4, 2.8, 4.4).

const app = createScreens()
// The demo's own account cannot disconnect its store.
beforeEach(() => setAccess(app, {}))

const findButton = (name: string) => app.page.getByRole('button', { name, exact: true })
const confirm = (name: string) => app.page.getByRole('dialog').getByRole('button', { name, exact: true })

/** The icon before a sentence, and its colour. */
const readIconBeside = (sentence: Locator) =>
  sentence.locator('xpath=preceding-sibling::*[1]').evaluate((icon) => {
    const [red = 0, green = 0, blue = 0] = getComputedStyle(icon).stroke.match(/\d+/g)!.map(Number)
    const colour = red > 1.4 * Math.max(green, blue) ? 'red' : green > 1.4 * Math.max(red, blue) ? 'green' : 'other'
    return [/tabler-icon-([a-z-]+)/.exec(icon.getAttribute('class')!)?.[1], colour]
  })

test('“Disconnect Store” shows a failure and stays on the page', {
  tags: ['A2.1', 'A2.8', 'A4.4', 'A5', 'A8'],
}, async () => {
  app.api.fail(disconnectStore, 500, { error: 'x' })
  await app.open('/settings')
  await app.page.getByRole('heading', { name: 'Store Connection' }).waitFor()
  const connected = app.page.getByText(`Connected to ${fixture(checkConnection).store_url}`).first()
  await expect.poll(() => readIconBeside(connected)).toEqual(['circle-check', 'green'])
  await findButton('Connect to Different Store').waitFor()
  const stored = await readStoredConnection(app.page)
  await findButton('Disconnect Store').click()
  await confirm('Disconnect Store').click()
  await app.page.getByRole('dialog').getByText(storeTexts.disconnectFailed).waitFor()
  await confirm('Cancel').click()
  await app.waitUntilSettled()
  await expect.poll(() => new URL(app.page.url()).pathname).toBe('/settings')
  await expect.poll(() => readStoredConnection(app.page)).toEqual(stored)
  // Reopening the dialog clears the error.
  await findButton('Disconnect Store').click()
  await confirm('Disconnect Store').waitFor()
  await expect.poll(() => app.page.getByText(storeTexts.disconnectFailed).count()).toBe(0)
})

test('“Disconnect Store” forgets the store and opens the set-up', { tags: ['A2.8', 'A4.4'] }, async () => {
  await app.open('/settings')
  await findButton('Disconnect Store').click()
  app.api.answer(disconnectStore, () => {
    setAccess(app, { isConnected: false })
    return { success: true as const, message: 'Disconnected.', cancelled: 0 }
  })
  await confirm('Disconnect Store').click()
  await app.page.waitForURL('**/store-setup')
  await findButton('Connect Store').waitFor()
  await expect.poll(() => app.api.calls(disconnectStore).length).toBe(1)
  await expect.poll(() => readStoredConnection(app.page)).toEqual([])
})

test('“Connect to Different Store” continues if the store cannot be disconnected, and stays on the set-up', {
  tags: ['A2.8', 'A4.4'],
}, async () => {
  app.api.fail(disconnectStore, 500, { error: 'x' })
  const staysAtSetUp = async () => {
    await app.page.getByRole('alert').getByText(storeTexts.disconnectFailed).waitFor()
    await app.page.getByRole('heading', { level: 1, name: 'Connect your store' }).waitFor()
    await app.waitUntilSettled()
    await expect.poll(() => new URL(app.page.url()).pathname).toBe('/store-setup')
    await expect.poll(() => readStoredConnection(app.page)).toEqual([])
  }
  await app.open('/settings')
  await findButton('Connect to Different Store').click()
  await confirm('Disconnect and continue').click()
  await app.page.waitForURL('**/store-setup*')
  // The server still has the store connected.
  const before = app.api.calls(checkConnection).length
  await staysAtSetUp()
  await expect.poll(() => app.api.calls(checkConnection).length).toBeGreaterThan(before - 1)
  app.live.changed('settings')
  await staysAtSetUp()
  await app.page.reload()
  await staysAtSetUp()
  await expect.poll(() => findButton('Connect Store').isEnabled()).toBe(true)
  expect(await app.findViolations()).toEqual([])
  // Once the server has disconnected it, nothing is left to report.
  app.api.answer(disconnectStore, () => {
    setAccess(app, { isConnected: false })
    return { success: true as const, message: 'Disconnected.', cancelled: 0 }
  })
  await findButton('Disconnect Store').click()
  await app.page.getByRole('alert').waitFor({ state: 'detached' })
  await findButton('Connect Store').waitFor()
  await expect.poll(() => new URL(app.page.url()).search).toBe('')
})

test('without a store, settings and set-up link to connecting one', { tags: ['A2.4', 'A2.8', 'A4.4'] }, async () => {
  setAccess(app, { isConnected: false })
  await app.open('/settings')
  const missing = app.page.getByText('Not connected to any store')
  await missing.waitFor()
  await expect.poll(() => readIconBeside(missing)).toEqual(['circle-x', 'red'])
  await expect
    .poll(() => app.page.getByRole('link', { name: 'Connect Store' }).getAttribute('href'))
    .toBe('/store-setup')
  await expect.poll(() => readStoredConnection(app.page)).toEqual([])
  await app.page.getByRole('link', { name: 'Connect Store' }).click()
  await app.page.getByRole('heading', { name: 'How to get your keys' }).waitFor()
  await app.page.getByRole('combobox', { name: 'Platform' }).click()
  await expect.poll(() => app.page.getByRole('option').allInnerTexts()).toEqual(['WooCommerce', 'Shopify'])
})

test('a failed connection shows the reason under its heading', {
  tags: ['A2.1', 'A2.4', 'A4.1', 'A5', 'A8'],
}, async () => {
  setAccess(app, { plan: 'free', isConnected: false })
  app.api.fail(connectStore, 500, { error: 'x' })
  await app.open('/store-setup')
  await findButton('Connect Store').click()
  await app.page.getByText(storeTexts.urlRequired).waitFor()
  await app.page.getByText(storeTexts.keysRequired).first().waitFor()
  expect(app.api.calls(connectStore)).toEqual([])
  await app.page.getByLabel('Store URL').fill('shop.example')
  await app.page.getByLabel('Consumer key').fill('ck_1')
  await app.page.getByLabel('Consumer secret').fill('cs_1')
  await findButton('Connect Store').click()
  await app.page.getByText('Connection failed', { exact: true }).waitFor()
  await app.page.getByText(storeTexts.connectFailed).waitFor()
})
