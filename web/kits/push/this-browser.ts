import type { BrowserSubscription } from '../../../shared/delivery/push.ts'

// "Send to this browser only": subscribes the owner's browser with the store's key, on click. Uses the same worker as
// shops, at an address where the app has no page.

const WORKER = '/push/sw.js'
const SCOPE = '/push/'
/** A browser that cannot reach its push service gives no error for a long time. */
const LIMIT_MS = 20_000

/** Explains to the user what the browser does not support. */
export class BrowserRefusal extends Error {}

export async function subscribeThisBrowser(publicKey: string): Promise<BrowserSubscription> {
  if (!('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window)) {
    throw new BrowserRefusal('This browser does not support push notifications.')
  }
  if ((await Notification.requestPermission()) !== 'granted') {
    throw new BrowserRefusal(
      'This browser does not allow notifications from Recoup. Allow them for this page, then try again.',
    )
  }
  const subscription = await Promise.race([subscribe(publicKey), rejectLate()]).catch((error: Error) => {
    throw new BrowserRefusal(`This browser could not subscribe: ${error.message}`)
  })
  return subscription.toJSON() as BrowserSubscription
}

async function subscribe(publicKey: string): Promise<PushSubscription> {
  const registration = await navigator.serviceWorker.register(WORKER, { scope: SCOPE })
  await waitUntilActive(registration)
  const before = await registration.pushManager.getSubscription()
  await before?.unsubscribe()
  return registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
}

const waitUntilActive = (registration: ServiceWorkerRegistration) =>
  new Promise<void>((resolve) => {
    const coming = registration.installing ?? registration.waiting
    if (registration.active || !coming) return resolve()
    coming.addEventListener('statechange', () => coming.state === 'activated' && resolve())
  })

const rejectLate = () =>
  new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('its push service did not answer.')), LIMIT_MS)
  })
