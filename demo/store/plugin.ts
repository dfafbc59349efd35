// The protocol of a shop's plugin (docs/plugin-protocol.md) as this store speaks it, without its PHP: what changes in carts and orders is
// queued, and sent signed. Kept with the data, so that a queue outlives a stop.
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { saveKey } from './auth.ts'
import { findProduct, fullName, priceMinor } from './catalog.ts'
import { presentOrder } from './order-shape.ts'
import { readOrder } from './orders.ts'
import type { Session } from './sessions.ts'
import type { Shop } from './shop.ts'
import { all, readMeta, writeMeta } from './sqlite.ts'

interface Waiting {
  seq: number
  /** Milliseconds of the shop's clock. */
  at: number
  /** Of one cart or order the newest state waits. */
  key: string
  entry: Record<string, unknown>
}

interface Link {
  recoup: string
  store: string
  secret: string
  install: string
  seq: number
  /** What was queued last of each cart and order, as a digest. */
  known: Record<string, string>
  queue: Waiting[]
}

export interface PluginReply {
  /** 0: no answer. */
  status: number
  body: Record<string, unknown>
}

export interface DemoPlugin {
  /** What the plugin's screen opens Recoup with. */
  invitation: () => string
  /** The code as it came back, `<id>.<key>`. Answers the status. */
  connect: (recoup: string, code: string) => Promise<PluginReply>
  /** Queues what has changed since. Answers how much waits. */
  notice: () => number
  /** Sends what waits; what is not answered waits on. */
  flush: () => Promise<PluginReply>
  call: (name: string, body: object) => Promise<PluginReply>
}

const VERSION = '0.1.0'
const MOST_ENTRIES = 50

export function demoPlugin(shop: Shop): DemoPlugin {
  return {
    invitation: () => invite(shop),
    connect: (recoup, code) => connect(shop, recoup, code),
    notice: () => notice(shop),
    flush: () => flush(shop),
    call: (name, body) => callAsStore(shop, name, body),
  }
}

const readLink = (shop: Shop): Link | null => JSON.parse(readMeta(shop.db, 'plugin') ?? 'null') as Link | null
const keep = (shop: Shop, link: Link | null) => writeMeta(shop.db, 'plugin', JSON.stringify(link))
const hmac = (key: string, text: string) => createHmac('sha256', key).update(text).digest('hex')
const token = () => randomBytes(32).toString('base64url')

function invite(shop: Shop): string {
  const back = `${shop.home}/wp-admin/?page=recoup`
  const wish = { v: 1, home: `${shop.home}/`, name: 'Maple & Clay', return: back, state: token(), plugin: VERSION }
  return Buffer.from(JSON.stringify(wish)).toString('base64url')
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
    keep(shop, { recoup, store, secret: derived('recoup-secret'), install, seq: 0, known: {}, queue: [] })
  }
  return reply
}

const profileOf = (shop: Shop) => ({
  ...{ name: 'Maple & Clay', currency: shop.pricing.currency, decimals: 2, timeZone: 'America/New_York' },
  ...{ baseCountry: 'US', sellingCountries: shop.sellingCountries, pricesIncludeTax: false, showsTax: false },
  isSequential: false,
})

/** Carts that never held anything are no news. */
function notice(shop: Shop): number {
  const link = readLink(shop)
  if (!link) return 0
  for (const { doc } of all<{ doc: string }>(shop.db, 'select doc from sessions')) {
    const session = JSON.parse(doc) as Session
    const key = `cart ${session.id}`
    if (session.items.length > 0 || link.known[key]) put(shop, link, key, cartEntry(shop, session))
  }
  for (const row of all<{ doc: string }>(shop.db, 'select doc from orders')) {
    const order = readOrder(row)
    if (order && order.status !== 'checkout-draft') {
      put(shop, link, `order ${order.id}`, {
        type: 'order',
        order: presentOrder(shop, order),
        cart: null,
        event: 'changed',
      })
    }
  }
  keep(shop, link)
  return link.queue.length
}

function put(shop: Shop, link: Link, key: string, entry: Record<string, unknown>): void {
  const digest = createHash('sha256').update(JSON.stringify(entry)).digest('base64url')
  if (link.known[key] === digest) return
  link.known[key] = digest
  link.seq += 1
  link.queue = [...link.queue.filter((each) => each.key !== key), { seq: link.seq, at: shop.now(), key, entry }]
}

function cartEntry(shop: Shop, session: Session): Record<string, unknown> {
  const { billing, orderId } = session
  const contact = {
    email: billing.email,
    phone: billing.phone,
    firstName: billing.first_name,
    lastName: billing.last_name,
  }
  const typed = Object.fromEntries(Object.entries(contact).filter(([, text]) => text))
  return {
    type: 'cart',
    // It stands for the session, whose own key never leaves the shop.
    cart: createHmac('sha256', shop.secret).update(session.id).digest('base64url').slice(0, 32),
    lines: session.items.map((item) => lineOf(shop, item)),
    coupons: session.coupons,
    currency: shop.pricing.currency,
    ...(Object.keys(typed).length > 0 ? { contact: { ...typed, country: billing.country } } : {}),
    ...(orderId ? { draft: String(orderId) } : {}),
  }
}

function lineOf(shop: Shop, { productId, variationId, quantity, chosen = [] }: Session['items'][number]) {
  const product = findProduct(shop, variationId || productId)
  const parent = variationId ? findProduct(shop, productId) : undefined
  return {
    product: String(productId),
    variation: variationId ? String(variationId) : null,
    quantity,
    name: product ? fullName(product, parent) : null,
    price: product ? (priceMinor(shop, product) / 100).toFixed(2) : null,
    choices: chosen.map(({ name, option }) => ({ name, value: option })),
  }
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
  keep(shop, { ...current, queue: current.queue.filter(({ seq }) => !gone.has(seq)) })
  return reply
}

async function callAsStore(shop: Shop, name: string, body: object): Promise<PluginReply> {
  const link = readLink(shop)
  return link ? send(shop, link, name, body) : { status: 0, body: {} }
}

/** An answer without its signature counts as none. */
async function send(
  shop: Shop,
  to: Pick<Link, 'recoup' | 'store' | 'secret'>,
  name: string,
  body: object,
): Promise<PluginReply> {
  const [time, nonce, text] = [
    String(Math.floor(shop.now() / 1_000)),
    randomBytes(16).toString('hex'),
    JSON.stringify(body),
  ]
  const headers = {
    'content-type': 'application/json',
    'x-recoup-store': to.store,
    'x-recoup-time': time,
    'x-recoup-nonce': nonce,
    'x-recoup-signature': hmac(to.secret, ['v1', 'shop', name, to.store, time, nonce, text].join('\n')),
  }
  try {
    const reply = await fetch(`${to.recoup}/api/plugin/${name}`, { method: 'POST', headers, body: text })
    const said = await reply.text()
    const signature = hmac(to.secret, ['v1', 'answer', nonce, String(reply.status), said].join('\n'))
    if (reply.headers.get('x-recoup-signature') !== signature) return { status: 0, body: {} }
    return { status: reply.status, body: JSON.parse(said) as Record<string, unknown> }
  } catch {
    return { status: 0, body: {} }
  }
}
