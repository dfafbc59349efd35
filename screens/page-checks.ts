import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { PHONE, type Screens, token, WIDE } from './app.ts'
import demo from './fixtures/demo.json' with { type: 'json' }

export const isFocused = (field: Locator) => field.evaluate((element) => element === document.activeElement)

/** Without the live connection the failure stays visible: with it, failed requests are repeated at once. */
export const blockLiveConnection = (page: Page) => page.route('**/socket.io/**', (route) => route.abort())

/** Expects no overflow on a phone or desktop, and no axe violation in the page or part. */
export async function checkLayout(app: Screens, within?: string): Promise<void> {
  for (const viewport of [PHONE, WIDE]) {
    await app.page.setViewportSize(viewport)
    // A skeleton is a state too; its content need not load.
    await app.waitUntilSettled({ isLoading: true })
    const overflow = await app.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow, `wider than ${viewport.width} pixels by`).toBeLessThanOrEqual(0)
  }
  expect(await app.findViolations(within)).toEqual([])
}

/** A new page of the signed-in owner, without the fake clocks and scripts of the test’s own page. */
export async function openAnotherPage(app: Screens): Promise<Page> {
  const entries = Object.entries({ ...demo.storage, token })
  const localStorage = entries.map(([name, value]) => ({ name, value }))
  return app.openAnotherPage({ storageState: { cookies: [], origins: [{ origin: app.url, localStorage }] } })
}
