import type { Page, Request } from 'playwright-core'
import { expect } from 'vitest'

/** A page whose timers the test runs, so that no test waits for them. */
export interface PageTime {
  /** Resolves when all requests are answered and running timers causes no more. */
  settle(): Promise<void>
}

/** Call before the page is opened. `arrived` counts the beacons that the server has received. */
export async function mockPageTime(page: Page, arrived: () => number): Promise<PageTime> {
  await page.clock.install()
  let startedAt = 0
  let beacons = 0
  const open = new Set<Request>()
  page.on('request', (request) => {
    startedAt += 1
    // The browser does not report the end of a beacon, least of all when its page is closed.
    if (request.resourceType() === 'ping') beacons += 1
    else open.add(request)
  })
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
  const isAnswered = () => open.size === 0 && arrived() >= beacons
  return {
    async settle() {
      for (let before = -1; before !== startedAt; ) {
        before = startedAt
        await expect.poll(isAnswered, { interval: 10 }).toBe(true)
        await page.clock.runFor(700)
      }
    },
  }
}
