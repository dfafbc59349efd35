// The protocol of a shop's plugin (docs/plugin-protocol.md) as this store speaks it, without its PHP: what changes in carts and orders is
// queued, and sent signed. Its pages, where shoppers, owners and Recoup come to it, are in plugin-pages.ts.
import { createHash, randomBytes } from 'node:crypto'
import { saveKey } from './auth.ts'
import { readOrder } from './orders.ts'
import { cartEntry, cartTokenOf, orderEntry } from './plugin-entries.ts'
import {
  type Box,
  callAsStore,
  changeLink,
  hmac,
  keepLink,
  type Link,
  type PluginReply,
  readLink,
  send,
  token,
  VERSION,
} from './plugin-link.ts'
import type { Session } from './sessions.ts'
import type { Shop } from './shop.ts'
import { all, readMeta, writeMeta } from './sqlite.ts'

export interface DemoPlugin {
  /** What the plugin's screen opens Recoup with. */
  invitation: () => string
  /** The owner presses Connect on the plugin's screen: where their browser goes, and whence it comes back to this store. */
  begin: (recoup: string) => string
  /** The code as it came back, `<id>.<key>`. Answers the status. */
  connect: (recoup: string, code: string) => Promise<PluginReply>
  /** Queues what has changed since. Answers how much waits. */
  notice: () => number
  /** Sends what waits; what is not answered waits on. */
  flush: () => Promise<PluginReply>
  /** The regular report; does what the answer asks for. */
  beat: () => Promise<PluginReply>
  call: (name: string, body: object) => Promise<PluginReply>
}

const MOST_ENTRIES = 50

export function demoPlugin(shop: Shop): DemoPlugin {
  return {
    invitation: () => invite(shop, token()),
    begin: (recoup) => begin(shop, recoup),
    connect: (recoup, code) => connect(shop, recoup, code),
    notice: () => notice(shop),
    flush: () => flush(shop),
    beat: () => beat(shop),
    call: (name, body) => callAsStore(shop, name, body),
  }
}

function invite(shop: Shop, state: string): string {
  const back = `${shop.home}/wp-admin/?page=recoup`
  const wish = { v: 1, home: `${shop.home}/`, name: 'Maple & Clay', return: back, state, plugin: VERSION }
  return Buffer.from(JSON.stringify(wish)).toString('base64url')
}

export function begin(shop: Shop, recoup: string): string {
  const state = token()
  writeMeta(shop.db, 'plugin-begun', JSON.stringify({ state, recoup }))
  return `${recoup}/store-setup?connect=${invite(shop, state)}`
}

/** The owner's browser has come back. Answers what the screen says. */
export async function finish(shop: Shop, said: { state: string; code: string; error: string }): Promise<string> {
  const begun = JSON.parse(readMeta(shop.db, 'plugin-begun') ?? 'null') as { state: string; recoup: string } | null
  writeMeta(shop.db, 'plugin-begun', 'null')
  if (begun?.state !== said.state) return 'This did not begin here. Please press Connect again.'
  if (said.error) return `Nothing was connected: ${said.error}.`
  const { status, body } = await connect(shop, begun.recoup, said.code)
  return status === 200 ? 'The shop is connected.' : `Recoup did not take the connection: ${body.code ?? status}.`
}

async function connect(shop: Shop, recoup: string, code: string): Promise<PluginReply> {
  const [id = '', key = ''] = code.split('.')
  const [salt, install] = [token(), randomBytes(16).toString('hex')]
  const derived = (what: string) => hmac(key, `${what}\n${salt}`)
  saveKey(shop, {
    consumer_key: `ck_${derived('recoup-consumer-key').slice(0, 40)}`,
    consumer_secret: `cs_${derived('recoup-consumer-secret').slice(0, 40)}`,
    description: 'Recoup',
    permissions: 'read_write',
    role: 'administrator',
  })
  const body = {
    ...{ v: 1, plugin: VERSION, woocommerce: shop.version, wordpress: '6.9', php: '8.2' },
    ...{ home: `${shop.home}/`, site: `${shop.home}/`, salt, install, profile: profileOf(shop) },
  }
  const reply = await send(shop, { recoup, store: id, secret: key }, 'connect', body)
  if (reply.status === 200) {
    const store = String(reply.body.store)
    const link = { recoup, store, secret: derived('recoup-secret'), install, seq: 0, known: {}, queue: [] }
    keepLink(shop, { ...link, test: null, ...settingsOf(reply) })
  }
  return reply
}

