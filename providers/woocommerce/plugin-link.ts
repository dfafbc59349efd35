// The plugin's connection to a Recoup (docs/plugin-protocol.md) and its calls. Stored with the data, so that the queue
// survives a restart.
import { createHmac, randomBytes } from 'node:crypto'
import type { Shop } from './shop.ts'
import { readMeta, writeMeta } from './sqlite.ts'

export interface Box {
  channel: string
  words: string
  id: string
}

interface QueuedEntry {
  seq: number
  /** Milliseconds by the shop's clock. */
  at: number
  /** Only the latest state of a cart or order is queued. */
  key: string
  entry: Record<string, unknown>
}

export interface Link {
  recoup: string
  store: string
  secret: string
  install: string
  seq: number
  /** Digest of the last queued state of each cart and order. */
  known: Record<string, string>
  queue: QueuedEntry[]
  /** Texts of the consent boxes, from Recoup's last settings. */
  boxes: Box[]
  settings: string
  /** The last requested test. */
  test: string | null
}

export interface PluginReply {
  /** 0: no response. */
  status: number
  body: Record<string, unknown>
}

export const VERSION = '0.2.0'

export const readLink = (shop: Shop): Link | null => JSON.parse(readMeta(shop.db, 'plugin') ?? 'null') as Link | null
export const saveLink = (shop: Shop, link: Link | null) => writeMeta(shop.db, 'plugin', JSON.stringify(link))
export const updateLink = (shop: Shop, change: Partial<Link>) => {
  const link = readLink(shop)
  if (link) saveLink(shop, { ...link, ...change })
}
export const hmac = (key: string, text: string) => createHmac('sha256', key).update(text).digest('hex')
export const createToken = () => randomBytes(32).toString('base64url')

export async function callAsStore(shop: Shop, name: string, body: object): Promise<PluginReply> {
  const link = readLink(shop)
  return link ? send(shop, link, name, body) : { status: 0, body: {} }
}

/** Treats an unsigned answer as no answer. */
export async function send(
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
    const replyText = await reply.text()
    const signature = hmac(to.secret, ['v1', 'answer', nonce, String(reply.status), replyText].join('\n'))
    if (reply.headers.get('x-recoup-signature') !== signature) return { status: 0, body: {} }
    return { status: reply.status, body: JSON.parse(replyText) as Record<string, unknown> }
  } catch {
    return { status: 0, body: {} }
  }
}
