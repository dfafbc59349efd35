interface StubSubscription {
  endpoint: string
  expirationTime: null
  keys: { p256dh: string; auth: string }
}

declare global {
  interface Window {
    /** Number of permission prompts. */
    permissionRequests: number
    /** Creates a subscription with this key at the test's push service, if it has one. */
    subscribeThere?: (key: string) => Promise<StubSubscription>
  }
}

/**
 * Runs in a page before any script. Stubs permission and push service, which a browser without a window lacks.
 * Permission is remembered as in a browser; `window.permissionRequests` counts prompts.
 */
export function stubPushInPage(permission: string): void {
  const REMEMBERED = 'test_permission'
  const SUBSCRIBED = 'test_subscription'
  const readPermission = () => localStorage.getItem(REMEMBERED) ?? permission
  window.permissionRequests = 0
  Object.defineProperty(Notification, 'permission', { get: readPermission, configurable: true })
  Notification.requestPermission = async () => {
    window.permissionRequests += 1
    if (readPermission() === 'default') localStorage.setItem(REMEMBERED, 'granted')
    return readPermission() as NotificationPermission
  }
  const text = (bytes: Uint8Array) =>
    btoa(String.fromCharCode(...bytes))
      .replace(/\+/g, '-')
      .replace(/\//g, '_')
      .replace(/=+$/, '')
  const decodeKey = (key: string) =>
    Uint8Array.from(atob(key.replace(/-/g, '+').replace(/_/g, '/')), (letter) => letter.charCodeAt(0)).buffer
  const open = (stored: { json: object; key: string }) => ({
    ...stored.json,
    options: { userVisibleOnly: true, applicationServerKey: decodeKey(stored.key) },
    toJSON: () => stored.json,
    unsubscribe: async () => {
      localStorage.removeItem(SUBSCRIBED)
      return true
    },
  })
  PushManager.prototype.getSubscription = async () => {
    const stored = localStorage.getItem(SUBSCRIBED)
    return stored ? (open(JSON.parse(stored)) as unknown as PushSubscription) : null
  }
  PushManager.prototype.subscribe = async (options) => {
    if (readPermission() !== 'granted' || !options?.userVisibleOnly)
      throw new DOMException('not allowed', 'NotAllowedError')
    const key = String(options.applicationServerKey)
    // As browsers do (Push API, `subscribe`): an old subscription with another key has to be removed first.
    const before = localStorage.getItem(SUBSCRIBED)
    if (before && (JSON.parse(before) as { key: string }).key !== key)
      throw new DOMException('another key', 'InvalidStateError')
    const json = (await window.subscribeThere?.(key)) ?? findSubscription()
    const stored = { json, key }
    localStorage.setItem(SUBSCRIBED, JSON.stringify(stored))
    return open(stored) as unknown as PushSubscription
  }
  const findSubscription = (): StubSubscription => {
    const [random, auth] = [crypto.getRandomValues(new Uint8Array(65)), crypto.getRandomValues(new Uint8Array(16))]
    const endpoint = `https://updates.push.services.mozilla.com/wpush/v2/${text(random).slice(0, 40)}`
    return { endpoint, expirationTime: null, keys: { p256dh: text(random), auth: text(auth) } }
  }
}
