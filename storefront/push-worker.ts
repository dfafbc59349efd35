import type { PushPayload } from '../shared/push.ts'
import { WORKER_VERSION } from '../shared/push-worker-version.ts'
import { forgetKept, keyOf, post, readKept, subscribeWith, tellMoved } from './push-box.ts'

// sw.js: the worker served from the shop's own address, running without a page when a push arrives (decision 78).

/** Service worker types missing from the DOM library. */
interface Waiting extends Event {
  waitUntil(work: Promise<unknown>): void
}
interface PushEvent extends Waiting {
  data: { json(): unknown } | null
}
interface NotificationEvent extends Waiting {
  notification: Notification
  action: string
}
interface ChangeEvent extends Waiting {
  oldSubscription?: PushSubscription | null
  newSubscription?: PushSubscription | null
}
interface Asked extends Event {
  ports: readonly MessagePort[]
}
interface Client {
  url: string
  focus(): Promise<unknown>
}
interface Worker {
  registration: ServiceWorkerRegistration
  clients: {
    matchAll(options: object): Promise<Client[]>
    openWindow(url: string): Promise<unknown>
  }
  skipWaiting(): Promise<void>
  addEventListener(type: string, listener: (event: never) => void): void
}

const worker = self as unknown as Worker

worker.addEventListener('install', (event: Waiting) => event.waitUntil(worker.skipWaiting()))
worker.addEventListener('push', (event: PushEvent) => event.waitUntil(show(event)))
worker.addEventListener('notificationclick', (event: NotificationEvent) => event.waitUntil(pressed(event)))
worker.addEventListener('notificationclose', (event: NotificationEvent) => {
  event.waitUntil(report(payloadOf(event.notification), 'close'))
})
worker.addEventListener('message', ({ ports: [port] }: Asked) => port?.postMessage(WORKER_VERSION))
worker.addEventListener('pushsubscriptionchange', (event: ChangeEvent) => event.waitUntil(changed(event)))

/** Browsers revoke subscriptions whose pushes show nothing, so an unreadable push shows the shop's name. */
function read({ data }: PushEvent): Partial<PushPayload> {
  try {
    return (data?.json() ?? {}) as Partial<PushPayload>
  } catch {
    return {}
  }
}

async function show(event: PushEvent): Promise<void> {
  const payload = read(event)
  const { title = location.hostname, body = '', icon, image, tag, actions = [] } = payload
  const options = { body, icon, image, tag, actions, data: payload, renotify: Boolean(tag) }
  await worker.registration.showNotification(title, options as NotificationOptions)
  await report(payload, 'shown')
}

const payloadOf = ({ data }: Notification) => (data ?? {}) as Partial<PushPayload>

async function pressed({ notification, action }: NotificationEvent): Promise<void> {
  const payload = payloadOf(notification)
  notification.close()
  if (action === 'stop') {
    await Promise.all([report(payload, 'stop'), end()])
    return
  }
  // A window may be opened only right after the press, so reports run in parallel.
  await Promise.all([open(payload.url ?? '/'), report(payload, 'click')])
}

async function open(url: string): Promise<void> {
  const address = new URL(url, location.href).href
  const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const open = windows.find((each) => each.url === address)
  await (open ? open.focus() : worker.clients.openWindow(address))
}

async function end(): Promise<void> {
  const subscription = await worker.registration.pushManager.getSubscription()
  await Promise.all([subscription?.unsubscribe(), forgetKept()])
}

async function report({ origin, token }: Partial<PushPayload>, kind: string): Promise<void> {
  if (origin && token) await post(origin, 'events', { token, kind })
}

/** The browser ended or replaced the subscription. */
async function changed({ oldSubscription, newSubscription }: ChangeEvent): Promise<void> {
  const kept = await readKept()
  if (!kept) return
  const known = newSubscription ?? oldSubscription
  const publicKey = (known && keyOf(known)) || kept.publicKey
  await tellMoved(kept, publicKey, newSubscription ?? (await subscribeWith(worker.registration, publicKey)))
}
