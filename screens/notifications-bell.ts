import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { countUnreadNotifications, type NotificationView } from '../shared/workspace/notification-calls.ts'
import { type Screens, token } from './app.ts'
import demo from './fixtures/demo.json' with { type: 'json' }

/** The bell and its panel, on the shared page by default. */
export function createBell(app: Screens) {
  const findBell = (page = app.page) => page.getByRole('banner').getByRole('button', { name: /^Notifications/ })
  const findPanel = (page = app.page) => page.getByRole('dialog', { name: 'Notifications' })
  const findItems = (page = app.page) => findPanel(page).getByRole('listitem')
  return {
    bell: findBell,
    panel: findPanel,
    items: findItems,
    button: (name: string, page = app.page) => findPanel(page).getByRole('button', { name }),
    itemWith: (text: string, page = app.page) => findItems(page).filter({ hasText: text }),
    unreadDots: (page = app.page) => findItems(page).getByText('Unread'),
    async openBell(page = app.page) {
      await findBell(page).click()
      await findPanel(page).waitFor()
    },
    async closeBell() {
      await findBell().click()
      await findPanel().waitFor({ state: 'detached' })
    },
    expectBadge: (text: string, page = app.page) =>
      expect.poll(async () => (await page.locator('.bell-badge').allInnerTexts()).join(' ')).toBe(text),
    /** The numbers of `addNumbered` in the panel's order. */
    expectNumbers: (numbers: number[], page = app.page) =>
      expect
        .poll(async () =>
          (await findItems(page).allInnerTexts()).map((text) => Number(/more than (\d+)/.exec(text)?.[1])),
        )
        .toEqual(numbers),
    /** Waits for the live connection, after which the browser refetches the count. */
    isLive: () => expect.poll(() => app.api.calls(countUnreadNotifications).length).toBeGreaterThan(1),
    announceNew(...news: NotificationView[]) {
      for (const notification of news) app.live.notify({ type: 'new', notification })
    },
    /** A separate signed-in tab, for what cannot be undone on the shared page. */
    async anotherTab() {
      const page = await app.openAnotherPage()
      await page.goto(`${app.url}/blank`)
      await page.evaluate(
        (entries) => {
          for (const [key, value] of Object.entries(entries)) localStorage.setItem(key, value)
        },
        { ...demo.storage, token },
      )
      return page
    },
  }
}

export const blockLiveConnection = (page: Page) => page.route('**/socket.io/**', (route) => route.abort())
export const measureOverflow = () => document.documentElement.scrollWidth - window.innerWidth
export const isFocused = (target: Locator) => target.evaluate((element) => element === document.activeElement)
