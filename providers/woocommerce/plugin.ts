// Implements the plugin protocol (docs/plugin-protocol.md) without PHP: queues changed carts and orders and sends them
// signed. plugin-pages.ts has its endpoints.
import { createHash, randomBytes } from 'node:crypto'
import { saveKey } from './auth.ts'
import { readOrder } from './orders.ts'
import { buildCartEntry, buildOrderEntry, createCartToken } from './plugin-entries.ts'
import {
  type Box,
  callAsStore,
  createToken,
  hmac,
  type Link,
  type PluginReply,
  readLink,
  saveLink,
  send,
  updateLink,
  VERSION,
} from './plugin-link.ts'
import type { Session } from './sessions.ts'
import type { Shop } from './shop.ts'
import { readMeta, selectAll, writeMeta } from './sqlite.ts'

export interface DemoPlugin {
  /** The URL that the plugin's screen opens in Recoup. */
  invitation: () => string
  /** The owner presses Connect: returns the URL for their browser, which later returns to this store. */
  begin: (recoup: string) => string
  /** Exchanges the returned code, `<id>.<key>`; returns the HTTP status. */
  connect: (recoup: string, code: string) => Promise<PluginReply>
  /** Queues changes; returns the queue's length. */
  queueChanges: () => number
  /** Sends the queue; unconfirmed entries stay queued. */
  sendQueue: () => Promise<PluginReply>
  /** Sends the regular report and handles the answer's requests. */
  beat: () => Promise<PluginReply>
  call: (name: string, body: object) => Promise<PluginReply>
}

const MAX_ENTRIES = 50

export function createDemoPlugin(shop: Shop): DemoPlugin {
  return {
    invitation: () => buildConnectUrl(shop, createToken()),
    begin: (recoup) => beginConnect(shop, recoup),
    connect: (recoup, code) => exchangeCode(shop, recoup, code),
    queueChanges: () => queueChanges(shop),
    sendQueue: () => sendQueue(shop),
    beat: () => sendBeat(shop),
    call: (name, body) => callAsStore(shop, name, body),
  }
}

function buildConnectUrl(shop: Shop, state: string): string {
  const back = `${shop.home}/wp-admin/?page=recoup`
  const input = { v: 1, home: `${shop.home}/`, name: 'Maple & Clay', return: back, state, plugin: VERSION }
  return Buffer.from(JSON.stringify(input)).toString('base64url')
}

export function beginConnect(shop: Shop, recoup: string): string {
  const state = createToken()
  writeMeta(shop.db, 'plugin-begun', JSON.stringify({ state, recoup }))
  return `${recoup}/store-setup?connect=${buildConnectUrl(shop, state)}`
}

/** Handles the browser's return; returns the screen's message. */
export async function finishConnect(
  shop: Shop,
  query: { state: string; code: string; error: string },
): Promise<string> {
  const pending = JSON.parse(readMeta(shop.db, 'plugin-begun') ?? 'null') as { state: string; recoup: string } | null
  writeMeta(shop.db, 'plugin-begun', 'null')
  if (pending?.state !== query.state) return 'This connection was not started here. Please press Connect again.'
  if (query.error) return `Nothing was connected: ${query.error}.`
  const { status, body } = await exchangeCode(shop, pending.recoup, query.code)
  return status === 200 ? 'The shop is connected.' : `Recoup did not take the connection: ${body.code ?? status}.`
}

async function exchangeCode(shop: Shop, recoup: string, code: string): Promise<PluginReply> {
  const [id = '', key = ''] = code.split('.')
  const [salt, install] = [createToken(), randomBytes(16).toString('hex')]
  const deriveKey = (what: string) => hmac(key, `${what}\n${salt}`)
  saveKey(shop, {
    consumer_key: `ck_${deriveKey('recoup-consumer-key').slice(0, 40)}`,
    consumer_secret: `cs_${deriveKey('recoup-consumer-secret').slice(0, 40)}`,
    description: 'Recoup',
    permissions: 'read_write',
    role: 'administrator',
  })
  const body = {
    v: 1,
    plugin: VERSION,
    woocommerce: shop.version,
    wordpress: '6.9',
    php: '8.2',
    home: `${shop.home}/`,
    site: `${shop.home}/`,
    salt,
    install,
    profile: buildProfile(shop),
  }
  const reply = await send(shop, { recoup, store: id, secret: key }, 'connect', body)
  if (reply.status === 200) {
    const store = String(reply.body.store)
    const link = { recoup, store, secret: deriveKey('recoup-secret'), install, seq: 0, known: {}, queue: [] }
    saveLink(shop, { ...link, test: null, ...readSettings(reply) })
  }
  return reply
}

