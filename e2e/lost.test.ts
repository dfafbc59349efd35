import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type AppInstance, aSeededInstance } from './app-instance.ts'
import { closePages, openBrowser } from './browser.ts'
import { openStep } from './flow-steps.ts'
import { verificationToken } from './owner.ts'

// A session that is over and a server that is away, while somebody is in the middle of typing (decision 2): nothing typed is lost.

const PASSWORD = 'four pots on Kiln Road'
const EMAIL = 'olive@owners.example'
let instance: AppInstance
let browser: Browser

beforeAll(async () => {
  instance = await aSeededInstance()
  browser = await openBrowser()
}, 420_000)

afterEach(() => closePages(browser))

afterAll(async () => {
  await browser?.close()
  await instance?.stop()
})

/** A server that comes back on a busy machine takes its time. */
async function aVisitor(): Promise<Page> {
  const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
  page.setDefaultTimeout(60_000)
  return page
}

async function enterDemo(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Try the live demo' }).click()
}

async function post(to: string, body: object = {}): Promise<string | undefined> {
  const headers = { 'content-type': 'application/json' }
  const reply = await fetch(`${instance.url}/api/auth/${to}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return ((await reply.json()) as { token?: string }).token
}

const aDemoVisitor = async (path: string) => signedIn((await post('demo'))!, path)

async function anOwner(path: string): Promise<Page> {
  const body = { name: 'Olive', email: EMAIL, password: PASSWORD }
  const registered = await post('register', body)
  if (registered) await post('verify-email', { token: await verificationToken(instance, EMAIL) })
  return signedIn((registered ?? (await post('login', body)))!, path)
}

async function signedIn(token: string, path: string): Promise<Page> {
  const page = await aVisitor()
  // No screen, which would notice the token by itself and go somewhere.
  await page.goto(`${instance.url}/readyz`)
  await page.evaluate((text) => localStorage.setItem('token', text), token)
  await page.goto(instance.url + path)
  return page
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Email').fill(EMAIL)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Ended elsewhere, by "Sign out everywhere" for instance. */
async function revoke(page: Page): Promise<void> {
  const token = await page.evaluate(() => localStorage.getItem('token') ?? sessionStorage.getItem('token'))
  const headers = { authorization: `Bearer ${token}` }
  expect((await fetch(`${instance.url}/api/auth/logout`, { method: 'POST', headers })).status).toBe(200)
}

const cap = (page: Page) => page.getByRole('textbox', { name: 'Messages per person', exact: true })
const subject = (page: Page | Locator) => page.getByLabel('Subject').first()
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true })
const isSaved = (page: Page) => page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'hidden' })
const isExpired = (page: Page) => page.getByText('Your session has expired. Please sign in again.').waitFor()
const invite = (page: Page) => page.getByRole('button', { name: 'Send invitation' })
/** The page may have noticed before: then there is no button any more, and nobody waits for one. */
const pressAndExpire = async (page: Page, button: Locator) => {
  await button.click({ timeout: 2_000 }).catch(() => {})
  await isExpired(page)
}
const openFlow = async (page: Page) => {
  await page.getByRole('link', { name: 'Abandoned cart reminders' }).click()
  await openStep(page, 1)
  await subject(page).waitFor()
}

describe('a session that is over', () => {
  test('settings: what was typed is there after signing in again, and can be saved', async () => {
    const page = await aDemoVisitor('/settings/recovery-rules')
    await cap(page).fill('7')
    await revoke(page)
    await pressAndExpire(page, save(page))
    await enterDemo(page)
    await page.waitForURL('**/settings/recovery-rules')
    await expect.poll(() => cap(page).inputValue()).toBe('7')
    await save(page).click()
    await isSaved(page)
    await page.reload()
    await expect.poll(() => cap(page).inputValue()).toBe('7')
  })

  test('a flow: what was typed is there after signing in again', async () => {
    const page = await aDemoVisitor('/flows')
    await openFlow(page)
    await subject(page).fill('Still thinking it over?')
    await revoke(page)
    await isExpired(page)
    await enterDemo(page)
    await page.waitForURL('**/flows/*')
    await expect.poll(() => subject(page).inputValue()).toBe('Still thinking it over?')
    await save(page).click()
    await isSaved(page)
  })

  test('a message about to be sent: its dialog is open again, with the words and the time', async () => {
    const page = await aDemoVisitor('/carts')
    await page
      .getByRole('button', { name: /^Send email to / })
      .first()
      .click()
    const form = page.getByRole('dialog', { name: 'Send Email Reminder' })
    await form.getByText('Schedule', { exact: true }).click()
    await form.getByLabel('Send in').selectOption('24')
    await subject(form).fill('Still thinking it over?')
    await form.getByRole('button', { name: 'Change the text' }).click()
    await form.getByLabel('Text', { exact: true }).fill('Your cart: {{ checkout_link }}')
    await revoke(page)
    await pressAndExpire(page, form.getByRole('button', { name: 'Send a test to myself' }))
    await enterDemo(page)
    await page.waitForURL('**/carts')
    await expect.poll(() => subject(form).inputValue(), { timeout: 15_000 }).toBe('Still thinking it over?')
    expect(await form.getByLabel('Send in').inputValue()).toBe('24')
    expect(await form.getByLabel('Text', { exact: true }).inputValue()).toBe('Your cart: {{ checkout_link }}')
    await page.context().close()
  })

  test('profile and invitation: there for who typed them, and for nobody else', async () => {
    const page = await anOwner('/settings/account')
    await page.getByLabel('Your name').fill('Olive Ashby')
    await page.getByLabel('Invite by email').fill('mia@team.example')
    await revoke(page)
    await pressAndExpire(page, invite(page))
    await signIn(page)
    await page.waitForURL('**/settings/account')
    await expect.poll(() => page.getByLabel('Your name').inputValue()).toBe('Olive Ashby')
    expect(await page.getByLabel('Invite by email').inputValue()).toBe('mia@team.example')
    await revoke(page)
    await pressAndExpire(page, invite(page))
    await enterDemo(page)
    await page.waitForURL('**/settings/account')
    await expect.poll(() => page.getByLabel('Your name').inputValue()).toBe('Demo')
    expect(await page.getByText('Unsaved changes').count()).toBe(0)
  })
})

/** Until the server has answered who it is nothing else gets through: no other question can notice that it is back. */
async function onlyAsksForReturn(page: Page): Promise<void> {
  let isBack = false
  page.on('response', (reply) => {
    if (reply.url().endsWith('/api/instance') && reply.ok()) isBack = true
  })
  await page.route(/\/api\/(?!instance$)|socket\.io/, (route) => (isBack ? route.continue() : route.abort()))
}

test('a screen opened while the server is away: the shell stays, says why, and the screen comes by itself', async () => {
  const page = await aDemoVisitor('/dashboard')
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor()
  await instance.kill()
  await onlyAsksForReturn(page)
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'The Recoup server cannot be reached' }).waitFor()
  await page.getByText('This page opens automatically when the server responds.').waitFor()
  const tabs = page.getByRole('navigation', { name: 'Sections' }).getByRole('link')
  await expect
    .poll(() => tabs.allInnerTexts())
    .toEqual([
      'Dashboard',
      'Abandoned Carts',
      'Flows',
      'Email Campaigns',
      'Customers',
      'Notifications',
      'Coupons',
      'Analytics',
      'Settings',
    ])
  expect(await page.getByText('newer version').count()).toBe(0)
  await instance.start()
  await page.getByRole('heading', { name: 'Store Connection' }).waitFor({ timeout: 60_000 })
  expect(new URL(page.url()).pathname).toBe('/settings')
  await page.getByText('The Recoup server is not responding.').waitFor({ state: 'hidden' })
  await page.context().close()
})

test('a screen whose question fails while the server is away asks again by itself', async () => {
  const page = await aDemoVisitor('/carts')
  await page.getByRole('row').nth(1).waitFor()
  await page.getByRole('link', { name: 'Flows', exact: true }).click()
  await page.getByRole('link', { name: 'Abandoned cart reminders' }).waitFor()
  await instance.kill()
  await onlyAsksForReturn(page)
  await page.getByRole('link', { name: 'Abandoned Carts', exact: true }).click()
  await page.getByLabel('Search customers').fill('zzzz')
  await page.getByText('The Recoup server is not responding.').waitFor()
  await instance.start()
  await page.getByText('No abandoned carts match your current filters.').first().waitFor({ timeout: 60_000 })
  await page.context().close()
})

test('a server that is away: what was typed stays, and goes through once it is back', async () => {
  const pages = {
    rules: await aDemoVisitor('/settings/recovery-rules'),
    flow: await aDemoVisitor('/flows'),
    account: await anOwner('/settings/account'),
    door: await aVisitor(),
  }
  await openFlow(pages.flow)
  await pages.door.goto(`${instance.url}/login`)
  await cap(pages.rules).fill('5')
  await subject(pages.flow).fill('Your cart is waiting')
  await pages.account.getByLabel('Invite by email').fill('mia@team.example')
  await instance.kill()

  await save(pages.rules).click()
  await save(pages.flow).click()
  await invite(pages.account).click()
  await signIn(pages.door)
  for (const page of Object.values(pages)) {
    await page.getByText('Recoup cannot be reached right now. Check your connection and try again.').first().waitFor()
  }
  for (const page of [pages.rules, pages.flow, pages.account]) {
    await page.getByText('The Recoup server is not responding.').waitFor()
  }
  // Asking again while it is away takes nothing away.
  await pages.rules.getByRole('button', { name: 'Retry' }).first().click()
  await instance.start()
  // It may find out by itself before anybody presses the button.
  const retry = pages.rules.getByRole('button', { name: 'Retry' }).first()
  await retry.click({ timeout: 5_000 }).catch(() => {})
  await pages.rules.getByText('The Recoup server is not responding.').waitFor({ state: 'hidden' })
  expect(await cap(pages.rules).inputValue()).toBe('5')
  await save(pages.rules).click()
  await isSaved(pages.rules)
  expect(await subject(pages.flow).inputValue()).toBe('Your cart is waiting')
  await save(pages.flow).click()
  await isSaved(pages.flow)
  expect(await pages.account.getByLabel('Invite by email').inputValue()).toBe('mia@team.example')
  await invite(pages.account).click()
  await pages.account.getByText('Invited', { exact: true }).waitFor()
  expect(await pages.door.getByLabel('Email').inputValue()).toBe(EMAIL)
  expect(await pages.door.getByLabel('Password', { exact: true }).inputValue()).toBe(PASSWORD)
  await pages.door.getByRole('button', { name: 'Sign in', exact: true }).click()
  await pages.door.waitForURL('**/pricing')
})
