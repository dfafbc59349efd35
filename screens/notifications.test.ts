import { describe, expect, test } from 'vitest'
import { checkConnection } from '../shared/access/stores.ts'
import { listNotifications, markNotificationsRead } from '../shared/workspace/notification-calls.ts'
import { fixture } from './api.ts'
import { createScreens } from './app.ts'
import { blockLiveConnection, createBell, isFocused, measureOverflow } from './notifications-bell.ts'
import { buildCart, createMemberList } from './notifications-list.ts'

const app = createScreens()
const list = createMemberList(app)
const {
  announceNew,
  bell,
  button,
  closeBell,
  expectBadge,
  expectNumbers,
  isLive,
  items,
  itemWith,
  openBell,
  panel,
  unreadDots,
} = createBell(app)

const deleteItem = (text: string) =>
  itemWith(text)
    .getByRole('button', { name: /^Delete/ })
    .click()
const listReadFlags = () => list.items.map(({ read }) => read)

const nameOfFocused = () => {
  const element = document.activeElement as HTMLInputElement
  const title = element.querySelector('.note-title')?.textContent
  return element.getAttribute('aria-label') ?? title ?? (element.value || element.innerText)
}

describe('the bell', () => {
  test('counts unread notifications, as 99+ above 99, and announces it to screen readers', {
    tags: ['A2.11', 'A4.6'],
  }, async () => {
    await app.open('/flows')
    await bell().waitFor()
    await expect.poll(() => bell().getAttribute('aria-label')).toBe('Notifications')
    await isLive()
    list.addNumbered(1, 2, 3)
    announceNew(...list.items)
    await expectBadge('3')
    await expect.poll(() => bell().getAttribute('aria-label')).toBe('Notifications, 3 unread')
    list.addNumbered(...Array.from({ length: 97 }, (_, index) => 10 + index))
    app.live.changed('notifications')
    await expectBadge('99+')
  })

  test('opens by its button and closes by button, outside click and Escape, which returns the focus', {
    tags: ['A4.6'],
  }, async () => {
    const page = await app.open('/flows')
    await openBell()
    await expect.poll(() => bell().getAttribute('aria-expanded')).toBe('true')
    await closeBell()
    // The heading is not focusable, so the click alone closes it.
    const presses = [
      () => page.getByRole('main').click({ position: { x: 20, y: 500 } }),
      () => page.getByRole('banner').getByRole('heading', { level: 1 }).click(),
      () => button('Refresh').press('Escape'),
    ]
    for (const press of presses) {
      await openBell()
      await press()
      await panel().waitFor({ state: 'detached' })
    }
    await expect.poll(() => isFocused(bell())).toBe(true)
  })

  test('loads the list when first opened, and again only while it is empty', {
    tags: ['A2.11', 'A4.6'],
  }, async () => {
    await blockLiveConnection(app.page)
    await app.open('/flows')
    await openBell()
    await panel().getByText('No notifications', { exact: true }).waitFor()
    const listRequests = () => app.api.calls(listNotifications).map(({ sent }) => sent.query)
    const store = { platform: 'woocommerce', storeId: fixture(checkConnection).store_url! }
    const query = { ...store, page: '1', limit: '10', skipTestNotification: 'false' }
    await expect.poll(() => listRequests()).toEqual([query])
    await closeBell()
    list.addNumbered(1)
    await openBell()
    await expectNumbers([1])
    await expect.poll(() => listRequests()).toEqual([query, query])
    await closeBell()
    await openBell()
    await expectNumbers([1])
    await app.waitUntilSettled()
    await expect.poll(() => listRequests()).toEqual([query, query])
  })

  test('shows all notifications or new carts, with the shopper’s location if the country is known', {
    tags: ['A2.11'],
  }, async () => {
    const place = { region: '', timezone: '' }
    list.add('cart_abandoned', buildCart('Ada Lovelace'), { ...place, city: 'London', country: 'United Kingdom' })
    list.add('cart_abandoned', buildCart('Bea Unknown'), { ...place, city: 'Nowhere', country: 'Unknown' })
    list.add('cart_abandoned', buildCart('Cleo Country'), { ...place, city: '', country: 'Germany' })
    list.addNumbered(7)
    await app.open('/flows')
    await openBell()
    await expect.poll(() => items().count()).toBe(4)
    await panel().getByText('New Carts').click()
    await expect.poll(() => items().count()).toBe(3)
    await itemWith('Ada Lovelace').getByText('London, United Kingdom').waitFor()
    await itemWith('Cleo Country').getByText('Germany', { exact: true }).waitFor()
    await expect.poll(() => itemWith('Bea Unknown').innerText()).not.toMatch(/Nowhere|Location/)
    await panel().getByText('All', { exact: true }).click()
    await expect.poll(() => items().count()).toBe(4)
  })

  test('loads ten more at a time, newest first, and skips none after a deletion', {
    tags: ['A2.11', 'A9'],
  }, async () => {
    const numbers = Array.from({ length: 23 }, (_, index) => index + 1)
    list.addNumbered(...numbers)
    const newest = numbers.toReversed()
    await app.open('/flows')
    await openBell()
    await expectNumbers(newest.slice(0, 10))
    await button('Load More').click()
    await expectNumbers(newest.slice(0, 20))
    await deleteItem('more than 23 ')
    await expectNumbers(newest.slice(1, 21))
    await button('Load More').click()
    await expectNumbers(newest.slice(1))
    await button('Load More').waitFor({ state: 'detached' })
  })

  test('opens a notification on its screen and marks it as read', { tags: ['A2.1', 'A2.11', 'A4.6'] }, async () => {
    const first = list.addNumbered(1)
    list.addNumbered(2)
    const page = await app.open('/flows')
    await openBell()
    await expect.poll(() => unreadDots().count()).toBe(2)
    await itemWith('more than 1 ').getByRole('link').click()
    await page.waitForURL(`**/notifications?platform=woocommerce&notificationId=${first._id}`)
    await panel().waitFor({ state: 'detached' })
    await expectBadge('1')
    await expect.poll(() => listReadFlags()).toEqual([false, true])
  })

  test('marks and clears only the notifications the browser has loaded', { tags: ['A2.11'] }, async () => {
    const shown = list.addNumbered(1, 2)
    await blockLiveConnection(app.page)
    await app.open('/flows')
    await openBell()
    await expectNumbers([2, 1])
    list.addNumbered(3)
    await button('Mark all as read').press('Enter')
    await expect.poll(listReadFlags).toEqual([false, true, true])
    await expect.poll(() => unreadDots().count()).toBe(0)
    await button('Clear all').click()
    await expect.poll(() => list.items.length).toBe(1)
    await expect.poll(() => app.api.calls(markNotificationsRead)[0]!.sent.body).toEqual({ upTo: shown._id })
  })

  test('deletes at once without a confirmation, and restores on Undo', { tags: ['A2.11'] }, async () => {
    list.addNumbered(1, 2, 3)
    const page = await app.open('/flows')
    await openBell()
    await deleteItem('more than 2 ')
    await expectNumbers([3, 1])
    await expectBadge('2')
    await expect.poll(() => list.items.length).toBe(2)
    await expect.poll(() => page.getByRole('dialog').count()).toBe(1)
    await panel().getByText('Notification deleted.').waitFor()
    await button('Undo').click()
    await expectNumbers([3, 2, 1])
    await expect.poll(() => list.items.length).toBe(3)
    await expectBadge('3')
    await button('Clear all').click()
    await panel().getByText('All notifications cleared.').waitFor()
    await panel().getByText('No notifications', { exact: true }).waitFor()
    await expectBadge('')
    // The focus moves to Undo, and back to the panel.
    await expect.poll(() => page.evaluate(nameOfFocused)).toBe('Undo')
    await page.keyboard.press('Enter')
    await expectNumbers([3, 2, 1])
    await expectBadge('3')
    await expect.poll(() => isFocused(panel())).toBe(true)
  })

  test('shows a connection test once, with its Test badge', { tags: ['A2.11', 'A3', 'A4.6'] }, async () => {
    const connectionTest = () =>
      list.add('connection_test', { test: true, channel: 'email', to: 'olive@owners.example' })
    list.addNumbered(1)
    const first = connectionTest()
    const badge = panel().getByText('Test', { exact: true })
    const page = await app.open('/flows')
    await expectBadge('2')
    await openBell()
    await badge.waitFor()
    await expect.poll(() => badge.count()).toBe(1)
    await expectBadge('1')
    await expect
      .poll(() => app.api.calls(markNotificationsRead).map(({ sent }) => sent.body))
      .toEqual([{ notificationIds: [first._id] }])
    await closeBell()
    await openBell()
    await expectNumbers([1])
    // It is not shown after a reload or in another browser either.
    await page.reload()
    await openBell()
    await expectNumbers([1])
    const requestsBefore = app.api.calls(listNotifications).length
    await button('Refresh').click()
    await expect.poll(() => app.api.calls(listNotifications).length).toBeGreaterThan(requestsBefore)
    await expectNumbers([1])
    await closeBell()
    connectionTest()
    await page.reload()
    await expectBadge('2')
    await openBell()
    await badge.waitFor()
  })

  test('shows the error, and loads again on Retry', { tags: ['B8'] }, async () => {
    list.addNumbered(1)
    app.api.fail(listNotifications, 400, { error: 'Not now, please.' })
    await app.open('/flows')
    await openBell()
    await panel().getByRole('alert').getByText('Not now, please.').waitFor()
    list.answer()
    await button('Retry').click()
    await expectNumbers([1])
  })

  test('works by keyboard, fits a phone and has no accessibility violations', async () => {
    list.add('cart_abandoned', buildCart('Wilhelmina Featherstonehaugh-Cholmondeley'))
    list.addNumbered(1, 2)
    const page = await app.open('/flows')
    await bell().press('Enter')
    await panel().waitFor()
    await expect.poll(() => items().count()).toBe(3)
    await expect.poll(() => isFocused(panel())).toBe(true)
    const names: string[] = []
    for (let stop = 0; stop < 10; stop += 1) {
      await page.keyboard.press('Tab')
      names.push(await page.evaluate(nameOfFocused))
    }
    expect(names).toEqual([
      'Refresh',
      'all',
      'Mark all as read',
      'Clear all',
      'Unusually many new contacts',
      'Delete: Unusually many new contacts',
      'Unusually many new contacts',
      'Delete: Unusually many new contacts',
      'Cart abandoned',
      'Delete: Cart abandoned',
    ])
    await page.keyboard.press('Enter')
    await expect.poll(() => items().count()).toBe(2)
    await expect.poll(() => page.evaluate(nameOfFocused)).toBe('Delete: Unusually many new contacts')
    for (const viewport of [
      { width: 1280, height: 900 },
      { width: 360, height: 740 },
    ]) {
      await page.setViewportSize(viewport)
      await expect.poll(() => page.evaluate(measureOverflow)).toBeLessThanOrEqual(0)
      const isInside = await panel().evaluate((element) => {
        const { left, right, bottom } = element.getBoundingClientRect()
        return left >= 0 && right <= innerWidth && bottom <= innerHeight
      })
      expect([viewport.width, isInside]).toEqual([viewport.width, true])
    }
    const buttons = panel().getByRole('button', { name: /^(Delete|Refresh|Clear all|Mark all)/ })
    const sizes = await buttons.evaluateAll((all) => all.map((each) => each.getBoundingClientRect()))
    // Minimum touch size.
    expect(sizes.length).toBeGreaterThan(4)
    expect(sizes.filter(({ width, height }) => Math.min(width, height) < 36)).toEqual([])
    expect(await app.findViolations()).toEqual([])
    await page.setViewportSize({ width: 1280, height: 900 })
    // Tab leaves it, and it closes.
    await panel().getByRole('link', { name: 'View all notifications' }).press('Tab')
    await panel().waitFor({ state: 'detached' })
  })
})

