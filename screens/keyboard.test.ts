import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { isFocused, pressTabTo } from '../e2e/keys.ts'
import { logout, me } from '../shared/access/auth.ts'
import { checkConnection, saveStoreSettings } from '../shared/access/stores.ts'
import { previewMessage } from '../shared/marketing/message-preview.ts'
import { samplePreview, stubLandingPage } from './access-scene.ts'
import { fixture } from './api.ts'
import { createScreens } from './app.ts'

// Screens by keyboard alone: every stop is reachable and shows the focus. Signing up and in: e2e/front-door.test.ts.

const app = createScreens()
const press = (key: string) => app.page.keyboard.press(key)
const main = () => app.page.getByRole('main')
const section = (name: string) =>
  app.page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name, exact: true })
const readActiveText = () => app.page.evaluate(() => document.activeElement?.textContent?.trim())

/** Escape closes what a focused button opens, and returns the focus to the button. */
async function opensAndCloses(button: Locator, role: 'dialog' | 'menu'): Promise<void> {
  await press('Enter')
  const opened = app.page.getByRole(role)
  await opened.waitFor()
  await expect.poll(() => opened.evaluate((element) => element.contains(document.activeElement))).toBe(true)
  if (role === 'menu') await press('ArrowDown')
  await press('Escape')
  await opened.waitFor({ state: 'hidden' })
  await expect.poll(() => isFocused(button)).toBe(true)
}

test('the dashboard and a cart are used by keyboard alone', { tags: ['A2.3'] }, async () => {
  await app.open('/dashboard')
  await app.page.getByRole('img', { name: /^Cart recovery/ }).waitFor()
  // The first stop is the skip link.
  await press('Tab')
  await expect.poll(() => readActiveText()).toBe('Skip to content')
  await press('Enter')
  await pressTabTo(app.page.getByLabel('Period'))
  await press('End')
  await app.page.getByRole('img', { name: /Last 30 Days/ }).waitFor()
  await pressTabTo(app.page.getByRole('button', { name: 'Line chart' }))
  await press('Enter')
  await app.page.locator('canvas[data-type=line]').waitFor()
  await pressTabTo(app.page.locator('.recent-cart').first())
  await press('Enter')
  await app.page.waitForURL('**/carts/*')
  const why = main().getByRole('button', { name: 'Why?' }).first()
  await pressTabTo(why)
  await press('Enter')
  await expect.poll(() => why.getAttribute('aria-expanded')).toBe('true')
})

test('carts are selected, and bulk dialog and row menu opened and closed, by keyboard alone', async () => {
  app.api.answer(previewMessage, samplePreview)
  await app.open('/carts')
  const boxes = main().getByRole('row').getByRole('checkbox')
  for (const place of [1, 2]) {
    await pressTabTo(boxes.nth(place))
    await press('Space')
    await expect.poll(() => boxes.nth(place).isChecked()).toBe(true)
  }
  await pressTabTo(app.page.getByLabel('Bulk action'), 'Shift+Tab')
  await press('ArrowDown')
  const apply = app.page.getByRole('button', { name: 'Apply' })
  await pressTabTo(apply)
  await opensAndCloses(apply, 'dialog')
  const more = main().getByRole('button', { name: /^More/ }).first()
  await pressTabTo(more)
  await opensAndCloses(more, 'menu')
})

test('settings are changed, a theme chosen, and the session ended by keyboard alone', async () => {
  await stubLandingPage(app)
  app.api.alter(me, ({ user }) => ({ user: { ...user, isDemo: false } }))
  app.api.answer(logout, { success: true })
  app.api.answer(saveStoreSettings, { store: { ...fixture(checkConnection).store!, capMessages: 6 } })
  await app.open('/settings')
  const disconnect = app.page.getByRole('button', { name: 'Disconnect Store' })
  await pressTabTo(disconnect)
  await opensAndCloses(disconnect, 'dialog')
  await pressTabTo(section('Settings'), 'Shift+Tab')
  const tabs = app.page.getByRole('navigation', { name: 'Settings' })
  await pressTabTo(tabs.getByRole('link', { name: 'Recovery rules' }))
  await press('Enter')
  await pressTabTo(app.page.getByRole('textbox', { name: 'Messages per person', exact: true }))
  await press('Control+a')
  await app.page.keyboard.type('6')
  await pressTabTo(app.page.getByRole('button', { name: 'Save', exact: true }))
  await press('Enter')
  await app.page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'hidden' })
  await expect.poll(() => app.api.calls(saveStoreSettings)[0]!.body).toMatchObject({ capMessages: 6 })
  await pressTabTo(tabs.getByRole('link', { name: 'Appearance' }), 'Shift+Tab')
  await press('Enter')
  await pressTabTo(app.page.getByRole('radio', { checked: true }))
  const theme = () => app.page.evaluate(() => document.documentElement.dataset.theme)
  const before = await theme()
  await press('ArrowRight')
  await expect.poll(theme).not.toBe(before)
  await pressTabTo(app.page.getByRole('banner').getByRole('button', { name: 'Logout' }), 'Shift+Tab')
  await press('Enter')
  const dialog = app.page.getByRole('dialog')
  await dialog.getByText('Are you sure you want to log out?').waitFor()
  // Escape cancels.
  await press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  await expect.poll(readActiveText).toBe('Logout')
  await press('Enter')
  await pressTabTo(dialog.getByRole('button', { name: 'Log out' }))
  await press('Enter')
  await app.page.waitForURL('**/landing')
})
