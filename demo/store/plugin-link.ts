// The connection of this store's plugin to a Recoup (docs/plugin-protocol.md): what is kept of it, and calls by it. Kept with the data, so
// that a queue outlives a stop.
import { createHmac, randomBytes } from 'node:crypto'
import type { Shop } from './shop.ts'
import { readMeta, writeMeta } from './sqlite.ts'

export interface Box {
  channel: string
  words: string
  id: string
}

interface Waiting {
  seq: number
  /** Milliseconds of the shop's clock. */
  at: number
  /** Of one cart or order the newest state waits. */
  key: string
  entry: Record<string, unknown>
}

export interface Link {
  recoup: string
  store: string
  secret: string
  install: string
  seq: number
  /** What was queued last of each cart and order, as a digest. */
  known: Record<string, string>
  queue: Waiting[]
  /** Words of the consent boxes, as Recoup said last. */
  boxes: Box[]
  settings: string
  /** The last test that was asked for. */
  test: string | null
}

export interface PluginReply {
  /** 0: no answer. */
  status: number
  body: Record<string, unknown>
}

export const VERSION = '0.2.0'

export const readLink = (shop: Shop): Link | null => JSON.parse(readMeta(shop.db, 'plugin') ?? 'null') as Link | null
export const keepLink = (shop: Shop, link: Link | null) => writeMeta(shop.db, 'plugin', JSON.stringify(link))
export const changeLink = (shop: Shop, change: Partial<Link>) => {
  const link = readLink(shop)
  if (link) keepLink(shop, { ...link, ...change })
}
export const hmac = (key: string, text: string) => createHmac('sha256', key).update(text).digest('hex')
export const token = () => randomBytes(32).toString('base64url')

export async function callAsStore(shop: Shop, name: string, body: object): Promise<PluginReply> {
  const link = readLink(shop)
  return link ? send(shop, link, name, body) : { status: 0, body: {} }
}

/** An answer without its signature counts as none. */
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
    const said = await reply.text()
    const signature = hmac(to.secret, ['v1', 'answer', nonce, String(reply.status), said].join('\n'))
    if (reply.headers.get('x-recoup-signature') !== signature) return { status: 0, body: {} }
    return { status: reply.status, body: JSON.parse(said) as Record<string, unknown> }
  } catch {
    return { status: 0, body: {} }
  }
}
