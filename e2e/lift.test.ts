import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DemoStore, startDemoStore } from '../demo/store/store.ts'
import { type AppInstance, anAppInstance } from './app-instance.ts'
import { openBrowser } from './browser.ts'
import { anOwner, KEYS } from './owner.ts'

// The control group in a real browser, from the page of flows: begun, changed and stopped (decisions 58 to 61).

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

const button = (name: string) => page.getByRole('button', { name, exact: true })
const dialog = (name: string) => page.getByRole('dialog', { name })

const FOR_ALL = /^A control group is running for all flows and campaigns of this store: 10% of people get no message/
const switchingOn = async () => {
  await page.goto(`${instance.url}/flows`)
  await page.getByRole('button', { name: /^Switch on / }).click()
  return page.getByRole('dialog', { name: /^Switch on / })
}
const sendingToAll = async () => {
  await page.goto(`${instance.url}/campaigns?form=all`)
  const form = dialog('Send to All Abandoned Carts')
  await form.getByText('Nobody matches now.').waitFor()
  return form
}

test('is begun by the keyboard, runs, gets another share and is stopped, and what was stays', async () => {
  await page.goto(`${instance.url}/flows`)
  await page.getByRole('region', { name: 'Lift' }).getByRole('link', { name: 'How it is measured' }).click()
  await page.getByRole('heading', { level: 1, name: 'Lift' }).waitFor()
  await page.getByText(/nothing could be measured yet/).waitFor()
  await page.getByRole('heading', { level: 2, name: 'How it is measured' }).waitFor()
  await button('Start a control group').focus()
  await page.keyboard.press('Enter')
  const start = dialog('Start a control group')
  // Nothing is proposed where nothing would be seen.
  await start.getByText(/A control group is not worth it yet/).waitFor()
  expect(await start.getByText(/proposed for your store/).count()).toBe(0)
  const shares = start.getByRole('radio')
  for (const each of await shares.all()) expect(await each.isChecked()).toBe(false)
  expect(await start.getByRole('button', { name: 'Start', exact: true }).isDisabled()).toBe(true)
  await shares.last().focus()
  await page.keyboard.press('ArrowUp')
  expect(await start.getByRole('radio', { name: /^30%/ }).isChecked()).toBe(true)
  // Days that it cannot run for are refused, and what would be seen is said of the days that are typed.
  const [days, begins] = [start.getByLabel('Ends after'), start.getByRole('button', { name: 'Start', exact: true })]
  await days.fill('7')
  await start.getByText('Enter 45 to 365 days.').waitFor()
  expect(await begins.isDisabled()).toBe(true)
  expect(await start.getByText(/people in \d+ days get no messages/).count()).toBe(0)
  await days.fill('120')
  await start
    .getByText(/people in 120 days get no messages/)
    .first()
    .waitFor()
  await begins.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: '30% get no messages' }).waitFor()
  await page
    .getByText(/Nobody is counted yet: each person’s orders count for \d+ days/)
    .first()
    .waitFor()
  await page.reload()
  await page.getByRole('heading', { name: '30% get no messages' }).waitFor()

  await button('Change the share').click()
  const change = dialog('Change the share')
  await change.getByText(/the one that runs ends now and keeps its result/).waitFor()
  await change.getByRole('radio', { name: /^10%/ }).check()
  await change.getByRole('button', { name: 'Start anew' }).click()
  await page.getByRole('heading', { name: '10% get no messages' }).waitFor()
  await page
    .getByRole('region', { name: 'Control groups before' })
    .getByText(/ended for another share/)
    .waitFor()

  await page.goto(`${instance.url}/flows`)
  await page.getByText('10% of people are in the control group and get no messages.').waitFor()
  // Whoever begins messages reads that it is of all of them.
  await (await switchingOn()).getByText(FOR_ALL).waitFor()
  await (await sendingToAll()).getByText(FOR_ALL).waitFor()
  await page.goto(`${instance.url}/flows/lift`)
  await button('Stop').click()
  await dialog('Stop the control group?').getByRole('button', { name: 'Stop', exact: true }).click()
  await page.getByRole('heading', { name: 'No control group' }).waitFor()
  expect(await page.getByRole('region', { name: 'Control groups before' }).getByRole('listitem').count()).toBe(2)
  const starting = await switchingOn()
  await starting.getByLabel(/^Exclude some shoppers/).check()
  await starting.getByText('the control group is for all of them, not for this flow alone').waitFor()
  expect(await starting.getByText('A control group is running').count()).toBe(0)
  expect(await (await sendingToAll()).getByText('A control group is running').count()).toBe(0)
}, 120_000)

test('where there is nothing honest to say, dashboard and analytics say nothing', async () => {
  for (const path of ['/dashboard', '/analytics']) {
    const asked = page.waitForResponse(/\/api\/(dashboard|analytics)/)
    await page.goto(instance.url + path)
    await asked
    await page.getByRole('heading', { level: 1 }).last().waitFor()
    expect(await page.getByRole('region', { name: 'Lift' }).count()).toBe(0)
  }
})
