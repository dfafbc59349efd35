import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeAt } from '../test/authenticator.ts'
import { type AppInstance, anAppInstance, mailsTo, readMail, until } from './app-instance.ts'
import { openBrowser } from './browser.ts'
import { checkInEveryTheme } from './every-theme.ts'
import { verificationToken } from './owner.ts'

// Operators (decision 90): nothing is there for others; with two factors they see accounts, set a plan, suspend, look, and leave.

const PASSWORD = 'four pots on Kiln Road'
const OLGA = 'olga@operators.example'
const ADA = 'ada@owners.example'
let instance: AppInstance
let browser: Browser
let olga: Page
let ada: Page
let tokens: Record<string, string>

beforeAll(async () => {
  instance = await anAppInstance({ DEMO: 'off', OPERATOR_EMAILS: OLGA })
  browser = await openBrowser()
  tokens = { [OLGA]: await register('Olga', OLGA), [ADA]: await register('Ada', ADA) }
  olga = await signedIn(OLGA)
  ada = await signedIn(ADA)
})

afterAll(async () => {
  await browser?.close()
  await instance?.stop()
})

async function ask<T>(
  method: string,
  path: string,
  { token, body }: { token?: string; body?: object } = {},
): Promise<T> {
  const reply = await fetch(`${instance.url}/api/${path}`, {
    method,
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  return (await reply.json()) as T
}

async function register(name: string, email: string): Promise<string> {
  const { token } = await ask<{ token: string }>('POST', 'auth/register', { body: { name, email, password: PASSWORD } })
  await ask('POST', 'auth/verify-email', { body: { token: await verificationToken(instance, email) } })
  await ask('POST', 'subscribe/create-free-subscription', { token, body: {} })
  return token
}

async function signedIn(email: string): Promise<Page> {
  const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
  await page.goto(`${instance.url}/readyz`)
  await page.evaluate((value) => localStorage.setItem('token', value), tokens[email]!)
  return page
}

const dialog = () => olga.getByRole('dialog')
const open = async (page: Page, path: string) => page.goto(instance.url + path)

test('is no page to strangers and owners, and tells an operator which factor is missing', async () => {
  const stranger = await (await browser.newContext()).newPage()
  for (const page of [stranger, ada]) {
    await open(page, '/operator')
    await page.getByText('Page not found').waitFor()
    await open(page, '/operator/01999999-0000-7000-8000-000000000001')
    await page.getByText('Page not found').waitFor()
  }
  await open(olga, '/operator')
  await olga.getByText('Set up two-factor sign-in first').waitFor()
  await checkInEveryTheme(olga, 'operator-without-factor')
  expect(await olga.getByRole('link', { name: 'Set it up' }).getAttribute('href')).toBe('/settings/account')
})

test('lists accounts, found by their owner’s address', async () => {
  const token = tokens[OLGA]!
  const begun = await ask<{ secret: string }>('POST', 'account/second-factor', { token, body: { password: PASSWORD } })
  await ask('POST', 'account/second-factor/confirm', { token, body: { code: codeAt(begun.secret, new Date()) } })
  await open(olga, '/settings/account')
  await olga.getByRole('banner').getByRole('link', { name: 'Operator' }).click()
  await olga.getByRole('link', { name: 'Olga' }).waitFor()
  await olga.getByRole('link', { name: 'Ada' }).waitFor()
  await checkInEveryTheme(olga, 'operator-accounts')
  await olga.getByRole('searchbox').fill('ADA@owners')
  await olga.keyboard.press('Enter')
  await olga.getByRole('link', { name: 'Olga' }).waitFor({ state: 'detached' })
  await olga.getByRole('searchbox').fill('nobody at all')
  await olga.keyboard.press('Enter')
  await olga.getByText('No account matches.').waitFor()
  await olga.getByRole('button', { name: 'Clear filters' }).click()
  await olga.getByRole('link', { name: 'Ada' }).click()
  await olga.getByRole('heading', { level: 1, name: 'Ada' }).waitFor()
})

test('sets a plan, which counts at once', async () => {
  await olga.getByRole('button', { name: 'Set plan' }).click()
  await dialog().getByLabel('Plan', { exact: true }).selectOption('growth')
  await dialog().getByLabel('Without limits').check()
  await dialog().getByLabel('Note').fill('A friend')
  await checkInEveryTheme(olga, 'operator-plan', '[role=dialog]')
  await dialog().getByRole('button', { name: 'Set plan' }).click()
  await dialog().waitFor({ state: 'detached' })
  await olga.getByText('Growth, no limits', { exact: true }).waitFor()
  await olga.getByText('set by an operator').waitFor()
  const status = await ask<{ plan: string }>('GET', 'subscribe/status', { token: tokens[ADA]! })
  expect(status.plan).toBe('growth')
})

test('changes credits with a reason, and never takes more than there is', async () => {
  const change = () => dialog().getByRole('button', { name: 'Change credits' })
  const asked = async (dollars: string) => {
    await olga.getByRole('button', { name: 'Change credits' }).click()
    await dialog()
      .getByLabel(/^Dollars/)
      .fill(dollars)
    await dialog()
      .getByLabel(/^Reason/)
      .fill('An SMS went out twice')
  }
  await asked('12.50')
  await checkInEveryTheme(olga, 'operator-credits', '[role=dialog]')
  await change().click()
  await dialog().waitFor({ state: 'detached' })
  await olga.getByText('$12.50', { exact: true }).waitFor()
  await asked('-13')
  await change().click()
  await dialog().getByRole('alert').waitFor()
  await checkInEveryTheme(olga, 'operator-credits-refused', '[role=dialog]')
  await dialog().getByRole('button', { name: 'Cancel' }).click()
  await dialog().waitFor({ state: 'detached' })
})

test('suspends with a reason, by the keyboard alone; the owner reads it, in a mail too', async () => {
  await olga.getByRole('button', { name: 'Suspend sending' }).press('Enter')
  const confirm = dialog().getByRole('button', { name: 'Suspend sending' })
  expect(await confirm.isDisabled()).toBe(true)
  await olga.keyboard.type('Bought addresses.')
  await checkInEveryTheme(olga, 'operator-suspend', '[role=dialog]')
  await confirm.press('Enter')
  await dialog().waitFor({ state: 'detached' })
  await olga.getByText('Bought addresses.').first().waitFor()
  await olga.getByRole('button', { name: 'Resume sending' }).waitFor()
  await checkInEveryTheme(olga, 'operator-account')
  const told = async () => (await mailsTo(instance, ADA)).find(({ subject }) => /suspended/i.test(subject))
  await until(async () => (await told()) !== undefined, 30_000)
  expect((await readMail(instance, (await told())!.id)).text).toContain('Bought addresses.')
  await olga.getByRole('button', { name: 'Resume sending' }).click()
  await dialog().getByRole('button', { name: 'Resume sending' }).click()
  await olga.getByRole('button', { name: 'Suspend sending' }).waitFor()
})

test('looks at the account, changes nothing there, and leaves', async () => {
  await olga.getByRole('button', { name: 'View as viewer' }).click()
  await olga.waitForURL('**/store-setup')
  await olga.getByText('You are looking at Ada as an operator.').waitFor()
  await open(olga, '/settings/account')
  await olga.getByText('You are looking at Ada as an operator.').waitFor()
  await checkInEveryTheme(olga, 'operator-view')
  const token = await olga.evaluate(() => sessionStorage.getItem('token')!)
  const refused = await ask<{ code: string }>('PATCH', 'auth/profile', { token, body: { name: 'Eve' } })
  expect(refused.code).toBe('forbidden')
  await olga.getByRole('button', { name: 'Leave view' }).click()
  await olga.waitForURL('**/operator')
  await olga.getByRole('link', { name: 'Ada' }).waitFor()
  expect((await ask<{ code: string }>('GET', 'auth/me', { token })).code).toBe('session')
})

test('shows the health of the installation, and all that was done', async () => {
  await olga.getByRole('tab', { name: 'Health' }).click()
  await olga.getByRole('heading', { name: 'Queues' }).waitFor()
  await olga.getByText(/\d+ queues are empty/).waitFor()
  await checkInEveryTheme(olga, 'operator-health')
  await olga.getByRole('tab', { name: 'Actions' }).click()
  for (const words of [
    'Looked at the account',
    'Resumed sending',
    'Suspended sending',
    'Set the plan to Growth, no limits',
  ])
    await olga.getByText(words).first().waitFor()
  await checkInEveryTheme(olga, 'operator-actions')
})
