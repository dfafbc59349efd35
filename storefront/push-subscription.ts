import type { Memory } from './memory.ts'
import {
  deleteBox,
  type PushBox,
  post,
  readBox,
  readServerKey,
  reportMove,
  saveBox,
  subscribeToPush,
} from './push-box.ts'
import { loadDevice, readCartToken } from './push-cart.ts'

// The browser's subscription: created on the shopper's press, linked to the cart by the capture script's tokens, moved
// to a new key, and reported when the permission is revoked.

export interface Setup {
  storeKey: string
  publicKey: string
  workerUrl: string
}

export interface PushContext {
  origin: string
  method: string
  setup: Setup
  memory: Memory
}

/** A separate scope keeps the shop's existing worker. Receiving pushes needs no page in it. */
export const SCOPE = '/recoup-push/'

/** Registered and active. */
export async function startWorker(workerUrl: string): Promise<ServiceWorkerRegistration> {
  // From the page's own origin: a shop may have a second one.
  const { pathname, search } = new URL(workerUrl, location.href)
  const registration = await navigator.serviceWorker.register(pathname + search, { scope: SCOPE })
  const pending = registration.installing ?? registration.waiting
  if (!registration.active && pending) await waitUntilActive(pending)
  return registration
}

const waitUntilActive = (worker: ServiceWorker) =>
  new Promise<void>((resolve, reject) => {
    const checkState = () => {
      if (worker.state === 'activated') resolve()
      if (worker.state === 'redundant') reject(new Error('redundant'))
    }
    worker.addEventListener('statechange', checkState)
    checkState()
  })

/** undefined: no active worker. */
export async function findActiveWorker(): Promise<ServiceWorkerRegistration | undefined> {
  const registration = await navigator.serviceWorker.getRegistration(SCOPE)
  return registration?.active && new URL(registration.scope).pathname === SCOPE ? registration : undefined
}

/** Older workers do not answer this message. */
const ANSWER_MS = 1_000

/** Version of the running sw.js (`WORKER_VERSION`); 0: unknown. */
export const readWorkerVersion = ({ active }: ServiceWorkerRegistration): Promise<number> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = ({ data }) => resolve(Number(data))
    setTimeout(() => resolve(0), ANSWER_MS)
    active?.postMessage('version', [port2])
  })

/** Fetches sw.js again; browsers do so only now and then. */
export async function updateWorker(registration: ServiceWorkerRegistration): Promise<void> {
  await registration.update()
  const pending = registration.installing ?? registration.waiting
  if (pending) await waitUntilActive(pending)
}

/** On the shopper's press (P3): the browser's prompt must come first. `wording` names the text shown. */
export async function askPermission(context: PushContext, wording: string): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted') return
  // If this fails on this page, the next page retries it.
  context.memory.set('want', wording)
  await reconcile(context)
  retryReconcile(context).catch(() => {})
}

/**
 * The bar may be answered before the cart's first post has arrived; until then the server does not know the browser.
 */
const RETRY_MS = [1_000, 3_000, 10_000]

async function retryReconcile(context: PushContext): Promise<void> {
  for (const ms of RETRY_MS) {
    await new Promise((resolve) => setTimeout(resolve, ms))
    if ((await readBox())?.cart) return
    await reconcile(context)
  }
}

/** Reconciles this browser with its permission, the store's key and the server's state. */
export async function reconcile(context: PushContext): Promise<void> {
  const stored = await readBox()
  const wording = context.memory.get('want')
  if (Notification.permission !== 'granted') {
    if (stored) await reportEnd(stored)
    context.memory.forget('want')
  } else if (stored?.storeKey === context.setup.storeKey) await moveSubscription(context, stored)
  else if (wording !== undefined) await createSubscription(context, wording)
}

async function reportEnd({ origin, storeKey, token }: PushBox): Promise<void> {
  if ((await post(origin, 'unsubscribe', { storeKey, token })) !== undefined) await deleteBox()
}

async function createSubscription({ origin, method, setup, memory }: PushContext, wording: string): Promise<void> {
  const { storeKey, publicKey, workerUrl } = setup
  const cart = memory.get('cart') ?? readCartToken({ method, memory })
  if (!cart) return
  const device = loadDevice({ method, memory })
  const registration = await startWorker(workerUrl)
  const subscription = await subscribeWithKey(registration, publicKey)
  const body = { storeKey, cart, device, subscription, publicKey, wording, method }
  const answer = await post<{ token: string; isCartKnown: boolean }>(origin, 'subscribe', body)
  if (!answer) return
  const box = { origin, storeKey, publicKey, token: answer.token, endpoint: subscription.endpoint }
  await saveBox(answer.isCartKnown ? { ...box, cart } : box)
  memory.forget('want')
}

/** The key, subscription or cart changed, now or earlier without reaching the server. */
async function moveSubscription({ method, setup, memory }: PushContext, stored: PushBox): Promise<void> {
  const { publicKey, workerUrl } = setup
  memory.forget('want')
  const cart = readCartToken({ method, memory })
  const registration = await startWorker(workerUrl)
  const subscription = await registration.pushManager.getSubscription()
  const { endpoint = subscription?.endpoint } = stored
  const isKnown = stored.publicKey === publicKey && endpoint === subscription?.endpoint
  const isSameCart = cart === undefined || cart === stored.cart
  if (subscription && isKnown && isSameCart && readServerKey(subscription) === publicKey) return
  const device = loadDevice({ method, memory })
  await reportMove(stored, publicKey, await subscribeWithKey(registration, publicKey), { cart, device: cart && device })
}

async function subscribeWithKey(registration: ServiceWorkerRegistration, publicKey: string): Promise<PushSubscription> {
  const subscription = await registration.pushManager.getSubscription()
  if (subscription && readServerKey(subscription) === publicKey) return subscription
  await subscription?.unsubscribe()
  return subscribeToPush(registration, publicKey)
}
