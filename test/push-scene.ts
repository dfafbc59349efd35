import crypto from 'node:crypto'
import type { BrowserSubscription } from '../shared/delivery/push.ts'
import type { TestStore } from './factories.ts'
import type { Reply, World } from './world.ts'

// Test support: a shop's page and its browser, as the web push endpoints see them.

export interface TestBrowser {
  /** Tokens of the capture script. */
  cart: string
  device: string
  subscription: BrowserSubscription
  /** The browser's private keys, with which it decrypts payloads. */
  keys: crypto.ECDH
  auth: Buffer
}

/** Creates a browser that has allowed notifications at this push service. */
export function createTestBrowser(service = 'https://updates.push.services.mozilla.com/wpush/v2'): TestBrowser {
  const keys = crypto.createECDH('prime256v1')
  const p256dh = keys.generateKeys().toString('base64url')
  const auth = crypto.randomBytes(16)
  const endpoint = `${service}/${crypto.randomBytes(24).toString('base64url')}`
  const [cart, device] = [crypto.randomBytes(18), crypto.randomBytes(18)].map((bytes) => bytes.toString('base64url'))
  return {
    cart: cart!,
    device: device!,
    keys,
    auth,
    subscription: { endpoint, keys: { p256dh, auth: auth.toString('base64url') } },
  }
}

export async function readStoreUrl({ db }: World, { storeId }: TestStore): Promise<string> {
  return (await db.selectFrom('stores').select('home_url').where('id', '=', storeId).executeTakeFirstOrThrow()).home_url
}

/** Posts as pages do: as text, with the shop as origin. */
export async function postFromPage(
  world: World,
  store: TestStore,
  call: string,
  body: object,
  { origin, ip = '198.51.100.7' }: { origin?: string; ip?: string } = {},
): Promise<Reply> {
  const reply = await world.app.inject({
    method: 'POST',
    url: `/api/push-notifications/${call}`,
    headers: { 'content-type': 'text/plain', origin: origin ?? (await readStoreUrl(world, store)) },
    remoteAddress: ip,
    payload: JSON.stringify(body),
  })
  return { status: reply.statusCode, body: reply.json(), headers: reply.headers }
}

const GOODS = { 16: 'Earl Grey', 17: 'Green teapot', 18: 'Red kettle' }

/** Fills the browser's cart and identifies its shopper by email. */
export async function fillBrowserCart(
  world: World,
  store: TestStore,
  browser: TestBrowser,
  email?: string,
  items: readonly (keyof typeof GOODS)[] = [16],
): Promise<void> {
  const all = { store_id: store.storeId, price_minor: 2_100, currency: 'USD', is_available: true, seen_at: world.now }
  await world.db
    .insertInto('products')
    .values(
      Object.entries(GOODS).map(([id, name]) => ({
        ...{ ...all, product_id: id, name, image_url: `https://shop.example/${id === '16' ? 'tea' : id}.png` },
      })),
    )
    .onConflict((on) => on.doNothing())
    .execute()
  const { cart, device } = browser
  const post = { cart, device, page: crypto.randomBytes(9).toString('base64url'), seq: 0 }
  const reply = await world.app.inject({
    method: 'POST',
    url: `/api/capture/${store.captureKey}`,
    headers: { 'content-type': 'text/plain', origin: await readStoreUrl(world, store) },
    payload: JSON.stringify({
      ...post,
      items: items.map((id) => ({ id: String(id), quantity: 1 })),
      ...(email && { contact: { email } }),
    }),
  })
  if (reply.statusCode !== 204) throw new Error(reply.body)
}

/** Creates the store's keys if needed, and returns what its pages receive. */
export async function setUpPush(world: World, store: TestStore) {
  const storeUrl = await readStoreUrl(world, store)
  const call = { token: store.token, body: { storeUrl } }
  await world.request('POST', '/api/push-notifications/generate-vapid-keys', call)
  return (await postFromPage(world, store, 'auto-setup', { storeUrl })).body
}

/** Fills a cart and presses the button of the opt-in bar. Returns the reply. */
export async function subscribeBrowser(
  world: World,
  store: TestStore,
  browser: TestBrowser,
  { email, ip, items }: { email?: string; ip?: string; items?: Parameters<typeof fillBrowserCart>[4] } = {},
): Promise<Reply> {
  const { storeKey, publicKey, prompt } = await setUpPush(world, store)
  await fillBrowserCart(world, store, browser, email, items)
  const { cart, device, subscription } = browser
  const body = { storeKey, cart, device, subscription, publicKey, wording: prompt.wording, method: 'functions' }
  return postFromPage(world, store, 'subscribe', body, ip ? { ip } : {})
}
