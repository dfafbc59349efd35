import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { axeOf } from '../axe.ts'
import { checkInEveryTheme } from '../every-theme.ts'
import { isFocused } from '../keys.ts'
import {
  aBrowser,
  at,
  bell,
  cartOf,
  expectBadge,
  expectNumbers,
  instance,
  isListed,
  itemsOf,
  listed,
  numbered,
  numbersIn,
  openBell,
  panel,
  setZone,
  tell,
  unreadOf,
} from './scene.ts'

// The panel under the bell, as A 2.11 and 4.6 have it.

/** The calls for the list that the page makes. */
function listCalls(page: Page): string[] {
  const calls: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (pathname === '/api/notifications' && request.method() === 'GET') calls.push(search)
  })
  return calls
}

export function ofThePanel() {
  test('has a badge with the count of unread, which is 99+ above 99, and says it to a screen reader', async () => {
    const page = await at(await aBrowser('olive'))
    await bell(page).waitFor()
    expect(await bell(page).getAttribute('aria-label')).toBe('Notifications')
    await numbered(1, 2, 3)
    await expectBadge(page, '3')
    expect(await bell(page).getAttribute('aria-label')).toBe('Notifications, 3 unread')
    await numbered(...Array.from({ length: 100 }, (_, index) => 10 + index))
    await expectBadge(page, '99+')
    await page.context().close()
  })

  test('opens and closes by its button, and closes by a press outside and by Escape, which leads back to it', async () => {
    const page = await at(await aBrowser('olive'))
    await openBell(page)
    expect(await bell(page).getAttribute('aria-expanded')).toBe('true')
    await bell(page).click()
    await panel(page).waitFor({ state: 'detached' })
    await openBell(page)
    await page.getByRole('main').click({ position: { x: 20, y: 500 } })
    await panel(page).waitFor({ state: 'detached' })
    // The heading takes no focus: the press alone closes it.
    await openBell(page)
    await page.getByRole('banner').getByRole('heading', { level: 1 }).click()
    await panel(page).waitFor({ state: 'detached' })
    await openBell(page)
    await panel(page).getByRole('button', { name: 'Refresh' }).press('Escape')
    await panel(page).waitFor({ state: 'detached' })
    expect(await bell(page).evaluate((element) => element === document.activeElement)).toBe(true)
    await page.context().close()
  })

  test('asks for the list when it is first opened, and again only where it was empty', async () => {
    // Without the live connection, which would fill it.
    const page = await aBrowser('olive')
    await page.route('**/socket.io/**', (route) => route.abort())
    await page.goto(`${instance.url}/flows`)
    const calls = listCalls(page)
    await openBell(page)
    await panel(page).getByText('No notifications', { exact: true }).waitFor()
    expect(calls).toEqual(['?platform=woocommerce&page=1&limit=10&skipTestNotification=false'])
    await bell(page).click()
    await numbered(1)
    await isListed(1)
    await openBell(page)
    await expectNumbers(page, [1])
    expect(calls).toHaveLength(2)
    await bell(page).click()
    await openBell(page)
    await expectNumbers(page, [1])
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)))
    expect(calls).toHaveLength(2)
    await page.context().close()
  })

  test('shows all or the new carts, with the place of the shopper where the country is known', async () => {
    await tell('cart_abandoned', cartOf('Ada Lovelace'), cartOf('Bea Unknown'), cartOf('Cleo Country'))
    await numbered(7)
    await isListed(4)
    await setZone('Ada Lovelace', { city: 'London', region: 'England', country: 'United Kingdom', timezone: 'x' })
    await setZone('Bea Unknown', { city: 'Nowhere', region: '', country: 'Unknown', timezone: '' })
    await setZone('Cleo Country', { city: '', region: '', country: 'Germany', timezone: '' })
    const page = await at(await aBrowser('olive'))
    await openBell(page)
    await expect.poll(() => itemsOf(page).count()).toBe(4)
    await panel(page).getByText('New Carts').click()
    await expect.poll(() => itemsOf(page).count()).toBe(3)
    const item = (customer: string) => itemsOf(page).filter({ hasText: customer })
    await item('Ada Lovelace').getByText('London, United Kingdom').waitFor()
    await item('Cleo Country').getByText('Germany', { exact: true }).waitFor()
    expect(await item('Bea Unknown').innerText()).not.toMatch(/Nowhere|Location/)
    await panel(page).getByText('All', { exact: true }).click()
    await expect.poll(() => itemsOf(page).count()).toBe(4)
    await page.context().close()
  })

  test('goes on with Load More until all are there, ten at a time, the newest first', async () => {
    const numbers = Array.from({ length: 23 }, (_, index) => index + 1)
    await numbered(...numbers)
    await isListed(23)
    const newest = numbers.toReversed()
    const page = await at(await aBrowser('olive'))
    await openBell(page)
    const more = panel(page).getByRole('button', { name: 'Load More' })
    await expectNumbers(page, newest.slice(0, 10))
    await more.click()
    await expectNumbers(page, newest.slice(0, 20))
    // What is deleted moves the rest up; nothing is skipped by that.
    await itemsOf(page)
      .first()
      .getByRole('button', { name: /^Delete/ })
      .click()
    await expect.poll(async () => (await numbersIn(page))[0]).toBe(newest[1])
    await more.click()
    await expectNumbers(page, newest.slice(1))
    await more.waitFor({ state: 'detached' })
    await page.context().close()
  })

  test('leads from an unread item to the notifications screen, and marks it as read', async () => {
    await numbered(1, 2)
    await isListed(2)
    const [, first] = await listed('olive')
    const page = await at(await aBrowser('olive'))
    await openBell(page)
    await expect.poll(() => itemsOf(page).getByText('Unread').count()).toBe(2)
    await itemsOf(page).filter({ hasText: 'more than 1 ' }).getByRole('link').click()
    await page.waitForURL(`**/notifications?platform=woocommerce&notificationId=${first!._id}`)
    await panel(page).waitFor({ state: 'detached' })
    await expectBadge(page, '1')
    await expect.poll(async () => (await listed('olive')).map(({ read }) => read)).toEqual([false, true])
    await page.context().close()
  })

  test('marks and clears all that it has seen: what arrived meanwhile stays', async () => {
    await numbered(1, 2)
    await isListed(2)
    // Of what comes later this browser hears nothing.
    const page = await aBrowser('olive')
    await page.route('**/socket.io/**', (route) => route.abort())
    await page.goto(`${instance.url}/flows`)
    await openBell(page)
    await expectNumbers(page, [2, 1])
    await numbered(3)
    await isListed(3)
    const all = panel(page).getByRole('button', { name: 'Mark all as read' })
    await all.press('Enter')
    await expect.poll(async () => (await listed('olive')).map(({ read }) => read)).toEqual([false, true, true])
    expect(await itemsOf(page).getByText('Unread').count()).toBe(0)
    await panel(page).getByRole('button', { name: 'Clear all' }).click()
    await expect.poll(async () => (await listed('olive')).length).toBe(1)
    await page.context().close()
  })

  test('deletes at once and without a question, and takes it back on Undo', async () => {
    await numbered(1, 2, 3)
    await isListed(3)
    const page = await at(await aBrowser('olive'))
    await openBell(page)
    const undo = panel(page).getByRole('button', { name: 'Undo' })
    await itemsOf(page)
      .filter({ hasText: 'more than 2 ' })
      .getByRole('button', { name: /^Delete/ })
      .click()
    await expectNumbers(page, [3, 1])
    await expectBadge(page, '2')
    await expect.poll(async () => (await listed('olive')).length).toBe(2)
    expect(await page.getByRole('dialog').count()).toBe(1)
    await panel(page).getByText('Notification deleted.').waitFor()
    await undo.click()
    await expectNumbers(page, [3, 2, 1])
    await expect.poll(async () => (await listed('olive')).length).toBe(3)
    await expectBadge(page, '3')
    await panel(page).getByRole('button', { name: 'Clear all' }).click()
    await panel(page).getByText('All notifications cleared.').waitFor()
    await panel(page).getByText('No notifications', { exact: true }).waitFor()
    await expectBadge(page, '')
    // Theirs alone: the other member still has them.
    expect(await listed('mia')).toHaveLength(3)
    // The focus follows: to Undo, and back to the panel.
    await expect.poll(() => page.evaluate(nameOfFocused)).toBe('Undo')
    await page.keyboard.press('Enter')
    await expectNumbers(page, [3, 2, 1])
    await expectBadge(page, '3')
    await expect.poll(() => isFocused(panel(page))).toBe(true)
    await page.context().close()
  })

  test('shows a connection test once, with its badge', async () => {
    await numbered(1)
    await tell('connection_test', { test: true, channel: 'email', to: 'olive@owners.example' })
    await isListed(2)
    const page = await at(await aBrowser('olive'))
    await expectBadge(page, '2')
    await openBell(page)
    await itemsOf(page).getByText('Test', { exact: true }).waitFor()
    await expectBadge(page, '1')
    await expect.poll(() => unreadOf('olive')).toBe(1)
    await bell(page).click()
    await openBell(page)
    await expectNumbers(page, [1])
    // Nor is it shown after a reload, or in another browser.
    const calls = listCalls(page)
    await page.reload()
    await openBell(page)
    await expectNumbers(page, [1])
    await panel(page).getByRole('button', { name: 'Refresh' }).click()
    await expect.poll(() => calls.at(-1)).toBe('?platform=woocommerce&page=1&limit=10&skipTestNotification=false')
    await expectNumbers(page, [1])
    // A new one, which the badge counts, is listed although another was shown before. An open bell would show it at once.
    await bell(page).click()
    await panel(page).waitFor({ state: 'hidden' })
    await page.route('**/socket.io/**', (route) => route.abort())
    await tell('connection_test', { test: true, channel: 'email', to: 'olive@owners.example' })
    await isListed(3)
    await page.reload()
    await expectBadge(page, '2')
    await openBell(page)
    await itemsOf(page).getByText('Test', { exact: true }).waitFor()
    await page.context().close()
  })

  test('says what failed, and asks again on Retry', async () => {
    await numbered(1)
    await isListed(1)
    const page = await at(await aBrowser('olive'))
    await page.route('**/api/notifications?*', (route) =>
      route.fulfill({ status: 400, json: { error: 'Not now, please.', code: 'invalid' } }),
    )
    await openBell(page)
    await panel(page).getByRole('alert').getByText('Not now, please.').waitFor()
    await page.unroute('**/api/notifications?*')
    await panel(page).getByRole('button', { name: 'Retry' }).click()
    await expectNumbers(page, [1])
    await page.context().close()
  })

  test('is used by the keyboard alone, and fits a phone in every theme', async () => {
    await tell('cart_abandoned', cartOf('Wilhelmina Featherstonehaugh-Cholmondeley'))
    await numbered(1, 2)
    await isListed(3)
    const page = await at(await aBrowser('olive'))
    await bell(page).press('Enter')
    await panel(page).waitFor()
    await expect.poll(() => itemsOf(page).count()).toBe(3)
    await expect.poll(() => isFocused(panel(page))).toBe(true)
    const names: string[] = []
    for (let stop = 0; stop < 10; stop += 1) {
      await page.keyboard.press('Tab')
      names.push(await page.evaluate(nameOfFocused))
    }
    expect(names).toEqual([
      ...['Refresh', 'all', 'Mark all as read', 'Clear all'],
      ...['Unusually many new contacts', 'Delete: Unusually many new contacts'],
      ...['Unusually many new contacts', 'Delete: Unusually many new contacts'],
      ...['Cart abandoned', 'Delete: Cart abandoned'],
    ])
    await page.keyboard.press('Enter')
    await expect.poll(() => itemsOf(page).count()).toBe(2)
    // The focus stays in the list.
    await expect.poll(() => page.evaluate(nameOfFocused)).toBe('Delete: Unusually many new contacts')
    await checkInEveryTheme(page, 'bell')
    const inside = await panel(page).evaluate((element) => {
      const { left, right, bottom } = element.getBoundingClientRect()
      return left >= 0 && right <= innerWidth && bottom <= innerHeight
    })
    expect(inside).toBe(true)
    await page.setViewportSize({ width: 360, height: 740 })
    const buttons = panel(page).getByRole('button', { name: /^(Delete|Refresh|Clear all|Mark all)/ })
    const sizes = await buttons.evaluateAll((all) => all.map((each) => each.getBoundingClientRect()))
    // Large enough for a finger.
    expect(sizes.length).toBeGreaterThan(4)
    expect(sizes.filter(({ width, height }) => Math.min(width, height) < 36)).toEqual([])
    await page.setViewportSize({ width: 1280, height: 900 })
    expect((await axeOf(page).analyze()).violations.map(({ id }) => id)).toEqual([])
    // Tab leads out of it, and it closes.
    await panel(page).getByRole('link', { name: 'View all notifications' }).press('Tab')
    await panel(page).waitFor({ state: 'detached' })
    await page.context().close()
  })
}

const nameOfFocused = () => {
  const element = document.activeElement as HTMLInputElement
  const title = element.querySelector('.note-title')?.textContent
  return element.getAttribute('aria-label') ?? title ?? (element.value || element.innerText)
}
