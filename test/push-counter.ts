import type { Worker } from 'playwright-core'

// Counts notifications that a service worker has shown. Chromium's `getNotifications()` drops notifications that are
// stored but not yet displayed, so polling it may keep one from ever appearing.

interface Counting {
  registration: ServiceWorkerRegistration
  notificationCount: number
}

/** Starts counting; call once per worker. */
export const startCountingNotifications = (worker: Worker): Promise<void> =>
  worker.evaluate(() => {
    const scope = self as unknown as Counting
    const show = scope.registration.showNotification.bind(scope.registration)
    scope.notificationCount = 0
    scope.registration.showNotification = async (title, options) => {
      await show(title, options)
      scope.notificationCount += 1
    }
  })

export const readNotificationCount = (worker: Worker): Promise<number> =>
  worker.evaluate(() => (self as unknown as Counting).notificationCount)
