import { randomUUID } from 'node:crypto'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DemoStore, startDemoStore } from '../providers/woocommerce/store.ts'
import type { NotificationView } from '../shared/workspace/notification-calls.ts'
import { type AppInstance, listMails, readMail, waitUntil } from './app-instance.ts'
import { closePages, openBrowser } from './browser.ts'
import { createOwnerWithoutStore, KEYS } from './owner.ts'
import { startSharedInstance } from './shared-instances.ts'

let instance: AppInstance
let shop: DemoStore
let browser: Browser

beforeAll(async () => {
  instance = (await startSharedInstance('free')) as AppInstance
  shop = await startDemoStore({ port: 0, dataFile: ':memory:', ...KEYS })
  browser = await openBrowser()
})
afterAll(async () => {
  if (browser) await closePages(browser)
  await shop?.stop()
})

const findPanel = (page: Page) => page.getByRole('dialog', { name: 'Notifications' })
const linkTo = (page: Page, id: string) => findPanel(page).locator(`a[href*="${id}"]`)
const findBadge = (page: Page) => page.locator('.bell-badge')

/** Opens a tab with the bell open, and waits for its live connection. */
async function openTab(token: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  await page.goto(`${instance.url}/readyz`)
  await page.evaluate((value) => localStorage.setItem('token', value), token)
  const joined = page.waitForResponse(
    (reply) => reply.url().includes('/socket.io/') && reply.request().method() === 'POST',
  )
  await page.goto(`${instance.url}/flows`)
  await joined
  await page
    .getByRole('banner')
    .getByRole('button', { name: /^Notifications/ })
    .click()
  await findPanel(page).waitFor()
  return page
}

test('a store that refuses its keys is reported live in every tab and by one mail', {
  tags: ['A2.11', 'A4.6', 'A7'],
}, async () => {
  const email = `bell-${randomUUID()}@owners.example`
  const first = await (await browser.newContext()).newPage()
  const owner = await createOwnerWithoutStore(instance, first, email)
  await owner.connect(shop)
  const token = (await first.evaluate(() => localStorage.getItem('token')))!
  const [tab, other] = [await openTab(token), await openTab(token)]

  shop.shop.db.sqlite.prepare('delete from api_keys where consumer_key = ?').run(KEYS.consumerKey)
  await owner.ask('POST', '/api/stores/sync', {})
  const find = async () => {
    const { notifications } = await owner.ask<{ notifications: NotificationView[] }>('GET', '/api/notifications')
    return notifications.find(({ type }) => type === 'store_check_failed')
  }
  await waitUntil(async () => (await find()) !== undefined)
  const { _id, title, message } = (await find())!
  for (const page of [tab, other]) await linkTo(page, _id).waitFor()

  await findPanel(tab).getByRole('button', { name: 'Mark all as read' }).click()
  await expect.poll(() => findBadge(other).count()).toBe(0)
  expect((await find())!.read).toBe(true)
  await findPanel(tab)
    .getByRole('listitem')
    .filter({ has: tab.locator(`a[href*="${_id}"]`) })
    .getByRole('button', { name: /^Delete/ })
    .click()
  await linkTo(other, _id).waitFor({ state: 'detached' })
  await findPanel(tab).getByRole('button', { name: 'Undo' }).click()
  await linkTo(other, _id).waitFor()

  const listReports = async () => (await listMails(instance, email)).filter(({ subject }) => subject.startsWith(title))
  await waitUntil(async () => (await listReports()).length > 0)
  expect(await listReports()).toHaveLength(1)
  const { html, text, raw } = await readMail(instance, (await listReports())[0]!.id)
  expect(raw).toMatch(/^Auto-Submitted: auto-generated\r?$/m)
  expect(raw).toMatch(/^Content-Type: multipart\/alternative/m)
  const link = text.split(/\s+/).find((word) => word.includes(`notificationId=${_id}`))!
  expect(html.replaceAll('&amp;', '&')).toContain(link)
  await other.goto(link)
  await other.getByRole('region', { name: 'Notification', exact: true }).getByText(message).waitFor()
})
