import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isItsDay } from '../test/tier.ts'
import { type AppInstance, aSeededInstance } from './app-instance.ts'
import { openBrowser } from './browser.ts'
import { isFocused, reach } from './keys.ts'

// A whole session without a mouse: every stop is reached by keys alone, and shows where one is. `npm test` goes one of the two ways a day.

const PASSWORD = 'four pots on Kiln Road'
let instance: AppInstance
let browser: Browser
let page: Page

/** The demo store draws its keys for each data folder. */
function demoKeys(): { consumerKey: string; consumerSecret: string } {
  const file = new DatabaseSync(path.join(instance.dataDir, 'demo-store.sqlite'), { readOnly: true })
  const { value } = file.prepare("select value from meta where key = 'owner-keys'").get() as { value: string }
  file.close()
  return JSON.parse(value)
}

beforeAll(async () => {
  instance = await aSeededInstance()
  browser = await openBrowser()
  page = await (await browser.newContext({ reducedMotion: 'reduce', viewport: { width: 1280, height: 900 } })).newPage()
  await page.goto(`${instance.url}/login`)
}, 420_000)

afterAll(async () => {
  await browser?.close()
  await instance?.stop()
})

const press = (key: string) => page.keyboard.press(key)
const type = (text: string) => page.keyboard.type(text)
const link = (name: string) =>
  page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name, exact: true })
const heading = (name: string) => page.getByRole('heading', { level: 1, name })

test.runIf(isItsDay(0, 2))(
  'in, dashboard, chart, a cart, the list and its menus, settings, save, theme, out: by keyboard alone',
  async () => {
    await reach(page.getByRole('button', { name: 'Try the live demo' }))
    await press('Enter')
    await page.waitForURL('**/dashboard')

    // The first stop of every page skips what stands before its content.
    await page.reload()
    await page.getByRole('img', { name: /^Cart recovery/ }).waitFor()
    await press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content')
    await press('Enter')
    await reach(page.getByLabel('Period'))
    await press('End')
    await page.getByRole('img', { name: /Last 30 Days/ }).waitFor()
    await reach(page.getByRole('button', { name: 'Line chart' }))
    await press('Enter')
    await page.locator('canvas[data-type=line]').waitFor()

    await reach(page.locator('.recent-cart').first())
    await press('Enter')
    await page.waitForURL('**/carts/*')
    await reach(page.getByRole('main').getByRole('button', { name: 'Why?' }).first())
    await press('Enter')
    await expect
      .poll(() => page.getByRole('button', { name: 'Why?' }).first().getAttribute('aria-expanded'))
      .toBe('true')

    // Two carts are chosen, what may be done with them is opened, and Escape leads back to where it was opened.
    await reach(link('Abandoned Carts'), 'Shift+Tab')
    await press('Enter')
    await heading('Abandoned Carts').waitFor()
    const boxes = page.getByRole('main').getByRole('row').getByRole('checkbox')
    await reach(boxes.nth(1))
    await press('Space')
    await expect.poll(() => boxes.nth(1).isChecked()).toBe(true)
    await reach(boxes.nth(2))
    await press('Space')
    await expect.poll(() => boxes.nth(2).isChecked()).toBe(true)
    await reach(page.getByLabel('Bulk action'), 'Shift+Tab')
    await press('ArrowDown')
    const apply = page.getByRole('button', { name: 'Apply' })
    await reach(apply)
    await opensAndLeaves(apply, 'dialog')
    const more = page.getByRole('main').getByRole('button', { name: /^More/ }).first()
    await reach(more)
    await opensAndLeaves(more, 'menu')

    await reach(link('Settings'), 'Shift+Tab')
    await press('Enter')
    await heading('Settings').waitFor()
    const tabs = page.getByRole('navigation', { name: 'Settings' })
    await reach(tabs.getByRole('link', { name: 'Recovery rules' }))
    await press('Enter')
    const cap = page.getByRole('textbox', { name: 'Messages per person', exact: true })
    await reach(cap)
    await press('Control+a')
    await type('6')
    await reach(page.getByRole('button', { name: 'Save', exact: true }))
    await press('Enter')
    await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'hidden' })
    await page.reload()
    await expect.poll(() => cap.inputValue()).toBe('6')

    await reach(tabs.getByRole('link', { name: 'Appearance' }))
    await press('Enter')
    await reach(page.getByRole('radio', { checked: true }))
    await press('ArrowRight')
    const before = await page.evaluate(() => document.documentElement.dataset.theme)
    await press('ArrowRight')
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).not.toBe(before)

    await reach(page.getByRole('banner').getByRole('button', { name: 'Logout' }), 'Shift+Tab')
    await press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Are you sure you want to log out?').waitFor()
    // What is asked keeps the keyboard, and Escape is a no.
    await press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent?.trim())).toBe('Logout')
    await press('Enter')
    await reach(dialog.getByRole('button', { name: 'Log out' }))
    await press('Enter')
    await page.waitForURL('**/landing')
  },
  180_000,
)