const buildProfile = (shop: Shop) => ({
  name: 'Maple & Clay',
  currency: shop.pricing.currency,
  decimals: 2,
  timeZone: 'America/New_York',
  baseCountry: 'US',
  sellingCountries: shop.sellingCountries,
  pricesIncludeTax: false,
  showsTax: false,
  isSequential: false,
})

function readSettings({ body }: PluginReply): Pick<Link, 'boxes' | 'settings'> {
  const { boxes = [], version = '' } = (body.settings ?? {}) as { boxes?: Box[]; version?: string }
  return { boxes, settings: version }
}

/** Ignores carts that were always empty. */
export function queueChanges(shop: Shop): number {
  const link = readLink(shop)
  if (!link) return 0
  const cartOfOrder = new Map<number, string>()
  for (const { doc } of selectAll<{ doc: string }>(shop.db, 'select doc from sessions')) {
    const session = JSON.parse(doc) as Session
    const key = `cart ${createCartToken(shop, session)}`
    if (session.items.length > 0 || link.known[key])
      queueEntry(shop, link, key, buildCartEntry(shop, session, link.boxes))
    for (const [place, id] of session.orderIds.entries()) cartOfOrder.set(id, createCartToken(shop, session, place))
  }
  for (const row of selectAll<{ doc: string }>(shop.db, 'select doc from orders')) {
    const order = readOrder(row)
    if (order && order.status !== 'checkout-draft') {
      queueEntry(shop, link, `order ${order.id}`, buildOrderEntry(shop, order, cartOfOrder.get(order.id) ?? null))
    }
  }
  saveLink(shop, link)
  return link.queue.length
}

function queueEntry(shop: Shop, link: Link, key: string, entry: Record<string, unknown>): void {
  const digest = createHash('sha256').update(JSON.stringify(entry)).digest('base64url')
  if (link.known[key] === digest) return
  link.known[key] = digest
  link.seq += 1
  link.queue = [...link.queue.filter((each) => each.key !== key), { seq: link.seq, at: shop.now(), key, entry }]
}

async function sendQueue(shop: Shop): Promise<PluginReply> {
  const link = readLink(shop)
  if (!link || link.queue.length === 0) return { status: 200, body: {} }
  const now = shop.now()
  const entries = link.queue
    .slice(0, MAX_ENTRIES)
    .map(({ seq, at, entry }) => ({ seq, age: Math.max(0, Math.floor((now - at) / 1_000)), ...entry }))
  const reply = await send(shop, link, 'batch', { v: 1, plugin: VERSION, install: link.install, entries })
  if (reply.status !== 200) return reply
  const { done = [], refused = [] } = reply.body as { done?: number[]; refused?: { seq: number }[] }
  const finished = new Set([...done, ...refused.map(({ seq }) => seq)])
  const current = readLink(shop) ?? link
  saveLink(shop, { ...current, queue: current.queue.filter(({ seq }) => !finished.has(seq)) })
  return reply
}

const beatsInProgress = new WeakMap<Shop, Promise<unknown>>()

/** Sends a beat after the current response. */
export function scheduleBeat(shop: Shop): void {
  const { promise, resolve } = Promise.withResolvers<void>()
  setImmediate(resolve)
  beatsInProgress.set(
    shop,
    promise.then(() => sendBeat(shop)),
  )
}

/** Resolves when no beat is running. Never rejects. */
export const waitForBeat = async (shop: Shop): Promise<void> =>
  void (await Promise.allSettled([beatsInProgress.get(shop)]))

/** Deletes the connection if Recoup has disconnected the store. Sends a requested test at once. */
export async function sendBeat(shop: Shop): Promise<PluginReply> {
  const link = readLink(shop)
  if (!link) return { status: 0, body: {} }
  const body = {
    v: 1,
    plugin: VERSION,
    install: link.install,
    settings: link.settings,
    health: buildHealth(shop, link),
  }
  const reply = await send(shop, link, 'beat', body)
  if (reply.status === 410) saveLink(shop, null)
  if (reply.status !== 200) return reply
  updateLink(shop, readSettings(reply))
  const { test } = (reply.body.ask ?? {}) as { test?: string | null }
  if (test && test !== link.test) {
    const current = readLink(shop)!
    queueEntry(shop, current, 'test', { type: 'test', test })
    saveLink(shop, { ...current, test })
    await sendQueue(shop)
  }
  return reply
}

function buildHealth(shop: Shop, { queue, boxes }: Link) {
  const oldest = Math.min(shop.now(), ...queue.map(({ at }) => at))
  return {
    queue: queue.length,
    oldestS: Math.floor((shop.now() - oldest) / 1_000),
    droppedDay: 0,
    errorsDay: 0,
    cronS: 0,
    isCronDisabled: false,
    isBlocked: false,
    checkout: 'block',
    hasKey: true,
    boxes: boxes.map(({ channel }) => channel),
  }
}
