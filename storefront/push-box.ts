// What page and worker both know of the subscription. The browser’s cache is the one store that both can read.

export interface Kept {
  /** Of Recoup. */
  origin: string
  storeKey: string
  publicKey: string
  /** Proves whose subscription it is. */
  token: string
  /** Where it is at its push service, as the server has heard; missing in what an older worker kept. */
  endpoint?: string
  /** Of the cart the server has heard of with it; missing in what an older widget kept. */
  cart?: string
}

const NAME = 'recoup-push'
/** Below the worker’s scope, where the shop has no page. */
const ADDRESS = '/recoup-push/kept'

export async function readKept(): Promise<Kept | undefined> {
  const box = await caches.open(NAME)
  return (await box.match(ADDRESS))?.json()
}

export async function keep(kept: Kept): Promise<void> {
  const box = await caches.open(NAME)
  await box.put(ADDRESS, new Response(JSON.stringify(kept)))
}

export const forgetKept = (): Promise<boolean> => caches.delete(NAME)

/** As text it needs no preflight; `keepalive` lets it outlive the page. undefined: not taken; null: what it is about is not there. */
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

/** As the capture script or the plugin calls them. */
export interface Tokens {
  cart?: string | undefined
  device?: string | undefined
}

/** Tells of a subscription that took another’s place, or of another cart, and keeps the token that goes with it. */
export async function tellMoved(
  kept: Kept,
  publicKey: string,
  subscription: PushSubscription,
  { cart, device }: Tokens = {},
): Promise<void> {
  const { origin, storeKey, token } = kept
  const body = { storeKey, token, subscription, publicKey, cart, device }
  const answer = await post<{ token: string }>(origin, 'resubscribe', body)
  if (answer) {
    const known = cart ?? kept.cart
    const told = { origin, storeKey, publicKey, token: answer.token, endpoint: subscription.endpoint }
    await keep(known === undefined ? told : { ...told, cart: known })
  }
  // It has ended there, by the shopper's word or with a key that leaked: nobody may send to it.
  if (answer === null) await Promise.all([forgetKept(), subscription.unsubscribe()])
}

export const subscribeWith = (registration: ServiceWorkerRegistration, publicKey: string): Promise<PushSubscription> =>
  registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })

/** Whose messages it takes. */
export const keyOf = ({ options }: PushSubscription): string | null =>
  options.applicationServerKey && base64url(options.applicationServerKey)

const base64url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=/g, '')
