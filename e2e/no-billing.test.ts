import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AppInstance, anAppInstance } from './app-instance.ts'
import { openBrowser } from './browser.ts'
import { checkInEveryTheme } from './every-theme.ts'

// An installation without a key of Stripe that does not test its billing: nothing is sold (decision 82).

let instance: AppInstance
let browser: Browser
let page: Page

beforeAll(async () => {
  instance = await anAppInstance({ DEMO: 'off', BILLING_TEST_MODE: 'off' })
  browser = await openBrowser()
  page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage()
})

afterAll(async () => {
  await browser?.close()
  await instance?.stop()
})

test('strangers read that nothing is charged here, on the landing page and in the terms', async () => {
  await page.goto(`${instance.url}/landing.html`)
  await page.getByText('This installation has no billing').waitFor()
  expect(await page.getByText(/\$\d|free trial|money-back/).count()).toBe(0)
  await page.goto(`${instance.url}/terms`)
  await page.getByText('This installation has no billing').waitFor()
  expect(await page.getByText(/free trial|money-back|Stripe/).count()).toBe(0)
  await checkInEveryTheme(page, 'no-billing-terms')
})

test('registering gives the plan of the installation and leads to the store set-up; no screen leads to a purchase', async () => {
  await page.goto(`${instance.url}/register`)
  await page.getByLabel('Name').fill('Olive Owner')
  await page.getByLabel('Email').fill('olive@owners.example')
  for (const label of ['Password', 'Repeat password']) {
    await page.getByLabel(label, { exact: true }).fill('four pots on Kiln Road')
  }
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.waitForURL('**/store-setup')
  const main = page.getByRole('main')
  for (const address of ['/pricing', '/pricing?plan=starter&cycle=month']) {
    await page.goto(instance.url + address)
    await main.getByRole('heading', { name: 'This installation has no billing' }).waitFor()
    await main.getByRole('heading', { name: 'Growth, without limits' }).waitFor()
    expect(await main.getByRole('button').count()).toBe(0)
    expect(await main.getByText(/\$\d/).count()).toBe(0)
  }
  await page.goto(`${instance.url}/billing`)
  await main.getByText('This installation has no billing').waitFor()
  expect(await main.getByRole('button', { name: /Change plan|Cancel|Manage Billing/ }).count()).toBe(0)
  expect(await main.getByRole('link', { name: 'View Plans' }).count()).toBe(0)
  await page.goto(`${instance.url}/test-subscription`)
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
})
