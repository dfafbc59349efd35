import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from './browser.ts'
import { aFurnishedHouse, type House } from './house.ts'

// A session that is over and a server that is away, while somebody is in the middle of typing (decision 2): nothing typed is lost.

const PASSWORD = 'four pots on Kiln Road'
const EMAIL = 'olive@owners.example'
let house: House
let browser: Browser

beforeAll(async () => {
  house = await aFurnishedHouse()
  browser = await openBrowser()
}, 420_000)

afterAll(async () => {
  await browser?.close()
  await house?.stop()
})

const aVisitor = async () => (await browser.newContext({ reducedMotion: 'reduce' })).newPage()

async function enterDemo(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Try the live demo' }).click()
}

async function post(to: string, body: object = {}): Promise<string | undefined> {
  const headers = { 'content-type': 'application/json' }
  const reply = await fetch(`${house.url}/api/auth/${to}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return ((await reply.json()) as { token?: string }).token
}

const aDemoVisitor = async (path: string) => signedIn((await post('demo'))!, path)

async function anOwner(path: string): Promise<Page> {
  const body = { name: 'Olive', email: EMAIL, password: PASSWORD }
  return signedIn(((await post('register', body)) ?? (await post('login', body)))!, path)
}

async function signedIn(token: string, path: string): Promise<Page> {
  const page = await aVisitor()
  // No screen, which would notice the token by itself and go somewhere.
  await page.goto(`${house.url}/readyz`)
  await page.evaluate((text) => localStorage.setItem('token', text), token)
  await page.goto(house.url + path)
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
  expect((await fetch(`${house.url}/api/auth/logout`, { method: 'POST', headers })).status).toBe(200)
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
    await pressAndExpire(page, form.getByRole('button', { name: 'Preview and test' }))
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

test('a server that is away: what was typed stays, and goes through once it is back', async () => {
  const pages = {
    rules: await aDemoVisitor('/settings/recovery-rules'),
    flow: await aDemoVisitor('/flows'),
    account: await anOwner('/settings/account'),
    door: await aVisitor(),
  }
  await openFlow(pages.flow)
  await pages.door.goto(`${house.url}/login`)
  await cap(pages.rules).fill('5')
  await subject(pages.flow).fill('Your cart is waiting')
  await pages.account.getByLabel('Invite by email').fill('mia@team.example')
  await house.kill()

  await save(pages.rules).click()
  await save(pages.flow).click()
  await invite(pages.account).click()
  await signIn(pages.door)
  for (const page of Object.values(pages)) {
    await page.getByText('Recoup cannot be reached right now. Check your connection and try again.').first().waitFor()
  }
  for (const page of [pages.rules, pages.flow, pages.account]) {
    await page.getByText('Recoup’s server does not answer.').waitFor()
  }
  // Asking again while it is away takes nothing away.
  await pages.rules.getByRole('button', { name: 'Retry' }).first().click()
  await house.start()
  // It may find out by itself before anybody presses the button.
  const retry = pages.rules.getByRole('button', { name: 'Retry' }).first()
  await retry.click({ timeout: 5_000 }).catch(() => {})
  await pages.rules.getByText('Recoup’s server does not answer.').waitFor({ state: 'hidden' })
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
