import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listMails, waitUntil } from './app-instance.ts'
import { closePages, openBrowser } from './browser.ts'
import { readVerificationToken } from './owner.ts'
import { type SharedInstance, startSharedInstance } from './shared-instances.ts'

// An owner buys, changes, cancels and resumes a plan at Stripe.

const OWNER = { name: 'Paula Payer', email: 'paula@subscribers.example', password: 'four pots on Kiln Road' }
let instance: SharedInstance
let browser: Browser
let page: Page

beforeAll(async () => {
  instance = await startSharedInstance('own')
  browser = await openBrowser()
  page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage()
})
afterAll(() => closePages(browser))

const main = () => page.getByRole('main')
const press = (name: string | RegExp) => main().getByRole('button', { name, exact: true }).click()
const findDialog = () => page.getByRole('dialog')

async function ask<T>(method: string, path: string, body?: object): Promise<T> {
  const token = await page.evaluate(() => localStorage.getItem('token') ?? sessionStorage.getItem('token'))
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  const reply = await fetch(instance.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return (await reply.json()) as T
}

interface Status {
  plan: string | null
  status: string | null
  hasCard: boolean
  hasActiveSubscription: boolean
  cancelAtPeriodEnd: boolean
}
/** Reads Recoup's own copy, which only a change made here or a webhook updates. */
const fetchStatus = () => ask<Status>('GET', '/api/subscribe/status')

test('an owner registers, starts a trial at Stripe, adds a card, changes, cancels and resumes the plan', {
  tags: ['A2.6', 'A2.7', 'A4.3'],
}, async () => {
  await page.goto(`${instance.url}/register`)
  await page.getByLabel('Name').fill(OWNER.name)
  await page.getByLabel('Email').fill(OWNER.email)
  for (const label of ['Password', 'Repeat password']) {
    await page.getByLabel(label, { exact: true }).fill(OWNER.password)
  }
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.waitForURL('**/pricing')
  await ask('POST', '/api/auth/verify-email', { token: await readVerificationToken(instance, OWNER.email) })
  await expect.poll(() => fetchStatus()).toMatchObject({ plan: null, hasActiveSubscription: false })

  await press('Choose Starter')
  await press('Start free trial')
  await page.waitForURL(({ origin }) => origin !== instance.url)
  // Back from Stripe's page, the checkout step is unchanged and leads to the same page.
  await page.getByRole('link', { name: 'Back', exact: true }).click()
  await page.waitForURL(`${instance.url}/pricing?plan=starter&cycle=month&stores=0`)
  await press('Start free trial')
  await page.getByText('Total due today $0.00').waitFor()
  await expect.poll(() => page.getByLabel('Card number').count()).toBe(0)
  await page.getByRole('button', { name: 'Start trial' }).click()
  await page.waitForURL(`${instance.url}/billing`)
  await main().getByText('You are on the Starter plan.').waitFor()
  await expect.poll(() => fetchStatus()).toMatchObject({ plan: 'starter', status: 'trialing', hasCard: false })

  await press('Manage Billing')
  await page.getByLabel('Card number').fill('4242424242424242')
  await page.getByRole('button', { name: 'Add payment method' }).click()
  await page.getByText('•••• 4242 (default)').waitFor()
  const back = await page.getByRole('link', { name: 'Return' }).getAttribute('href')
  expect(back).toBe(`${instance.url}/billing`)
  await page.goto(`${instance.url}/readyz`)
  await waitUntil(async () => (await fetchStatus()).hasCard)

  await page.goto(back!)
  await press('Change plan')
  await findDialog().getByRole('radio', { name: 'Growth' }).click()
  await findDialog().getByRole('button', { name: 'Show the price' }).click()
  await findDialog().getByText('The plan changes immediately.').waitFor()
  await findDialog().getByRole('button', { name: 'Change plan' }).click()
  await findDialog().waitFor({ state: 'detached' })
  await expect.poll(() => fetchStatus()).toMatchObject({ plan: 'growth', status: 'trialing' })

  await press('Cancel subscription')
  await findDialog().getByRole('button', { name: 'Cancel subscription' }).click()
  await main().getByRole('button', { name: 'Reactivate' }).waitFor()
  await expect.poll(() => fetchStatus()).toMatchObject({ plan: 'growth', status: 'trialing', cancelAtPeriodEnd: true })

  await press('Reactivate')
  await main().getByRole('button', { name: 'Cancel subscription' }).waitFor()
  await expect.poll(() => fetchStatus()).toMatchObject({ plan: 'growth', status: 'trialing', cancelAtPeriodEnd: false })

  const hasMail = async () => (await subjects()).length > 0
  await waitUntil(hasMail)
  await expect.poll(() => subjects()).toHaveLength(1)
})

/** Subject of a purchase mail. Events within a minute share one mail: ", and 1 more". */
const subjects = async () =>
  (await listMails(instance, OWNER.email))
    .map(({ subject }) => subject)
    .filter((subject) => /^Your plan is Starter now(, and \d more)?$/.test(subject))
