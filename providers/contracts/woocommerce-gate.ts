import { createHmac } from 'node:crypto'
import type { Exchange } from './recordings.ts'
import { findResponse } from './recordings.ts'

// Authentication of the contract server: what WooCommerce accepts, and recorded error messages for the rest. It is
// written from the vendor's source and not from our signer, so that one mistake cannot hide in both.

export interface ApiKey {
  consumerKey: string
  consumerSecret: string
  permissions: 'read' | 'write' | 'read_write'
  /** false: the key's user is a customer without permissions. */
  mayManage: boolean
}

export interface SignInRequest {
  method: string
  /** Path and raw query of the request line. */
  target: string
  authorization: string | undefined
  isSsl: boolean
}

export type Refusal = Exchange['response'] | null

export class Gate {
  readonly nonces = new Map<string, number>()
  readonly keys: ApiKey[]
  readonly home: string
  readonly now: () => Date
  /** Translates every message, for stores in other languages. */
  readonly translate: (message: string) => string
  constructor(options: { keys: ApiKey[]; home: string; now: () => Date; translate?: (message: string) => string }) {
    this.keys = options.keys
    this.home = options.home
    this.now = options.now
    this.translate = options.translate ?? ((message) => message)
  }

  /** null: access is granted. */
  refuse(knock: SignInRequest): Refusal {
    const refusal = this.#check(knock)
    if (!refusal) return null
    const body = refusal.body as { message: string }
    return { ...refusal, body: { ...body, message: this.translate(body.message) } }
  }

  #check(knock: SignInRequest): Refusal {
    const basic = knock.isSsl ? this.#basic(knock.authorization) : null
    if (basic && 'status' in basic) return basic
    const oauth = basic ? null : this.#oauth(knock)
    if (oauth && 'status' in oauth) return oauth
    const key = basic ?? oauth
    if (!key) return findResponse('auth.json', knock.isSsl ? 'https, Basic, unknown key' : 'plain http, no credentials')
    return findPermissionRefusal(key, knock.method)
  }

  #basic(authorization: string | undefined): ApiKey | Exchange['response'] | null {
    if (!authorization?.startsWith('Basic ')) return null
    const [name, secret] = Buffer.from(authorization.slice(6), 'base64').toString().split(':')
    const key = this.keys.find((one) => one.consumerKey === name)
    if (!key) return null
    return key.consumerSecret === secret ? key : findResponse('auth.json', 'https, Basic, wrong secret')
  }

  #oauth(knock: SignInRequest): ApiKey | Exchange['response'] | null {
    const [path = '', rawQuery = ''] = knock.target.split('?')
    const query = rawQuery.split('&').filter(Boolean).map(splitPair)
    const parameters = new Map([...query, ...readHeaderPairs(knock.authorization)])
    const names = ['consumer_key', 'timestamp', 'nonce', 'signature', 'signature_method'].map((one) => `oauth_${one}`)
    const present = names.filter((name) => parameters.get(name))
    if (present.length === 0) return null
    if (present.length < names.length) return findResponse('auth.json', 'plain http, OAuth: a parameter is missing')
    const key = this.keys.find((one) => one.consumerKey === parameters.get('oauth_consumer_key'))
    if (!key) return findResponse('auth.json', 'plain http, OAuth: unknown key')
    const scheme = knock.isSsl ? 'https:' : 'http:'
    const url = `${this.home.replace(/^https?:/, scheme)}${path}`
    if (!isSigned(knock.method, url, parameters, key))
      return findResponse('auth.json', 'plain http, OAuth: wrong secret')
    return this.#moment(parameters) ?? key
  }

  #moment(parameters: Map<string, string>): Refusal {
    const timestamp = Number(parameters.get('oauth_timestamp'))
    const nonce = `${parameters.get('oauth_consumer_key')} ${parameters.get('oauth_nonce')}`
    if (Math.abs(this.now().getTime() / 1000 - timestamp) > 15 * 60) {
      return findResponse('auth.json', 'plain http, OAuth: timestamp 1000 s old')
    }
    if (this.nonces.has(nonce)) return findResponse('auth.json', 'plain http, OAuth: same nonce used twice')
    this.nonces.set(nonce, timestamp)
    return null
  }
}

function findPermissionRefusal(key: ApiKey, method: string): Refusal {
  const isRead = method === 'GET' || method === 'HEAD'
  if (isRead && key.permissions === 'write') return findResponse('auth.json', 'write-only key on a read')
  if (!isRead && key.permissions === 'read') return findResponse('auth.json', 'read-only key on a write')
  if (key.mayManage) return null
  const title = isRead ? 'key that belongs to a user with role customer' : 'same key: create a coupon'
  return findResponse('auth.json', title)
}

function isSigned(method: string, url: string, parameters: Map<string, string>, key: ApiKey): boolean {
  const list = [...parameters].filter(([name]) => name !== 'oauth_signature')
  const encoded = list.map(([name, value]) => [encodeRfc3986(name), encodeRfc3986(value)] as const)
  encoded.sort(([a], [b]) => (a < b ? -1 : 1))
  const text = encoded.map(([name, value]) => encodeRfc3986(`${name}=${value}`)).join('%26')
  const algorithm = parameters.get('oauth_signature_method') === 'HMAC-SHA1' ? 'sha1' : 'sha256'
  const base = `${method}&${encodeRfc3986(url)}&${text}`
  const signature = createHmac(algorithm, `${key.consumerSecret}&`).update(base).digest('base64')
  return signature === parameters.get('oauth_signature')
}

function encodeRfc3986(text: string): string {
  const unreserved = /[A-Za-z0-9\-._~]/
  return [...Buffer.from(text)]
    .map((byte) => {
      const one = String.fromCharCode(byte)
      return unreserved.test(one) ? one : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')
}

function splitPair(text: string): [string, string] {
  const at = text.indexOf('=')
  const [name, value] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
  return [decodeURIComponent(name.replaceAll('+', ' ')), decodeURIComponent(value.replaceAll('+', ' '))]
}

function readHeaderPairs(authorization: string | undefined): [string, string][] {
  if (!authorization?.startsWith('OAuth ')) return []
  // Bounded: Node accepts 16 KB of headers.
  return [...authorization.slice(6).matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [
    name,
    decodeURIComponent(value),
  ])
}