test.runIf(isItsDay(1, 2))(
  'signing up and in again, mistakes included, connecting and letting go of a store, by keyboard alone',
  async () => {
    await page.goto(`${instance.url}/register`)
    await reach(page.getByLabel('Name'))
    await type('Ada')
    await press('Tab')
    await type('ada@owners.example')
    await press('Tab')
    await type(PASSWORD)
    await reach(page.getByLabel('Repeat password'))
    await type('something else')
    await press('Enter')
    await page.getByText('Passwords do not match').waitFor()
    await reach(page.getByLabel('Repeat password'))
    await press('Control+a')
    await type(PASSWORD)
    await press('Enter')
    await page.waitForURL('**/pricing')
    await heading('Choose your plan').waitFor()
    // Registering is over when nothing covers the page: a link followed before that could be overtaken by it.
    await page.waitForFunction(() => !document.querySelector('.route-transition'))
    await reach(page.getByRole('link', { name: 'Log out' }))
    await press('Enter')
    await reach(page.getByRole('button', { name: 'Log out' }))
    await press('Enter')
    await page.waitForURL('**/landing')
    await page.goto(`${instance.url}/login`)
    await reach(page.getByLabel('Email'))
    await type('ada@owners.example')
    await reach(page.getByLabel('Password', { exact: true }))
    await type(PASSWORD)
    await press('Enter')
    await page.waitForURL('**/pricing')
    await reach(page.getByRole('button', { name: 'Continue with Lite' }))
    await press('Enter')
    await page.waitForURL('**/store-setup')

    // The demo's store may be connected by others too, and those may let go of it.
    await reach(page.getByLabel('Store URL'))
    await type(instance.storeUrl)
    await press('Tab')
    const keys = demoKeys()
    await type(keys.consumerKey)
    await press('Tab')
    await type(keys.consumerSecret)
    await press('Enter')
    await reach(page.getByRole('button', { name: 'Set sender and address' }))
    await press('Enter')
    await page.waitForURL('**/settings/sending/sender')
    await reach(page.getByLabel('Sender name'))
    await type('Ada’s pots')
    await press('Control+s')
    await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'hidden' })
    await reach(page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Store' }), 'Shift+Tab')
    await press('Enter')
    const letGo = page.getByRole('button', { name: 'Disconnect Store' })
    await reach(letGo)
    await opensAndLeaves(letGo, 'dialog')
  },
  180_000,
)

/** What a focused button opens is left by Escape, and the focus is back on the button. */
async function opensAndLeaves(button: Locator, opened: 'dialog' | 'menu') {
  await press('Enter')
  const place = page.getByRole(opened)
  await place.waitFor()
  // It takes the keyboard a moment after it is drawn.
  await expect.poll(() => place.evaluate((element) => element.contains(document.activeElement))).toBe(true)
  if (opened === 'menu') await press('ArrowDown')
  await press('Escape')
  await page.getByRole(opened).waitFor({ state: 'hidden' })
  await expect.poll(() => isFocused(button)).toBe(true)
}
