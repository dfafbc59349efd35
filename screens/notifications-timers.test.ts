import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import {
  deleteNotifications,
  listNotifications,
  markNotificationsRead,
} from '../shared/workspace/notification-calls.ts'
import { createScreens } from './app.ts'
import { blockLiveConnection, createBell, isFocused } from './notifications-bell.ts'
import { createMemberList } from './notifications-list.ts'

const app = createScreens()
const list = createMemberList(app)
const { anotherTab, bell, button, expectBadge, expectNumbers, items, openBell, unreadDots } = createBell(app)

/** A screen whose clock is stopped once it is `ready`. */
async function stopClock(path: string, ready: (page: Page) => Promise<unknown>): Promise<Page> {
  const page = await anotherTab()
  await blockLiveConnection(page)
  await page.clock.install()
  await page.goto(app.url + path)
  await ready(page)
  await page.waitForFunction(() => !document.querySelector('.route-transition'))
  await page.clock.pauseAt(Date.now() + 20_000)
  return page
}

/** With one unread notification in the open bell. */
async function openWithClock() {
  list.addNumbered(1)
  const page = await stopClock('/flows', async (page) => {
    await openBell(page)
    await expectNumbers([1], page)
  })
  const marks: number[] = []
  page.on('request', (request) => /mark-read/.test(request.url()) && marks.push(1))
  return { page, marks: () => marks.length, mark: () => button('Mark all as read', page).click() }
}

async function pass(page: Page, ms: number): Promise<void> {
  await page.clock.runFor(ms)
  // Requests the page has started are sent before this one is answered.
  await page.evaluate(() => fetch('/blank').then((reply) => reply.text()))
}

/** React also renders on the page's clock. */
const DRAW_MS = 20
const isDrawn = (page: Page, look: () => Promise<unknown>, expected: unknown) =>
  expect
    .poll(async () => {
      await page.clock.runFor(DRAW_MS)
      return look()
    })
    .toEqual(expected)

test('Refresh asks one second after the last of several presses', { tags: ['A2.11', 'A4.6', 'A9'] }, async () => {
  const { page } = await openWithClock()
  const before = app.api.calls(listNotifications).length
  const countRequests = () => app.api.calls(listNotifications).length - before
  await button('Refresh', page).click()
  await pass(page, 900)
  await button('Refresh', page).click()
  await pass(page, 999)
  expect(countRequests()).toBe(0)
  await pass(page, 1)
  await expect.poll(countRequests).toBe(1)
  await pass(page, 10_000)
  await expect.poll(() => countRequests()).toBe(1)
})

test('an unanswered mark times out after 10 seconds and is retried after 1, 2 and 4 seconds, then later', {
  tags: ['A8'],
}, async () => {
  const { page, marks, mark } = await openWithClock()
  const held = app.api.hold(markNotificationsRead)
  await mark()
  await expect.poll(marks).toBe(1)
  await pass(page, DRAW_MS)
  await expectBadge('', page)
  for (const [ms, expected] of [
    [10_999 - DRAW_MS, 1] as const,
    [1, 2] as const,
    [11_999, 2] as const,
    [1, 3] as const,
    [13_999, 3] as const,
    [1, 4] as const,
    // At most three retries: the mark stays in the browser and is sent again 30 seconds later.
    [10_000, 4] as const,
    [29_999, 4] as const,
    [1, 5] as const,
  ]) {
    await pass(page, ms)
    await expect.poll(marks).toBe(expected)
  }
  await expect.poll(() => unreadDots(page).count()).toBe(0)
  held.release()
})

test('a mark is retried after a network error until the first answer', { tags: ['A8'] }, async () => {
  const { page, marks, mark } = await openWithClock()
  let isAway = true
  await page.route('**/mark-read*', (route) => (isAway ? route.abort() : route.fallback()))
  await mark()
  await expect.poll(marks).toBe(1)
  await pass(page, 999)
  await expect.poll(() => marks()).toBe(1)
  await pass(page, 1)
  await expect.poll(marks).toBe(2)
  await pass(page, 1_999)
  await expect.poll(() => marks()).toBe(2)
  isAway = false
  await pass(page, 1)
  await expect.poll(marks).toBe(3)
  await expect.poll(list.unread).toBe(0)
  await pass(page, 20_000)
  await expect.poll(() => marks()).toBe(3)
})

test('a mark stays in the browser after another error and is sent later', { tags: ['A8'] }, async () => {
  const { page, marks, mark } = await openWithClock()
  app.api.fail(markNotificationsRead, 500)
  await mark()
  await expect.poll(marks).toBe(1)
  await pass(page, 10_000)
  await expect.poll(() => marks()).toBe(1)
  await button('Refresh', page).click()
  await pass(page, 1_000)
  await isDrawn(page, () => unreadDots(page).count(), 0)
  await isDrawn(page, () => page.locator('.bell-badge').count(), 0)
  list.answer()
  await pass(page, 20_000)
  await expect.poll(list.unread).toBe(0)
})

test('a mark is reverted after a 401', { tags: ['A8'] }, async () => {
  const { page, marks, mark } = await openWithClock()
  app.api.raw(markNotificationsRead, 401, { error: 'No.', code: 'proxy' })
  await mark()
  await expect.poll(marks).toBe(1)
  await isDrawn(page, () => unreadDots(page).count(), 1)
  await isDrawn(page, () => page.locator('.bell-badge').allInnerTexts(), ['1'])
  await pass(page, 60_000)
  await expect.poll(() => [marks(), list.unread()]).toEqual([1, 1])
})

test('a deletion can be undone for 10 seconds', async () => {
  const { page } = await openWithClock()
  const undo = button('Undo', page)
  await items(page)
    .getByRole('button', { name: /^Delete/ })
    .click()
  await undo.waitFor()
  await pass(page, 9_999)
  await expect.poll(() => undo.count()).toBe(1)
  await pass(page, 1)
  await isDrawn(page, () => undo.count(), 0)
  await expect.poll(() => list.items).toEqual([])
  await expect.poll(() => app.api.calls(deleteNotifications)).toHaveLength(1)
})

test('the screen deletes from the detail and restores on Undo, which is offered in each open list and announced once', async () => {
  list.addNumbered(1, 2)
  const findArea = (page: Page) => page.getByRole('region', { name: 'List of notifications' })
  const rows = (page: Page) => findArea(page).getByRole('listitem')
  const page = await stopClock('/notifications', (page) => rows(page).nth(1).waitFor())
  const detail = page.getByRole('region', { name: 'Notification', exact: true })
  await rows(page).filter({ hasText: 'more than 2 ' }).getByRole('link').click()
  await detail.getByRole('button', { name: 'Delete' }).click()
  await isDrawn(page, () => rows(page).count(), 1)
  await detail.getByText('Select a notification to view details').waitFor()
  // With the bell open on it there are two bars.
  await bell(page).click()
  await isDrawn(page, () => page.locator('.undo-place').count(), 2)
  await isDrawn(page, () => page.locator('.undo-place[role=status]').count(), 1)
  await page.keyboard.press('Escape')
  await findArea(page).getByRole('button', { name: 'Undo' }).click()
  await isDrawn(page, () => rows(page).count(), 2)
  await expect.poll(() => isFocused(findArea(page))).toBe(true)
  await expect.poll(() => list.items.length).toBe(2)
})
