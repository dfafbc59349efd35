import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closePages, openBrowser } from './browser.ts'
import { type SharedInstance, startSharedInstance } from './shared-instances.ts'

let instance: SharedInstance
let browser: Browser
let page: Page

beforeAll(async () => {
  instance = await startSharedInstance('free')
  browser = await openBrowser()
  page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage()
})
afterAll(() => closePages(browser))

test('registering on an installation without billing gives its plan, and no page offers a purchase', async () => {
  const landing = await (await fetch(`${instance.url}/landing.html`)).text()
  expect(landing).toContain('This installation has no billing')
  expect(landing).not.toMatch(/\$\d|free trial|money-back/)

  await page.goto(`${instance.url}/register`)
  await page.getByLabel('Name').fill('Frieda Free')
  await page.getByLabel('Email').fill('frieda@owners.example')
  for (const label of ['Password', 'Repeat password']) {
    await page.getByLabel(label, { exact: true }).fill('four pots on Kiln Road')
  }
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.waitForURL('**/store-setup')
  const token = await page.evaluate(() => localStorage.getItem('token') ?? sessionStorage.getItem('token'))
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    return fetch(instance.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  }
  const fetchStatus = async () => (await ask('GET', '/api/subscribe/status')).json()
  const expected = { plan: 'growth', sells: 'none', source: 'default', isUnlimited: true, hasActiveSubscription: true }
  await expect.poll(() => fetchStatus()).toMatchObject(expected)

  const main = page.getByRole('main')
  await page.goto(`${instance.url}/pricing?plan=starter&cycle=month`)
  await main.getByRole('heading', { name: 'Growth, without limits' }).waitFor()
  await expect.poll(() => main.getByRole('button').count()).toBe(0)
  await expect.poll(() => main.getByText(/\$\d/).count()).toBe(0)
  await page.goto(`${instance.url}/test-subscription`)
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()

  for (const [path, body] of [
    ['/api/subscribe/create-checkout-session', { planKey: 'starter' }],
    ['/api/subscribe/create-free-subscription', {}],
    ['/api/subscribe/manual-update', { planKey: 'starter' }],
    ['/api/payments/preview-change', { planKey: 'starter' }],
  ] as const)
    expect([path, (await ask('POST', path, body)).ok]).toEqual([path, false])
  await expect.poll(() => fetchStatus()).toMatchObject(expected)
})
