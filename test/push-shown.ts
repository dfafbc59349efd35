import type { Worker } from 'playwright-core'

// How many notifications a worker has put on the screen. Chromium's `getNotifications()` throws away what is written down and not on the
// screen yet, so who asks it again and again while one is being shown may be the reason that it never is.

interface Counting {
  registration: ServiceWorkerRegistration
  shownCount: number
}

/** From now on; once in a worker. */
export const startCountingShown = (worker: Worker): Promise<void> =>
  worker.evaluate(() => {
    const scope = self as unknown as Counting
    const show = scope.registration.showNotification.bind(scope.registration)
    scope.shownCount = 0
    scope.registration.showNotification = async (title, options) => {
      await show(title, options)
      scope.shownCount += 1
    }
  })

export const readShownCount = (worker: Worker): Promise<number> =>
  worker.evaluate(() => (self as unknown as Counting).shownCount)