describe('the live connection', () => {
  test('shows notifications added, read or deleted in another tab at once', { tags: ['A4.6'] }, async () => {
    list.addNumbered(1)
    await app.open('/flows')
    await isLive()
    await openBell()
    await expectNumbers([1])
    const second = list.addNumbered(2)
    announceNew(second, list.addNumbered(3))
    await expectNumbers([3, 2, 1])
    await expectBadge('3')
    for (const item of list.items.slice(1)) item.read = true
    app.live.notify({ type: 'read', notificationIds: [], upTo: second._id, read: true })
    await expectBadge('1')
    await expect.poll(() => unreadDots().count()).toBe(1)
    list.items.splice(1, 1)
    app.live.notify({ type: 'delete', notificationIds: [second._id] })
    await expectNumbers([3, 1])
    expect(app.api.calls(markNotificationsRead)).toEqual([])
  })

  /** Disconnects the live connection until it is restored. */
  async function lose(): Promise<void> {
    await app.page.route('**/socket.io/**', (route) => route.abort())
    app.live.drop()
    await expect.poll(() => app.live.connections()).toBe(0)
  }
  const mend = () => app.page.unroute('**/socket.io/**')

  test('loads notifications added, read or deleted during a disconnection', async () => {
    list.addNumbered(1, 2, 3)
    await app.open('/flows')
    await isLive()
    await openBell()
    await expectNumbers([3, 2, 1])
    await lose()
    list.items.pop()
    list.items[1]!.read = true
    list.addNumbered(4, 5)
    await expectNumbers([3, 2, 1])
    await mend()
    await expectNumbers([5, 4, 3, 2])
    await expectBadge('3')
    await expect.poll(() => unreadDots().count()).toBe(3)
    await expect.poll(() => app.api.calls(listNotifications).some(({ query }) => query.after !== undefined)).toBe(true)
    await lose()
    list.addNumbered(...Array.from({ length: 500 }, (_, index) => 1_001 + index))
    await mend()
    await expectNumbers(Array.from({ length: 10 }, (_, index) => 1_500 - index))
    await expectBadge('99+')
    announceNew(list.addNumbered(2_000))
    await itemWith('more than 2000').waitFor()
  })

  test('sends pending marks over the live connection', { tags: ['A8'] }, async () => {
    const { _id } = list.addNumbered(1)
    const sent: string[] = []
    app.page.on('request', (request) => sent.push(request.postData() ?? ''))
    app.page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => sent.push(String(payload))))
    const page = await app.open('/flows')
    await isLive()
    await openBell()
    await expectNumbers([1])
    await lose()
    app.api.fail(markNotificationsRead, 500)
    await items().getByRole('link').click()
    await page.waitForURL('**/notifications?*')
    await expectBadge('')
    await expect.poll(() => app.api.calls(markNotificationsRead).length).toBe(1)
    await mend()
    const listMarks = () => sent.filter((text) => text.includes('mark-notifications-read'))
    await expect.poll(listMarks).toEqual([expect.stringContaining(_id)])
  })
})
