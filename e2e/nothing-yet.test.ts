import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DemoStore, startDemoStore } from '../demo/store/store.ts'
import { type AppInstance, anAppInstance } from './app-instance.ts'
import { openBrowser } from './browser.ts'
import { checkInEveryTheme } from './every-theme.ts'
import { anOwner, KEYS } from './owner.ts'

// A new account whose shop has never reported a cart: empty screens say why, and nothing is proposed that would show nothing.

let instance: AppInstance
let store: DemoStore
let browser: Browser
let page: Page

beforeAll(async () => {
  store = await startDemoStore({ port: 0, dataFile: ':memory:', ...KEYS })
  instance = await anAppInstance({ DEMO: 'off' })
  browser = await openBrowser()
  page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage()
  await anOwner(instance, store, page)
}, 180_000)

afterAll(async () => {
  await browser?.close()
  await instance?.stop()
  await store?.stop()
})

test.each([
  ['/analytics', 'Try selecting a different time period'],
  ['/carts', 'No abandoned carts found. Your store might not have any abandoned carts yet.'],
])(
  '%s says why it is empty, and leads to the capture script',
  async (path, words) => {
    await page.goto(instance.url + path)
    await page.getByText(words).first().waitFor()
    await page
      .getByText(/Your shop has not reported a cart yet/)
      .first()
      .waitFor()
    await checkInEveryTheme(page, `nothing-yet${path.replace('/', '-')}`)
    await page.getByRole('link', { name: 'Install the script' }).first().click()
    await page.waitForURL('**/settings/capture-script')
  },
  120_000,
)

test('the dialog that switches a flow on proposes no share', async () => {
  await page.goto(`${instance.url}/flows`)
  await page.getByRole('link', { name: 'Abandoned cart reminders' }).first().click()
  // The list, which stays until the flow's page is there, has a button of a longer name.
  await page.getByRole('button', { name: 'Switch on', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/A control group is not worth it yet/).waitFor()
  await dialog
    .getByRole('radio', { name: 'Exclude some shoppers to measure what messages bring in', exact: true })
    .check()
  expect(await dialog.getByLabel('Share of shoppers who get no messages, for 90 days').inputValue()).toBe('')
}, 60_000)
