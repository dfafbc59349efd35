// Shared by page and worker: the subscription, in the browser's cache, the only store both can read.

export interface PushBox {
  /** Recoup's origin. */
  origin: string
  storeKey: string
  publicKey: string
  /** Proves whose subscription it is. */
  token: string
  /** Endpoint at the push service, as the server knows it; missing in boxes of older workers. */
  endpoint?: string
  /** Cart the server knows with it; missing in boxes of older widgets. */
  cart?: string
}

const NAME = 'recoup-push'
/** Below the worker's scope, where the shop has no page. */
const ADDRESS = '/recoup-push/kept'

export async function readBox(): Promise<PushBox | undefined> {
  const box = await caches.open(NAME)
  return (await box.match(ADDRESS))?.json()
}

export async function saveBox(content: PushBox): Promise<void> {
  const box = await caches.open(NAME)
  await box.put(ADDRESS, new Response(JSON.stringify(content)))
}

export const deleteBox = (): Promise<boolean> => caches.delete(NAME)

/**
 * text/plain needs no preflight; `keepalive` lets it outlive the page. undefined: not accepted; null: the subject does
 * not exist.
 */
export async function post<Answer>(origin: string, call: string, body: object): Promise<Answer | undefined | null> {
  const answer = await fetch(`${origin}/api/push-notifications/${call}`, {
    method: 'POST',
    body: JSON.stringify(body),
    credentials: 'omit',
    keepalive: true,
  }).catch(() => undefined)
  if (answer?.ok) return answer.json()
  return answer?.status === 404 ? null : undefined
}

/** As the capture script or the plugin names them. */
export interface Tokens {
  cart?: string | undefined
  device?: string | undefined
}

/** Reports a replaced subscription or another cart, and stores the new token. */
export async function reportMove(
  stored: PushBox,
  publicKey: string,
  subscription: PushSubscription,
  { cart, device }: Tokens = {},
): Promise<void> {
  const { origin, storeKey, token } = stored
  const body = { storeKey, token, subscription, publicKey, cart, device }
  const answer = await post<{ token: string }>(origin, 'resubscribe', body)
  if (answer) {
    const known = cart ?? stored.cart
    const moved = { origin, storeKey, publicKey, token: answer.token, endpoint: subscription.endpoint }
    await saveBox(known === undefined ? moved : { ...moved, cart: known })
  }
  // The server ended it, on the shopper's request or because a key leaked: no one may send to it.
  if (answer === null) await Promise.all([deleteBox(), subscription.unsubscribe()])
}

export const subscribeToPush = (
  registration: ServiceWorkerRegistration,
  publicKey: string,
): Promise<PushSubscription> =>
  registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })

/** The key that may send to it. */
export const readServerKey = ({ options }: PushSubscription): string | null =>
  options.applicationServerKey && base64url(options.applicationServerKey)

const base64url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=/g, '')
