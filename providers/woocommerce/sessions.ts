// Shopper sessions: cart, address and order. Browsers use the session cookie, other clients the Cart-Token header (a
// JWT signed by the store). Both contain the session id and expire after two days.
import { createHmac, randomBytes } from 'node:crypto'
import { isEqualInConstantTime } from './auth.ts'
import type { Option } from './catalog.ts'
import { noAddress } from './customers.ts'
import type { Address, Billing } from './orders.ts'
import { md5 } from './php.ts'
import { readSeconds, type Shop } from './shop.ts'
import { run, selectOne } from './sqlite.ts'

export type CartItem = {
  key: string
  productId: number
  variationId: number
  quantity: number
  /** Chosen values of attributes that the variation leaves open, such as any size. */
  chosen?: Option[]
}
export type Session = {
  id: string
  expires: number
  items: CartItem[]
  coupons: string[]
  billing: Billing
  shipping: Address
  rateId: string | null
  paymentMethod: string
  /** The draft, or the unpaid order that the next attempt reuses. */
  orderId: number | null
  orderIds: number[]
  /** With the plugin: consents given or withdrawn at this checkout, by channel. */
  said?: Record<string, { isGiven: boolean; id: string; wording: string }>
  /** Restore token of this cart until an order, and its email address. */
  back?: string
  restoredEmail?: string
  /** HTML notice for the next page. */
  notice?: string
}

const lifeSeconds = 2 * 86_400
const nonceSeconds = 12 * 3600

export function createSession(shop: Shop): Session {
  const start = { ...noAddress, ...shop.pricing.base }
  return {
    id: `t_${randomBytes(15).toString('hex')}`,
    expires: readSeconds(shop) + lifeSeconds,
    items: [],
    coupons: [],
    billing: { ...start, email: '' },
    shipping: start,
    rateId: null,
    paymentMethod: '',
    orderId: null,
    orderIds: [],
  }
}

export function loadSession(shop: Shop, id: string): Session | undefined {
  const sql = 'select doc from sessions where id = ? and expires > ?'
  const row = selectOne<{ doc: string }>(shop.db, sql, id, readSeconds(shop))
  return row && (JSON.parse(row.doc) as Session)
}

export function saveSession(shop: Shop, session: Session) {
  const sql = `insert into sessions values (?, ?, ?) on conflict (id) do update
    set doc = excluded.doc, expires = excluded.expires`
  session.expires = readSeconds(shop) + lifeSeconds
  run(shop.db, sql, session.id, session.expires, JSON.stringify(session))
}

export function cleanSessions(shop: Shop) {
  run(shop.db, 'delete from sessions where expires < ?', readSeconds(shop))
}

export function createCartToken(shop: Shop, session: Session): string {
  const issued = readSeconds(shop)
  const payload = { user_id: session.id, exp: issued + lifeSeconds, iss: 'store-api', iat: issued }
  const body = [{ alg: 'HS256', typ: 'JWT' }, payload].map((part) => base64(JSON.stringify(part))).join('.')
  return `${body}.${sign(shop, body)}`
}

/** The token's session; undefined for an invalid or expired token. */
export function findSessionByToken(shop: Shop, token: string): Session | undefined {
  const [head, payload, signature] = token.split('.')
  if (!head || !payload || !signature || !isEqualInConstantTime(sign(shop, `${head}.${payload}`), signature))
    return undefined
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { user_id: string; exp: number }
  if (claims.exp < readSeconds(shop)) return undefined
  return loadSession(shop, claims.user_id) ?? { ...createSession(shop), id: claims.user_id }
}

export function findSessionByCookie(shop: Shop, cookies: string | undefined): Session | undefined {
  const value = readCookie(cookies, buildCookieName(shop))
  const [id, expiry, expiring, generic = ''] = value.split('|')
  const signature = generic.replace('$generic$', '')
  if (!id || !expiry || !signature || Number(expiry) < readSeconds(shop)) return undefined
  if (!isEqualInConstantTime(signCookie(shop, id, expiry, expiring ?? ''), signature)) return undefined
  return loadSession(shop, id)
}

export function buildSessionCookies(shop: Shop, session: Session, hash: string): string[] {
  const expiry = String(readSeconds(shop) + lifeSeconds)
  const expiring = String(Number(expiry) - 86_400)
  const value = [session.id, expiry, expiring, `$generic$${signCookie(shop, session.id, expiry, expiring)}`].join('|')
  const until = new Date(Number(expiry) * 1000).toUTCString()
  return [
    session.items.length ? 'woocommerce_items_in_cart=1; path=/' : buildExpiredCookie('woocommerce_items_in_cart'),
    session.items.length ? `woocommerce_cart_hash=${hash}; path=/` : buildExpiredCookie('woocommerce_cart_hash'),
    `${buildCookieName(shop)}=${encodeURIComponent(value)}; expires=${until}; Max-Age=${lifeSeconds}; path=/; HttpOnly`,
  ]
}

export function buildExpiredCookies(shop: Shop): string[] {
  return [buildCookieName(shop), 'woocommerce_items_in_cart', 'woocommerce_cart_hash'].map(buildExpiredCookie)
}

/** Equal for all guests within half a day, like WordPress nonces. */
export function createNonce(shop: Shop, age = 0): string {
  const tick = Math.ceil(readSeconds(shop) / nonceSeconds) - age
  return createHmac('md5', shop.secret).update(`${tick}|wc_store_api`).digest('hex').slice(-12, -2)
}

export function isValidNonce(shop: Shop, nonce: string): boolean {
  return nonce === createNonce(shop) || nonce === createNonce(shop, 1)
}

function buildCookieName(shop: Shop): string {
  return `wp_woocommerce_session_${md5(shop.home)}`
}

function signCookie(shop: Shop, id: string, expiry: string, expiring: string): string {
  return createHmac('sha256', shop.secret).update(`${id}|${expiry}|${expiring}`).digest('base64url').slice(0, 40)
}

function readCookie(cookies: string | undefined, name: string): string {
  const found = (cookies ?? '').split(/;\s*/).find((pair) => pair.startsWith(`${name}=`))
  try {
    return decodeURIComponent(found?.slice(name.length + 1) ?? '')
  } catch {
    return ''
  }
}

function buildExpiredCookie(name: string): string {
  return `${name}=; expires=Thu, 01 Jan 1970 00:00:01 GMT; Max-Age=0; path=/`
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64url')
}

function sign(shop: Shop, text: string): string {
  return createHmac('sha256', shop.secret).update(text).digest('base64url')
}
