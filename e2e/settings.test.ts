import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aHouse, type House, mailsTo, openBrowser, until } from './house.ts'

// Settings as two people of a team use them at the same time.

let house: House
let browser: Browser
let ada: Page
let mia: Page

beforeAll(async () => {
  house = await aHouse()
  browser = await openBrowser()
  ada = await signedIn()
  mia = await signedIn()
  await until(isHistoryThere, 150_000, 1_000)
}, 200_000)

afterAll(async () => {
  await browser?.close()
  await house?.stop()
})

async function signedIn(): Promise<Page> {
  const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
  await page.goto(`${house.url}/login`)
  await page.getByRole('button', { name: 'Try the live demo' }).click()
  await page.getByRole('navigation', { name: 'Sections' }).waitFor()
  return page
}

/** The demo's past is written in one transaction; its settings can be changed after it. */
async function isHistoryThere(): Promise<boolean> {
  const token = await ada.evaluate(() => localStorage.getItem('token') ?? sessionStorage.getItem('token'))
  const headers = { authorization: `Bearer ${token}` }
  const reply = await fetch(`${house.url}/api/carts/abandoned?status=recovered`, { headers })
  return ((await reply.json()) as { carts: unknown[] }).carts.length > 0
}

const bar = (page: Page) => page.getByRole('region', { name: 'Unsaved changes' })
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
const open = async (page: Page, tab: string) => {
  await page.goto(`${house.url}/settings/${tab}`)
  await page.getByRole('navigation', { name: 'Settings' }).waitFor()
}

test('a wrong value is said at its field, leaving asks, and Ctrl+S saves', async () => {
  await open(ada, 'recovery-rules')
  await field(ada, 'Messages per person').fill('99')
  await ada.keyboard.press('Control+s')
  await ada.getByText('A whole number from 1 to 20').waitFor()
  expect(await field(ada, 'Messages per person').getAttribute('aria-invalid')).toBe('true')
  await field(ada, 'Messages per person').fill('4')
  await ada.getByRole('link', { name: 'Appearance' }).click()
  await ada.getByRole('dialog').getByText('have not been saved').waitFor()
  await ada.getByRole('button', { name: 'Cancel' }).click()
  await ada.keyboard.press('Control+s')
  await bar(ada).waitFor({ state: 'hidden' })
  await ada.reload()
  await until(async () => (await field(ada, 'Messages per person').inputValue()) === '4', 10_000)
})

test('who saves after somebody else is told, and neither loses anything', async () => {
  await open(ada, 'recovery-rules')
  await open(mia, 'recovery-rules')
  await field(ada, 'Days').fill('9')
  await field(mia, 'Messages per person').fill('2')
  await field(mia, 'Days').fill('7')
  await mia.getByRole('button', { name: 'Save' }).click()
  await bar(mia).waitFor({ state: 'hidden' })
  await ada.getByRole('button', { name: 'Save' }).click()
  await ada.getByText('“Attribution window” (theirs: 7 days)').waitFor()
  // Hers is still typed, his is taken in.
  expect(await field(ada, 'Days').inputValue()).toBe('9')
  expect(await field(ada, 'Messages per person').inputValue()).toBe('2')
  await ada.getByRole('button', { name: 'Save' }).click()
  await bar(ada).waitFor({ state: 'hidden' })
  await mia.reload()
  await until(async () => (await field(mia, 'Days').inputValue()) === '9', 10_000)
  expect(await field(mia, 'Messages per person').inputValue()).toBe('2')
})

test('a test mail shows the mail server’s own answers, and arrives', async () => {
  await open(ada, 'sending')
  const card = ada.getByRole('region', { name: 'Test mail' })
  await card.getByRole('button', { name: 'Send test mail' }).click()
  const steps = card.getByRole('list', { name: 'Steps of the test mail' })
  await steps.getByRole('heading', { name: 'Hand over' }).waitFor()
  expect(await steps.getByText(/^220 /).count()).toBe(1)
  const to = /took the mail to (\S+)\./.exec(await card.getByText('took the mail to').innerText())![1]!
  await until(async () => (await mailsTo(house, to)).some(({ subject }) => subject.startsWith('Test mail of')), 10_000)
})

test('the doctor asks the store, and again when wanted', async () => {
  await open(ada, '')
  const card = ada.getByRole('region', { name: 'Connection doctor' })
  const parts = card.getByRole('list', { name: 'Parts of the connection' })
  await parts.getByText('The store knows the key and accepts its secret.').waitFor({ timeout: 30_000 })
  expect(await parts.getByRole('listitem').count()).toBe(8)
  const again = ada.waitForResponse((response) => response.url().includes('/api/stores/doctor'))
  await card.getByRole('button', { name: 'Run again' }).click()
  expect((await again).status()).toBe(200)
})

test('an answer has an address, one is open at a time, and words find it', async () => {
  await open(ada, 'faq#api-keys')
  await ada.getByText('Press Add key').waitFor()
  await ada.getByRole('button', { name: 'How often is my store’s data synced?' }).click()
  await ada.waitForURL('**/settings/faq#sync')
  await ada.getByText('Press Add key').waitFor({ state: 'hidden' })
  await ada.getByRole('searchbox', { name: 'Search the questions' }).fill('unsubscribe')
  await until(async () => (await ada.getByRole('heading', { level: 3 }).count()) === 1, 5_000)
})
