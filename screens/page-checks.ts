import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { PHONE, type Screens, token, WIDE } from './app.ts'
import demo from './fixtures/demo.json' with { type: 'json' }

export const isFocused = (field: Locator) => field.evaluate((element) => element === document.activeElement)

/** What fails is asked again as soon as the live connection is there: without it, a test sees the failure. */
export const withoutLive = (page: Page) => page.route('**/socket.io/**', (route) => route.abort())

/** Axe finds nothing on a wide screen, and nothing is wider than a phone. */
export async function checkLayout(app: Screens, within?: string): Promise<void> {
  expect(await app.violations(within)).toEqual([])
  await app.page.setViewportSize(PHONE)
  await app.settled()
  expect(await app.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)
  await app.page.setViewportSize(WIDE)
}

/** A page of the signed-in owner that is on no screen yet: for clocks and scripts, which cannot be taken out of a page. */
export async function anotherPage(app: Screens): Promise<Page> {
  const entries = Object.entries({ ...demo.storage, token })
  const localStorage = entries.map(([name, value]) => ({ name, value }))
  return app.another({ storageState: { cookies: [], origins: [{ origin: app.url, localStorage }] } })
}
