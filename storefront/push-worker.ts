import type { PushPayload } from '../shared/delivery/push.ts'
import { WORKER_VERSION } from '../shared/delivery/push-worker-version.ts'
import { deleteBox, post, readBox, readServerKey, reportMove, subscribeToPush } from './push-box.ts'

// sw.js: the worker served from the shop's own address, running without a page when a push arrives (decision 78).

/** Service worker types missing from the DOM library. */
interface ExtendableEvent extends Event {
  waitUntil(work: Promise<unknown>): void
}
interface PushEvent extends ExtendableEvent {
  data: { json(): unknown } | null
}
interface NotificationEvent extends ExtendableEvent {
  notification: Notification
  action: string
}
interface ChangeEvent extends ExtendableEvent {
  oldSubscription?: PushSubscription | null
  newSubscription?: PushSubscription | null
}
interface MessageEventWithPort extends Event {
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

worker.addEventListener('install', (event: ExtendableEvent) => event.waitUntil(worker.skipWaiting()))
worker.addEventListener('push', (event: PushEvent) => event.waitUntil(show(event)))
worker.addEventListener('notificationclick', (event: NotificationEvent) => event.waitUntil(handlePress(event)))
worker.addEventListener('notificationclose', (event: NotificationEvent) => {
  event.waitUntil(report(readPayload(event.notification), 'close'))
})
worker.addEventListener('message', ({ ports: [port] }: MessageEventWithPort) => port?.postMessage(WORKER_VERSION))
worker.addEventListener('pushsubscriptionchange', (event: ChangeEvent) => event.waitUntil(handleChange(event)))

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

const readPayload = ({ data }: Notification) => (data ?? {}) as Partial<PushPayload>

async function handlePress({ notification, action }: NotificationEvent): Promise<void> {
  const payload = readPayload(notification)
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
  await Promise.all([subscription?.unsubscribe(), deleteBox()])
}

async function report({ origin, token }: Partial<PushPayload>, kind: string): Promise<void> {
  if (origin && token) await post(origin, 'events', { token, kind })
}

/** The browser ended or replaced the subscription. */
async function handleChange({ oldSubscription, newSubscription }: ChangeEvent): Promise<void> {
  const stored = await readBox()
  if (!stored) return
  const known = newSubscription ?? oldSubscription
  const publicKey = (known && readServerKey(known)) || stored.publicKey
  await reportMove(stored, publicKey, newSubscription ?? (await subscribeToPush(worker.registration, publicKey)))
}
