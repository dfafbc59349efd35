import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { PHONE, type Screens, token, WIDE } from './app.ts'
import demo from './fixtures/demo.json' with { type: 'json' }

export const isFocused = (field: Locator) => field.evaluate((element) => element === document.activeElement)

/** What fails is asked again as soon as the live connection is there: without it, a test sees the failure. */
export const withoutLive = (page: Page) => page.route('**/socket.io/**', (route) => route.abort())

/** Nothing is wider than a phone's or a desktop's screen, and axe finds nothing in the page or the part. */
export async function checkLayout(app: Screens, within?: string): Promise<void> {
  for (const viewport of [PHONE, WIDE]) {
    await app.page.setViewportSize(viewport)
    // A skeleton is a state too: what it waits for need not be there.
    await app.settled({ isLoading: true })
    const overflow = await app.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow, `wider than ${viewport.width} pixels by`).toBeLessThanOrEqual(0)
  }
  expect(await app.violations(within)).toEqual([])
}

/** A page of the signed-in owner that is on no screen yet: for clocks and scripts, which cannot be taken out of a page. */
export async function anotherPage(app: Screens): Promise<Page> {
  const entries = Object.entries({ ...demo.storage, token })
  const localStorage = entries.map(([name, value]) => ({ name, value }))
  return app.another({ storageState: { cookies: [], origins: [{ origin: app.url, localStorage }] } })
}
