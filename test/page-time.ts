import type { Page, Request } from 'playwright-core'
import { expect } from 'vitest'

/** A page whose timers are run by hand: what they lead to need not be waited for. */
export interface PageTime {
  /** All that was asked is answered, and neither that nor the time that passes leads to anything more. */
  settle(): Promise<void>
}

/** Before the page is opened. `arrived` counts what has come of the beacons it sends. */
export async function controlPageTime(page: Page, arrived: () => number): Promise<PageTime> {
  await page.clock.install()
  let begun = 0
  let beacons = 0
  const open = new Set<Request>()
  page.on('request', (request) => {
    begun += 1
    // How a beacon ends is not told, least of all when its page is left.
    if (request.resourceType() === 'ping') beacons += 1
    else open.add(request)
  })
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
  const isAnswered = () => open.size === 0 && arrived() >= beacons
  return {
    async settle() {
      for (let before = -1; before !== begun; ) {
        before = begun
        await expect.poll(isAnswered, { interval: 10 }).toBe(true)
        await page.clock.runFor(700)
      }
    },
  }
}
