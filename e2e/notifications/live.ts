import type { Page, WebSocketRoute } from 'playwright-core'
import { io } from 'socket.io-client'
import { expect, test } from 'vitest'
import { LIVE_PATH } from '../../shared/live.ts'
import { until } from '../app-instance.ts'
import {
  aBrowser,
  ask,
  at,
  cartOf,
  expectBadge,
  expectNumbers,
  instance,
  isListed,
  itemsOf,
  listed,
  numbered,
  openBell,
  openDatabase,
  panel,
  storeId,
  tell,
  tokenOf,
  unreadOf,
} from './scene.ts'

// News between browsers, and what is missed while the connection or the server is away.

/** The time an action takes to be seen, in milliseconds. Generous: it is for what would only be seen by asking again. */
const SOON_MS = 1_000

async function takes(act: () => Promise<unknown>, isSeen: () => Promise<unknown>): Promise<number> {
  const from = Date.now()
  await act()
  await isSeen()
  return Date.now() - from
}

/** The live connection of a page, to be cut and mended. */
async function withCable(page: Page) {
  let isCut = false
  const open = new Set<WebSocketRoute>()
  await page.route('**/socket.io/**', (route) => (isCut ? route.abort() : route.continue()))
  await page.routeWebSocket(/socket\.io/, (socket) => {
    if (isCut) return void socket.close()
    socket.connectToServer()
    open.add(socket)
  })
  return {
    async cut() {
      isCut = true
      for (const socket of open) await socket.close()
      open.clear()
    },
    mend() {
      isCut = false
    },
  }
}

