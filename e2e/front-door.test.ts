import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { listMails, readMail, waitUntil } from './app-instance.ts'
import { closePages, openBrowser } from './browser.ts'
import { pressTabTo } from './keys.ts'
import { type SharedInstance, startSharedInstance } from './shared-instances.ts'

// Keyboard-only journeys: the live demo, and a new account up to its connected store.

const PASSWORD = 'four pots on Kiln Road'
let instance: SharedInstance
let browser: Browser
let page: Page

beforeAll(async () => {
  instance = await startSharedInstance('demo')
  browser = await openBrowser()
})
afterEach(() => closePages(browser))

const press = (key: string) => page.keyboard.press(key)
const type = (text: string) => page.keyboard.type(text)
const link = (name: string) => page.getByRole('link', { name, exact: true }).first()
const findButton = (name: string) => page.getByRole('button', { name, exact: true })
async function activate(target: Locator, key?: string): Promise<void> {
  await pressTabTo(target, key)
  await press('Enter')
}
async function enter(label: string, text: string): Promise<void> {
  await pressTabTo(page.getByLabel(label, { exact: true }))
  await press('Control+a')
  await type(text)
}

const openPage = async (): Promise<Page> =>
  (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage()
const readStoredToken = () => page.evaluate(() => localStorage.getItem('token'))
const ask = (token: string | null, to: string, method = 'GET') =>
  fetch(instance.url + to, { method, headers: { authorization: `Bearer ${token}` } })

/** Waits for the mail with this subject. */
async function findMail(address: string, subject: RegExp) {
  const find = async () => (await listMails(instance, address)).find((mail) => subject.test(mail.subject))
  await waitUntil(async () => (await find()) !== undefined)
  return readMail(instance, (await find())!.id)
}

/** The demo store generates its keys per data folder. */
function storeKeys(): { consumerKey: string; consumerSecret: string } {
  const file = new DatabaseSync(path.join(instance.dataDir, 'demo-store.sqlite'), { readOnly: true })
  const { value } = file.prepare("select value from meta where key = 'owner-keys'").get() as { value: string }
  file.close()
  return JSON.parse(value)
}

test('a visitor opens and closes the live demo with the keyboard', {
  tags: ['A2.1', 'A4.2'],
}, async () => {
  page = await openPage()
  await page.goto(instance.url)
  await page.waitForURL('**/landing')
  await activate(link('Try the live demo'))
  await page.waitForURL('**/dashboard')
  // The demo's history may still be being written.
  await page.locator('.recent-cart').first().waitFor()
  const token = await readStoredToken()
  expect((await ask(token, '/api/auth/me')).status).toBe(200)
  await activate(page.getByRole('banner').getByRole('button', { name: 'Logout' }))
  await activate(page.getByRole('dialog').getByRole('button', { name: 'Log out' }))
  await page.waitForURL('**/landing')
  await page.getByRole('heading', { level: 1, name: /^Win back/ }).waitFor()
  await expect.poll(() => readStoredToken()).toBeNull()
  expect((await ask(token, '/api/auth/me')).status).toBe(401)
})

test('a new account signs up, connects its store and continues typing after its session expired, by keyboard alone', {
  tags: ['A4.1', 'A4.2', 'A4.3', 'A4.4'],
}, async () => {
  const email = 'ada@front-door.example'
  page = await openPage()
  await page.goto(`${instance.url}/register`)
  await enter('Name', 'Ada')
  await enter('Email', email)
  await enter('Password', PASSWORD)
  await enter('Repeat password', 'something else')
  await press('Enter')
  await page.getByText('Passwords do not match').waitFor()
  await enter('Repeat password', PASSWORD)
  await press('Enter')
  await page.waitForURL('**/pricing')
  const plan = async () =>
    ((await (await ask(await readStoredToken(), '/api/subscribe/status')).json()) as { plan: unknown }).plan
  await expect.poll(() => plan()).toBeNull()
  // Nothing is sent for an account before its address is confirmed.
  const [link] = /\/verify-email\?token=[\w.-]+/.exec((await findMail(email, /^Confirm your email/)).text)!
  await page.goto(instance.url + link)
  await activate(findButton('Confirm this address'))
  await page.getByRole('heading', { name: 'Email address confirmed' }).waitFor()
  await page.goto(`${instance.url}/pricing`)
  await activate(findButton('Continue with Lite'))
  await page.waitForURL('**/store-setup')
  await expect.poll(() => plan()).toBe('free')
  const keys = storeKeys()
  await enter('Store URL', instance.storeUrl)
  await enter('Consumer key', keys.consumerKey)
  await enter('Consumer secret', keys.consumerSecret)
  await press('Enter')
  await activate(findButton('Set sender and address'))
  await page.waitForURL('**/settings/sending/sender')
  await enter('Sender name', 'Ada’s pots')
  // Ended elsewhere, as by “Sign out everywhere”.
  expect((await ask(await readStoredToken(), '/api/auth/logout', 'POST')).status).toBe(200)
  await press('Control+s')
  await page.waitForURL('**/login')
  await enter('Email', email)
  await enter('Password', PASSWORD)
  await press('Enter')
  await page.waitForURL('**/settings/sending/sender')
  await expect.poll(() => page.getByLabel('Sender name', { exact: true }).inputValue()).toBe('Ada’s pots')
  const saveBar = page.getByRole('region', { name: 'Unsaved changes' })
  await saveBar.waitFor()
  await press('Control+s')
  await saveBar.waitFor({ state: 'hidden' })
  const connection = async () =>
    (await (await ask(await readStoredToken(), '/api/stores/check-connection')).json()) as {
      hasConnection: boolean
      store: { senderName: string } | null
    }
  await expect.poll(() => connection()).toMatchObject({ hasConnection: true, store: { senderName: 'Ada’s pots' } })
  await page.goto(`${instance.url}/settings/sending/mail-server`)
  await activate(findButton('Send test email'))
  await findMail(email, /^Test email/)
  await page.goto(`${instance.url}/settings`)
  await activate(findButton('Disconnect Store'))
  await activate(page.getByRole('dialog').getByRole('button', { name: 'Disconnect Store' }))
  await page.waitForURL('**/store-setup')
  await expect.poll(async () => (await connection()).hasConnection).toBe(false)
})
