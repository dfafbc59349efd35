import type { Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import {
  aBrowser,
  badge,
  expectNumbers,
  instance,
  isListed,
  itemsOf,
  listed,
  numbered,
  openBell,
  panel,
  unreadOf,
} from './scene.ts'

// Every time-out, delay and retry, on a clock that stands still until it is told to go on.

/** With the bell open on one unread notification; nothing else goes on by itself. */
async function withBellOpen(): Promise<Page> {
  await numbered(1)
  await isListed(1)
  const page = await aBrowser('olive', { withClock: true })
  await page.route('**/socket.io/**', (route) => route.abort())
  await page.goto(`${instance.url}/flows`)
  await openBell(page)
  await expectNumbers(page, [1])
  // The route-transition and what is asked at the start are over.
  await page.waitForFunction(() => !document.querySelector('.route-transition'))
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1_000)
  return page
}

/** When each call arrives, in milliseconds of the page's clock from the first. */
async function marksOf(page: Page, answer: (route: Route) => unknown) {
  const at: number[] = []
  await page.route('**/api/notifications/mark-read*', async (route) => {
    at.push(await page.evaluate(() => Date.now()))
    await answer(route)
  })
  return () => at.map((time) => time - at[0]!)
}

const press = (page: Page) => panel(page).getByRole('button', { name: 'Mark all as read' }).click()

async function passes(page: Page, ms: number): Promise<void> {
  await page.clock.runFor(ms)
  // Whatever the page has begun to ask is on its way before this is answered.
  await page.evaluate(() => fetch('/healthz').then((reply) => reply.text()))
}

/** What is drawn waits for the page's clock too. */
const DRAWN_MS = 20
const isDrawn = async (page: Page, look: () => Promise<unknown>, expected: unknown) =>
  expect
    .poll(async () => {
      await page.clock.runFor(DRAWN_MS)
      return look()
    })
    .toEqual(expected)

export function ofTheTimers() {
  test('Refresh asks one second after the last of several presses', async () => {
    const page = await withBellOpen()
    let asked = 0
    page.on('request', (request) => {
      if (/\/api\/notifications\?/.test(request.url())) asked += 1
    })
    const refresh = panel(page).getByRole('button', { name: 'Refresh' })
    await refresh.click()
    await passes(page, 900)
    await refresh.click()
    await passes(page, 999)
    expect(asked).toBe(0)
    await passes(page, 1)
    await expect.poll(() => asked).toBe(1)
    await passes(page, 10_000)
    expect(asked).toBe(1)
    await page.context().close()
  })

  test('a mark that is not answered is waited for 10 seconds, and sent again after 1, 2 and 4 seconds', async () => {
    const page = await withBellOpen()
    const marks = await marksOf(page, () => undefined)
    await press(page)
    await expect.poll(marks).toEqual([0])
    await passes(page, DRAWN_MS)
    expect(await badge(page)).toBe('')
    for (const [wait, expected] of [
      [10_999 - DRAWN_MS, [0]],
      [1, [0, 11_000]],
      [11_999, [0, 11_000]],
      [1, [0, 11_000, 23_000]],
      [13_999, [0, 11_000, 23_000]],
      [1, [0, 11_000, 23_000, 37_000]],
      // No more than three: it is marked here anyway, and sent again later.
      [10_000, [0, 11_000, 23_000, 37_000]],
      [29_999, [0, 11_000, 23_000, 37_000]],
      [1, [0, 11_000, 23_000, 37_000, 77_000]],
    ] as const) {
      await passes(page, wait)
      await expect.poll(marks).toEqual(expected)
    }
    expect(await itemsOf(page).getByText('Unread').count()).toBe(0)
    await page.context().close()
  })

  test('a network error is followed by retries after 1, 2 and 4 seconds, and the first answer ends them', async () => {
    const page = await withBellOpen()
    let isAway = true
    const marks = await marksOf(page, (route) => (isAway ? route.abort() : route.continue()))
    await press(page)
    await expect.poll(marks).toEqual([0])
    await passes(page, 999)
    expect(marks()).toEqual([0])
    await passes(page, 1)
    await expect.poll(marks).toEqual([0, 1_000])
    await passes(page, 1_999)
    expect(marks()).toEqual([0, 1_000])
    isAway = false
    await passes(page, 1)
    await expect.poll(marks).toEqual([0, 1_000, 3_000])
    await expect.poll(() => unreadOf('olive')).toBe(0)
    await passes(page, 20_000)
    expect(marks()).toEqual([0, 1_000, 3_000])
    await page.context().close()
  })

  test('after any other error it is marked here anyway, stays so when the list is asked again, and is sent later', async () => {
    const page = await withBellOpen()
    let isBroken = true
    const marks = await marksOf(page, (route) =>
      isBroken ? route.fulfill({ status: 500, json: { error: 'x', code: 'internal' } }) : route.continue(),
    )
    await press(page)
    await expect.poll(marks).toEqual([0])
    await passes(page, 10_000)
    expect(marks()).toEqual([0])
    expect(await unreadOf('olive')).toBe(1)
    await panel(page).getByRole('button', { name: 'Refresh' }).click()
    await passes(page, 1_000)
    await isDrawn(page, () => itemsOf(page).getByText('Unread').count(), 0)
    await isDrawn(page, () => badge(page), '')
    isBroken = false
    await passes(page, 20_000)
    await expect.poll(() => unreadOf('olive')).toBe(0)
    await page.context().close()
  })

  test('after a 401 nothing is marked', async () => {
    const page = await withBellOpen()
    const marks = await marksOf(page, (route) => route.fulfill({ status: 401, json: { error: 'No.', code: 'proxy' } }))
    await press(page)
    await expect.poll(marks).toEqual([0])
    await isDrawn(page, () => itemsOf(page).getByText('Unread').count(), 1)
    await isDrawn(page, () => badge(page), '1')
    await passes(page, 60_000)
    expect(marks()).toEqual([0])
    expect(await unreadOf('olive')).toBe(1)
    await page.context().close()
  })

  test('a deletion can be taken back for 10 seconds', async () => {
    const page = await withBellOpen()
    const undo = panel(page).getByRole('button', { name: 'Undo' })
    await itemsOf(page)
      .getByRole('button', { name: /^Delete/ })
      .click()
    await undo.waitFor()
    await passes(page, 9_999)
    expect(await undo.count()).toBe(1)
    await passes(page, 1)
    await isDrawn(page, () => undo.count(), 0)
    await expect.poll(() => listed('olive')).toEqual([])
    await page.context().close()
  })
}