const profileOf = (shop: Shop) => ({
  ...{ name: 'Maple & Clay', currency: shop.pricing.currency, decimals: 2, timeZone: 'America/New_York' },
  ...{ baseCountry: 'US', sellingCountries: shop.sellingCountries, pricesIncludeTax: false, showsTax: false },
  isSequential: false,
})

function settingsOf({ body }: PluginReply): Pick<Link, 'boxes' | 'settings'> {
  const { boxes = [], version = '' } = (body.settings ?? {}) as { boxes?: Box[]; version?: string }
  return { boxes, settings: version }
}

/** Carts that never held anything are no news. */
export function notice(shop: Shop): number {
  const link = readLink(shop)
  if (!link) return 0
  const cartOfOrder = new Map<number, string>()
  for (const { doc } of all<{ doc: string }>(shop.db, 'select doc from sessions')) {
    const session = JSON.parse(doc) as Session
    const key = `cart ${cartTokenOf(shop, session)}`
    if (session.items.length > 0 || link.known[key]) put(shop, link, key, cartEntry(shop, session, link.boxes))
    for (const [place, id] of session.orderIds.entries()) cartOfOrder.set(id, cartTokenOf(shop, session, place))
  }
  for (const row of all<{ doc: string }>(shop.db, 'select doc from orders')) {
    const order = readOrder(row)
    if (order && order.status !== 'checkout-draft') {
      put(shop, link, `order ${order.id}`, orderEntry(shop, order, cartOfOrder.get(order.id) ?? null))
    }
  }
  keepLink(shop, link)
  return link.queue.length
}

function put(shop: Shop, link: Link, key: string, entry: Record<string, unknown>): void {
  const digest = createHash('sha256').update(JSON.stringify(entry)).digest('base64url')
  if (link.known[key] === digest) return
  link.known[key] = digest
  link.seq += 1
  link.queue = [...link.queue.filter((each) => each.key !== key), { seq: link.seq, at: shop.now(), key, entry }]
}

async function flush(shop: Shop): Promise<PluginReply> {
  const link = readLink(shop)
  if (!link || link.queue.length === 0) return { status: 200, body: {} }
  const now = shop.now()
  const entries = link.queue
    .slice(0, MOST_ENTRIES)
    .map(({ seq, at, entry }) => ({ seq, age: Math.max(0, Math.floor((now - at) / 1_000)), ...entry }))
  const reply = await send(shop, link, 'batch', { v: 1, plugin: VERSION, install: link.install, entries })
  if (reply.status !== 200) return reply
  const { done = [], refused = [] } = reply.body as { done?: number[]; refused?: { seq: number }[] }
  const gone = new Set([...done, ...refused.map(({ seq }) => seq)])
  const current = readLink(shop) ?? link
  keepLink(shop, { ...current, queue: current.queue.filter(({ seq }) => !gone.has(seq)) })
  return reply
}

const beating = new WeakMap<Shop, Promise<unknown>>()

/** Behind the answer that is being given. */
export function beatSoon(shop: Shop): void {
  const { promise, resolve } = Promise.withResolvers<void>()
  setImmediate(resolve)
  beating.set(
    shop,
    promise.then(() => beat(shop)),
  )
}

/** Nothing of the plugin is under way any more. Never rejects. */
export const beatEnded = async (shop: Shop): Promise<void> => void (await Promise.allSettled([beating.get(shop)]))

/** A store that was disconnected forgets its connection; of what is asked for a test is sent at once. */
export async function beat(shop: Shop): Promise<PluginReply> {
  const link = readLink(shop)
  if (!link) return { status: 0, body: {} }
  const body = { v: 1, plugin: VERSION, install: link.install, settings: link.settings, health: healthOf(shop, link) }
  const reply = await send(shop, link, 'beat', body)
  if (reply.status === 410) keepLink(shop, null)
  if (reply.status !== 200) return reply
  changeLink(shop, settingsOf(reply))
  const { test } = (reply.body.ask ?? {}) as { test?: string | null }
  if (test && test !== link.test) {
    const current = readLink(shop)!
    put(shop, current, 'test', { type: 'test', test })
    keepLink(shop, { ...current, test })
    await flush(shop)
  }
  return reply
}

function healthOf(shop: Shop, { queue, boxes }: Link) {
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
