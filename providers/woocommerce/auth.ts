// Authenticates consumer keys as WooCommerce does. Over http it accepts OAuth 1.0a only; over https it tries Basic and
// the key pair in the query first. Signatures are always checked against the home URL, never against Host.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { type PhpQuery, type PhpValue, rawUrlDecode, rawUrlEncode } from './php.ts'
import { RestError } from './rest-error.ts'
import { readSeconds, type Shop } from './shop.ts'
import { run, selectOne } from './sqlite.ts'

export type Permissions = 'read' | 'write' | 'read_write'
export type ApiKey = {
  consumer_key: string
  consumer_secret: string
  permissions: Permissions
  /** A key has its user's rights: a customer's key authenticates but permits nothing. */
  role: 'administrator' | 'customer'
  description: string
}
export type Credentials = { method: string; path: string; query: PhpQuery; authorization: string | undefined }

/** Description of the key that the owner enters in Recoup. */
export const OWNER_KEY = 'Recoup'

const OAUTH_PARAMS = [
  'oauth_consumer_key',
  'oauth_timestamp',
  'oauth_nonce',
  'oauth_signature',
  'oauth_signature_method',
]
const TIMESTAMP_WINDOW_S = 15 * 60

export function saveKey(shop: Shop, key: ApiKey) {
  const sql = `insert into api_keys values (?, ?, ?, ?, ?) on conflict (consumer_key) do update set
    consumer_secret = excluded.consumer_secret, permissions = excluded.permissions, role = excluded.role,
    description = excluded.description`
  run(shop.db, sql, key.consumer_key, key.consumer_secret, key.permissions, key.role, key.description)
}

/** Returns the request's key; null without credentials that WooCommerce would check. */
export function authenticate(shop: Shop, credentials: Credentials): ApiKey | null {
  return (shop.isSsl && authenticateOverTls(shop, credentials)) || authenticateOAuth(shop, credentials)
}

export function checkPermission(key: ApiKey, method: string) {
  const needed = method === 'GET' || method === 'HEAD' ? 'read' : 'write'
  if (key.permissions === needed || key.permissions === 'read_write') return
  throw createAuthError(`The API key provided does not have ${needed} permissions.`)
}

function authenticateOverTls(shop: Shop, credentials: Credentials): ApiKey | null {
  const pair = readKeyPair(credentials)
  if (!pair) return null
  const key = findKey(shop, pair.key)
  if (!key) return null
  if (!isEqualInConstantTime(key.consumer_secret, pair.secret)) throw createAuthError('Consumer secret is invalid.')
  return key
}

function readKeyPair({ query, authorization }: Credentials) {
  if (typeof query.consumer_key === 'string' && typeof query.consumer_secret === 'string') {
    return { key: query.consumer_key, secret: query.consumer_secret }
  }
  const basic = /^Basic\s+(\S+)\s*$/i.exec(authorization ?? '')
  if (!basic) return null
  const [key = '', ...rest] = Buffer.from(basic[1]!, 'base64').toString('utf8').split(':')
  return { key, secret: rest.join(':') }
}

function authenticateOAuth(shop: Shop, credentials: Credentials): ApiKey | null {
  const params: PhpQuery = { ...credentials.query, ...headerParams(credentials.authorization) }
  const missing = OAUTH_PARAMS.filter((name) => !params[name])
  if (missing.length === OAUTH_PARAMS.length) return null
  if (missing.length) {
    const text = `Missing OAuth parameter${missing.length > 1 ? 's' : ''} ${missing.join(', ')}`
    throw new RestError(401, 'woocommerce_rest_authentication_missing_parameter', text)
  }
  const key = findKey(shop, String(params.oauth_consumer_key))
  if (!key) throw createAuthError('Consumer key is invalid.')
  checkSignature(shop, key, credentials, params)
  checkFreshness(shop, key, params)
  return key
}

function headerParams(authorization: string | undefined): PhpQuery {
  if (!/^OAuth /i.test(authorization ?? '')) return {}
  const found = authorization!.matchAll(/(?<![a-z_-])(oauth_[a-z_-]*)=(?:"([^"]*)"|([^,\s]*))/g)
  return Object.fromEntries([...found].map(([, name, quoted, bare]) => [name, rawUrlDecode(quoted ?? bare ?? '')]))
}

function checkSignature(shop: Shop, key: ApiKey, credentials: Credentials, params: PhpQuery) {
  const { oauth_signature: provided, ...rest } = params
  const algorithm = { 'HMAC-SHA1': 'sha1', 'HMAC-SHA256': 'sha256' }[String(params.oauth_signature_method)]
  if (!algorithm) throw createAuthError('Invalid signature - signature method is invalid.')
  const base = `${credentials.method}&${rawUrlEncode(shop.home + credentials.path)}&${encodeParams(rest).join('%26')}`
  const computed = createHmac(algorithm, `${key.consumer_secret}&`).update(base).digest('base64')
  const signature = rawUrlDecode(String(provided).replace(/ /g, '+'))
  if (!isEqualInConstantTime(computed, signature))
    throw createAuthError('Invalid signature - provided signature does not match.')
}

// Parameters are sorted by top-level name, after PHP has re-indexed them: `status[]=a` is signed as status[0]=a. A
// client that signs the text it sent is rejected.
function encodeParams(params: PhpQuery): string[] {
  const names = Object.keys(params).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return names.flatMap((name) => flatten(encodeTwice(name), params[name]!))
}

function flatten(name: string, value: PhpValue): string[] {
  if (typeof value === 'string') return [`${name}%3D${encodeTwice(value)}`]
  return Object.entries(value).flatMap(([key, part]) => flatten(`${name}%255B${encodeTwice(key)}%255D`, part))
}

function encodeTwice(text: string): string {
  return rawUrlEncode(rawUrlDecode(text)).replace(/%/g, '%25')
}

function checkFreshness(shop: Shop, key: ApiKey, params: PhpQuery) {
  const stamp = Number(params.oauth_timestamp)
  const now = readSeconds(shop)
  if (!Number.isInteger(stamp) || Math.abs(now - stamp) > TIMESTAMP_WINDOW_S)
    throw createAuthError('Invalid timestamp.')
  run(shop.db, 'delete from nonces where timestamp < ?', now - TIMESTAMP_WINDOW_S)
  const insertNonce = 'insert into nonces values (?, ?, ?) on conflict do nothing'
  const insertedRows = run(shop.db, insertNonce, key.consumer_key, String(params.oauth_nonce), stamp)
  if (insertedRows === 0) throw createAuthError('Invalid nonce - nonce has already been used.')
}

function findKey(shop: Shop, consumerKey: string): ApiKey | undefined {
  return selectOne<ApiKey>(shop.db, 'select * from api_keys where consumer_key = ?', consumerKey)
}

export function isEqualInConstantTime(expected: string, provided: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(provided)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function createAuthError(message: string): RestError {
  return new RestError(401, 'woocommerce_rest_authentication_error', message)
}
