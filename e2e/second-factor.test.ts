import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generateCode } from '../test/authenticator.ts'
import { listMails, waitUntil } from './app-instance.ts'
import { closePages, openBrowser } from './browser.ts'
import { createClientHeaders, createOwnerWithoutStore, findMailLink, PASSWORD } from './owner.ts'
import { type SharedInstance, startSharedInstance } from './shared-instances.ts'

let instance: SharedInstance
let browser: Browser

beforeAll(async () => {
  instance = await startSharedInstance('own')
  browser = await openBrowser()
})

afterAll(() => closePages(browser))

test('a second factor is set up, required at sign-in, and still required after a password reset by mail', async () => {
  const openPage = async () => (await browser.newContext({ extraHTTPHeaders: createClientHeaders() })).newPage()
  const page = await openPage()
  const { ask, email } = await createOwnerWithoutStore(instance, page)
  await page.goto(`${instance.url}/settings/account`)
  const card = page.locator('.mantine-Card-root', { has: page.getByRole('heading', { name: 'Two-factor sign-in' }) })
  await card.getByRole('button', { name: 'Set up' }).click()
  await card.getByLabel('Current password').fill(PASSWORD)
  await page.keyboard.press('Enter')
  const secret = (await card.locator('.typed-secret').innerText()).replaceAll(' ', '')
  await card.getByLabel('Code the app shows now').fill(generateCode(secret, new Date()))
  await page.keyboard.press('Enter')
  await card.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
  const recoveryCodes = await card.locator('.recovery-codes > li').allInnerTexts()
  expect(recoveryCodes).toHaveLength(10)
  await waitUntil(async () => (await listMails(instance, email)).some(({ subject }) => /was switched on/.test(subject)))

  const enterPassword = async (visitor: Page, password: string) => {
    await visitor.goto(`${instance.url}/login`)
    await visitor.getByLabel('Email').fill(email)
    await visitor.getByLabel('Password', { exact: true }).fill(password)
    await visitor.keyboard.press('Enter')
    await visitor.getByRole('heading', { level: 1, name: 'Two-factor sign-in' }).waitFor()
  }
  // A code is valid once, so use the next one, in two groups as pasted from an app.
  const first = await openPage()
  await enterPassword(first, PASSWORD)
  await first.keyboard.insertText(generateCode(secret, new Date(), 1).replace(/^\d{3}/, '$& '))
  await first.keyboard.press('Enter')
  await first.waitForURL('**/store-setup')

  const second = await openPage()
  await second.goto(`${instance.url}/login`)
  await second.getByRole('button', { name: 'Forgot password?' }).click()
  await second.getByLabel('Email').fill(email)
  await second.getByRole('button', { name: 'Send reset link' }).click()
  await second.goto(await findMailLink(instance, email, /reset/i))
  await second.getByLabel('New password', { exact: true }).fill(`${PASSWORD}!`)
  await second.getByLabel('Repeat new password').fill(`${PASSWORD}!`)
  await second.getByRole('button', { name: 'Set new password' }).click()
  await second.getByText('Your password has been reset. You can sign in now.').waitFor()
  await enterPassword(second, `${PASSWORD}!`)
  await second.getByRole('button', { name: 'Use a recovery code instead' }).click()
  for (const code of ['aaaa-aaaa', recoveryCodes[0]!]) {
    await second.getByLabel('Recovery code', { exact: true }).fill(code)
    await second.keyboard.press('Enter')
    if (code !== recoveryCodes[0]) await second.getByText('That recovery code is not right').waitFor()
  }
  await second.waitForURL('**/store-setup')
  // Sessions from before the reset have ended.
  expect(await ask('GET', '/api/auth/me')).toMatchObject({ code: 'session' })
  await second.goto(`${instance.url}/settings/account`)
  await second.getByText('9 codes left').waitFor()
})