export function ofTheLiveConnection() {
  test('new, read and deleted reach the member’s other browser at once, and the other member has a list of their own', async () => {
    const first = await at(await aBrowser('olive'))
    const second = await at(await aBrowser('olive'))
    const mia = await at(await aBrowser('mia'))
    for (const page of [first, second, mia]) await openBell(page)
    const tookNew = await takes(
      () => numbered(1),
      () => Promise.all([first, second, mia].map((page) => expectBadge(page, '1'))),
    )
    // The server gathers what happens for 400 ms.
    expect(tookNew).toBeLessThan(SOON_MS + 400)
    await numbered(2)
    await tell('cart_recovered', cartOf('Ada Lovelace'))
    for (const page of [first, second, mia]) await expectBadge(page, '3')
    for (const page of [first, second]) await expect.poll(() => itemsOf(page).count()).toBe(3)
    expect(await itemsOf(second).allInnerTexts()).toEqual(await itemsOf(first).allInnerTexts())
    const tookRead = await takes(
      () => panel(first).getByRole('button', { name: 'Mark all as read' }).click(),
      () => expectBadge(second, ''),
    )
    expect(tookRead).toBeLessThan(SOON_MS)
    await expect.poll(() => itemsOf(second).getByText('Unread').count()).toBe(0)
    const tookDelete = await takes(
      () =>
        itemsOf(first)
          .filter({ hasText: 'Ada Lovelace' })
          .getByRole('button', { name: /^Delete/ })
          .click(),
      () => expectNumbers(second, [2, 1]),
    )
    expect(tookDelete).toBeLessThan(SOON_MS)
    await panel(first).getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => itemsOf(second).count()).toBe(3)
    // Read and deleted are the member's own.
    expect(await unreadOf('mia')).toBe(3)
    await expectBadge(mia, '3')
    await expect.poll(() => itemsOf(mia).count()).toBe(3)
    for (const page of [first, second, mia]) await page.context().close()
  })

  test('another account hears nothing, whatever its join-platform says', async () => {
    const eve = { name: 'Eve', email: `eve-${Date.now()}@strangers.example`, password: 'four pots on Kiln Road' }
    const { token } = await ask<{ token: string }>('', 'POST', '/api/auth/register', eve)
    const heard: unknown[] = []
    const socket = io(instance.url, { path: LIVE_PATH, auth: { token, storeId }, forceNew: true })
    socket.onAny((...event) => heard.push(event))
    const answers = []
    await new Promise((resolve) => socket.once('connect', () => resolve(null)))
    for (const forged of ['woocommerce', storeId, { platform: 'woocommerce', storeId }, ['woocommerce', storeId]]) {
      answers.push(await socket.timeout(10_000).emitWithAck('join-platform', forged))
    }
    expect(answers).toEqual(Array(4).fill({ storeId: null }))
    await numbered(1)
    await isListed(1)
    const [one] = await listed('olive')
    const forged = { notificationIds: [one!._id], platform: 'woocommerce', storeId }
    await socket
      .timeout(10_000)
      .emitWithAck('mark-notifications-read', forged)
      .catch(() => undefined)
    // Somebody who may hear it has heard it by now.
    const olive = await at(await aBrowser('olive'))
    await numbered(2)
    await expectBadge(olive, '2')
    expect(heard).toEqual([])
    expect(await unreadOf('olive')).toBe(2)
    socket.disconnect()
    await olive.context().close()
  })

  test('a connection that was cut for a minute catches up, with what was read and deleted elsewhere', async () => {
    await numbered(1, 2, 3)
    await isListed(3)
    const page = await aBrowser('olive', { isItsOwn: true })
    const cable = await withCable(page)
    await at(page)
    await openBell(page)
    await expectNumbers(page, [3, 2, 1])
    await cable.cut()
    await numbered(4, 5)
    await isListed(5)
    const [, , , second, first] = await listed('olive')
    const body = (id: string) => ({ notificationIds: [id] })
    await ask(tokenOf('olive'), 'POST', '/api/notifications/mark-read', body(second!._id))
    await ask(tokenOf('olive'), 'DELETE', '/api/notifications', body(first!._id))
    await expectNumbers(page, [3, 2, 1])
    const caughtUp = page.waitForRequest(/\/api\/notifications\?.*after=/)
    cable.mend()
    await caughtUp
    await expectNumbers(page, [5, 4, 3, 2])
    await expectBadge(page, '3')
    await expect.poll(() => itemsOf(page).getByText('Unread').count()).toBe(3)
    await page.context().close()
  })

  test('the server restarted with 500 notifications meanwhile: badge, list and order are right without a reload', async () => {
    await numbered(1)
    await isListed(1)
    const page = await at(await aBrowser('olive'))
    await openBell(page)
    await expectNumbers(page, [1])
    const closed = await at(await aBrowser('olive'))
    await expectBadge(closed, '1')
    await instance.kill()
    await openDatabase()
    await numbered(...Array.from({ length: 500 }, (_, index) => 1_001 + index))
    await instance.start()
    await openDatabase()
    await until(async () => (await listed('olive')).length === 100, 60_000)
    const newest = Array.from({ length: 10 }, (_, index) => 1_500 - index)
    await expect.poll(async () => (await itemsOf(page).allInnerTexts()).length, { timeout: 60_000 }).toBe(10)
    await expectNumbers(page, newest)
    await expectBadge(page, '99+')
    await expectBadge(closed, '99+')
    await openBell(closed)
    await expectNumbers(closed, newest)
    // And it hears again what comes from now on.
    await numbered(2_000)
    await expect.poll(() => itemsOf(page).first().innerText()).toContain('more than 2000')
    await page.context().close()
    await closed.context().close()
  }, 240_000)

  test('what could not be marked is sent over the live connection when it is back', async () => {
    await numbered(1)
    await isListed(1)
    const page = await aBrowser('olive', { isItsOwn: true })
    const cable = await withCable(page)
    await at(page)
    await openBell(page)
    await expectNumbers(page, [1])
    await cable.cut()
    await page.route('**/mark-read*', (route) => route.fulfill({ status: 500, json: { error: 'x', code: 'internal' } }))
    await itemsOf(page).getByRole('link').click()
    await page.waitForURL('**/notifications?*')
    await expectBadge(page, '')
    expect(await unreadOf('olive')).toBe(1)
    cable.mend()
    await expect.poll(() => unreadOf('olive')).toBe(0)
    await page.context().close()
  })
}
