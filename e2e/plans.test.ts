import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AppInstance, anAppInstance } from './app-instance.ts'
import { axeOf } from './axe.ts'
import { openBrowser } from './browser.ts'

// A new account's way to its first plan, a paid plan in the header, and the way back to the free one.

let instance: AppInstance
let browser: Browser
let page: Page

beforeAll(async () => {
  instance = await anAppInstance({ DEMO: 'off' })
  browser = await openBrowser()
  page = await (await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })).newPage()
})

afterAll(async () => {
  await browser?.close()
  await instance?.stop()
})

async function ask(method: string, path: string, body?: object) {
  const token = await page.evaluate(() => localStorage.getItem('token') ?? sessionStorage.getItem('token'))
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  const reply = await fetch(instance.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return (await reply.json()) as { plan: string | null; status: string | null }
}

const plan = async () => (await ask('GET', '/api/subscribe/status')).plan
const lite = () => page.getByRole('main').getByRole('button', { name: 'Continue with Lite' })
const violations = async () =>
  (await axeOf(page).analyze()).violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])

test('registering creates no subscription and leads to the plans, where “Continue with Lite” stands first', async () => {
  await page.goto(`${instance.url}/register`)
  await page.getByText('Already have an account?').waitFor()
  await page.getByLabel('Name').fill('Olive Owner')
  await page.getByLabel('Email').fill('olive@owners.example')
  for (const label of ['Password', 'Repeat password']) {
    await page.getByLabel(label, { exact: true }).fill('four pots on Kiln Road')
  }
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.waitForURL('**/pricing')
  await lite().waitFor()
  expect(await plan()).toBeNull()
  const buttons = await page.getByRole('main').getByRole('button').allInnerTexts()
  expect(buttons).toEqual(['Continue with Lite', 'Choose Starter', 'Choose Growth'])
  await page.getByText('Upgrade when you reach a limit.').waitFor()
  expect(await violations()).toEqual([])
})

test('a free plan that cannot be made leads to the store set-up too, which says what is missing (A 4.3)', async () => {
  const path = '**/api/subscribe/create-free-subscription'
  await page.route(path, (route) => route.fulfill({ status: 500, json: { error: 'x', code: 'internal' } }))
  await lite().click()
  await page.waitForURL('**/store-setup')
  await page.getByRole('heading', { name: 'Subscription Required' }).waitFor()
  expect(await plan()).toBeNull()
  await page.unroute(path)
  await page.getByRole('link', { name: 'Choose a Plan' }).click()
})

test('“Continue with Lite” creates the free plan and leads to the store set-up', async () => {
  await lite().click()
  await page.waitForURL('**/store-setup')
  await page.getByRole('button', { name: 'Connect Store' }).waitFor()
  expect(await plan()).toBe('free')
})

test('in test mode the step before the payment leads to the test page, with the plan that was chosen', async () => {
  await page.goto(`${instance.url}/pricing`)
  await page.getByText('choosing a plan charges nothing').waitFor()
  await page.getByRole('button', { name: 'Choose Starter' }).click()
  await page.getByRole('heading', { level: 1, name: 'Complete Your Purchase' }).waitFor()
  await page.getByText('This server is in billing test mode: nothing is charged.').waitFor()
  expect(await page.getByLabel('Extra stores').count()).toBe(0)
  await page.getByText('Yearly', { exact: false }).click()
  await page.getByText('$180.00').first().waitFor()
  await page.getByRole('button', { name: 'Continue to the test page' }).click()
  await page.waitForURL('**/test-subscription?plan=starter&cycle=year')
  expect(await page.getByLabel('Plan').inputValue()).toBe('starter')
  expect(await page.getByRole('radio', { name: 'Yearly' }).isChecked()).toBe(true)
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: 'Complete Your Purchase' }).waitFor()
  await page.getByRole('link', { name: 'All plans' }).click()
  await page.getByRole('heading', { level: 1, name: 'Choose your plan' }).waitFor()
  expect(await plan()).toBe('free')
})

test('the test page sets the plan with the period it was chosen with', async () => {
  await page.goto(`${instance.url}/test-subscription?plan=starter&cycle=year`)
  expect(await violations()).toEqual([])
  await page.getByRole('button', { name: 'Set this plan' }).click()
  await page.getByText('You are on the Starter plan.').waitFor()
  await page.goto(`${instance.url}/billing`)
  await page.getByText('$180.00 a year on Pricing; nothing is charged').waitFor()
  await page.getByText('Yearly', { exact: true }).waitFor()
})

test('going back to Lite from a paid plan is asked about before it happens', async () => {
  await ask('POST', '/api/subscribe/manual-update', { planKey: 'growth' })
  await page.goto(`${instance.url}/pricing`)
  await page.getByRole('button', { name: 'Start with Lite' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change to Lite?' })
  await dialog.getByText('Your Growth plan ends now, not at the end').waitFor()
  await dialog.getByText('500 emails per month').waitFor()
  expect(await plan()).toBe('growth')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await plan()).toBe('growth')
  // One that fails is said where it was asked for, and the plan stays.
  const path = '**/api/subscribe/create-free-subscription'
  await page.route(path, (route) => route.fulfill({ status: 403, json: { error: 'Not today.', code: 'forbidden' } }))
  await page.getByRole('button', { name: 'Start with Lite' }).click()
  await dialog.getByRole('button', { name: 'Change to Lite' }).click()
  await dialog.getByText('Not today.').waitFor()
  await page.unroute(path)
  await dialog.getByRole('button', { name: 'Change to Lite' }).click()
  await page.waitForURL('**/store-setup')
  expect(await plan()).toBe('free')
})

test.each([
  ['growth', 'active', 'Subscription: Growth, Active'],
  ['starter', 'trialing', 'Subscription: Starter, Trial'],
  ['growth', 'past_due', 'Subscription: Growth, Past Due'],
  ['growth', 'canceled', 'Subscription: Growth, Canceled'],
])('the header’s subscription button says plan and status, to screen readers too: %s %s', async (key, status, name) => {
  await page.route('**/api/subscribe/status*', (route) =>
    route.fulfill({ json: { plan: key, planInForce: key, status, hasActiveSubscription: true, isTestMode: true } }),
  )
  await page.goto(`${instance.url}/settings`)
  const button = page.getByRole('banner').getByRole('button', { name, exact: true })
  await button.waitFor()
  expect((await button.innerText()).split(/\s*\n\s*/).join(', ')).toBe(name.replace('Subscription: ', ''))
  await page.unroute('**/api/subscribe/status*')
})
