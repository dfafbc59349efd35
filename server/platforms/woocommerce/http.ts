import { createHmac } from 'node:crypto'
import type { GuardedAnswer } from '../../core/net/public.ts'
import { isRecord, removeSecrets, StoreProblem, type StoreProblemCode } from '../platform/public.ts'

// Sends one signed request and classifies the response. https: Basic. http: OAuth 1.0a in the query, the only place
// where WooCommerce looks. No https URL, error or log contains a key.

export type WooQuery = readonly (readonly [string, string])[]

export interface WooRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Path below `/wp-json/wc/v3`. */
  path: string
  query?: WooQuery
  body?: Record<string, unknown>
  signal?: AbortSignal | undefined
}

export interface WooAnswer {
  status: number
  headers: Record<string, string>
  /** Parsed JSON; undefined for another body. */
  body: unknown
  /** A challenge page for browsers in front of the store. */
  isChallenge?: boolean
  /** The store's clock minus ours; null without a Date header. */
  clockSkewMs: number | null
}

/** How to sign a request; `header` only serves to find out why Basic was ignored. */
export type SignInMethod = 'usual' | 'header'

export interface WooHttp {
  isHttps: boolean
  /** Returns any status; throws StoreProblem only without a response. */
  ask(request: WooRequest, keys?: SigningKeys, method?: SignInMethod): Promise<WooAnswer>
  /** Returns a successful response; throws StoreProblem for any other. */
  send(request: WooRequest): Promise<WooAnswer>
  /** Classifies a refused request; the result contains no key. */
  problem(answer: WooAnswer): StoreProblem
  pause(signal?: AbortSignal): Promise<void>
}

export function isSuccess(answer: WooAnswer): boolean {
  return answer.status >= 200 && answer.status < 300 && answer.body !== undefined
}

export function readAnswer(answer: GuardedAnswer, now: Date): WooAnswer {
  const date = Date.parse(answer.headers.date ?? '')
  return {
    status: answer.status,
    headers: answer.headers,
    body: parseJson(answer.body),
    ...(isChallenge(answer) && { isChallenge: true }),
    clockSkewMs: Number.isNaN(date) ? null : date - now.getTime(),
  }
}

const CHALLENGES =
  /cf-chl|challenge-platform|<title>Just a moment|checking your browser|sucuri_cloudproxy|sgcaptcha|ddos-guard|imunify360|g-recaptcha|h-captcha/i

const isChallenge = ({ headers, body }: GuardedAnswer): boolean =>
  headers['cf-mitigated'] === 'challenge' ||
  (/html/i.test(headers['content-type'] ?? '') && CHALLENGES.test(body.subarray(0, 65_536).toString('latin1')))

/**
 * Plugins print notices, comments and byte order marks around JSON. An HTML page does not count, even with JSON in its
 * scripts.
 */
export function parseJson(body: Buffer): unknown {
  const bodyText = body
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trim()
  const whole = tryParse(bodyText)
  if (whole !== undefined || /<(?:!doctype|html|head|body|script)\b/i.test(bodyText)) return whole
  const text = removeLastComments(bodyText)
  if (text.length > MAX_SALVAGED) return undefined
  for (const { index } of [...text.slice(0, MAX_NOTICES).matchAll(LINE_START)].slice(0, MAX_STARTS)) {
    const rest = text.slice(index)
    const end = Math.max(rest.lastIndexOf('}'), rest.lastIndexOf(']')) + 1
    const found = tryParse(rest.slice(0, end))
    if (typeof found === 'object' && found !== null) return found
  }
  return undefined
}

function removeLastComments(text: string): string {
  let rest = text
  while (rest.endsWith('-->')) {
    const start = rest.lastIndexOf('<!--')
    if (start < 0) break
    rest = rest.slice(0, start).trimEnd()
  }
  return rest
}

/** JSON may begin at the start of a line or directly after a tag. */
const LINE_START = /(?<=^|>)[ \t]*(?:\{\s*["}]|\[\s*[{\]])/gm
const MAX_STARTS = 3
const MAX_NOTICES = 65_536
const MAX_SALVAGED = 4_000_000

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The code of WooCommerce's `{code, message}`. */
export function getErrorCode(answer: WooAnswer): string {
  return isRecord(answer.body) && typeof answer.body.code === 'string' ? answer.body.code : ''
}

export function getErrorMessage(answer: WooAnswer): string {
  return isRecord(answer.body) && typeof answer.body.message === 'string' ? answer.body.message : ''
}

/** Classifies a refused request. The result never contains `secrets`. */
export function toStoreProblem(answer: WooAnswer, isHttps: boolean, secrets: readonly string[]): StoreProblem {
  const detail = removeSecrets(getErrorMessage(answer), secrets)
  const retryAfterMs = retryAfter(answer)
  if (answer.status === 429 || (answer.status === 503 && retryAfterMs !== null && answer.body !== undefined)) {
    return new StoreProblem('rate_limited', detail, retryAfterMs === null ? {} : { retryAfterMs })
  }
  if (answer.isChallenge) return new StoreProblem('api_blocked', detail)
  if (answer.status === 503) {
    return new StoreProblem('maintenance', detail, retryAfterMs === null ? {} : { retryAfterMs })
  }
  if (answer.status >= 500) return new StoreProblem('store_error', detail ?? `status ${answer.status}`)
  if (answer.status === 401 || answer.status === 403) return new StoreProblem(refusalCode(answer, isHttps), detail)
  if (getErrorCode(answer) === 'rest_no_route') return new StoreProblem('shop_inactive', detail)
  return new StoreProblem('bad_answer', detail ?? (answer.body === undefined ? 'not JSON' : `status ${answer.status}`))
}

/** The code of a 401 or 403, as far as one response tells. */
function refusalCode(answer: WooAnswer, isHttps: boolean): StoreProblemCode {
  const code = getErrorCode(answer)
  if (code === '') return 'api_blocked'
  if (answer.status === 403) return 'no_rights'
  if (code === 'woocommerce_rest_authentication_missing_parameter') return 'sign_in_lost'
  if (code === 'woocommerce_rest_authentication_error') return signInCode(answer) ?? 'wrong_key'
  // WordPress saw no sign-in: an unknown key over https, or a server that removes it.
  return isHttps ? 'wrong_key' : 'sign_in_lost'
}

/**
 * WooCommerce uses one code for all of these, so its English message decides; null in any other language. The
 * connection check then compares responses, see connect.ts.
 */
export function signInCode(answer: WooAnswer): StoreProblemCode | null {
  const message = getErrorMessage(answer)
  if (message.startsWith('Consumer key is')) return 'wrong_key'
  if (message.startsWith('Consumer secret is') || message.startsWith('Invalid signature')) return 'wrong_secret'
  if (message.startsWith('Invalid timestamp')) return 'clock_skew'
  if (message.startsWith('Invalid nonce')) return 'store_error'
  if (message.includes('does not have write permissions')) return 'read_only_key'
  if (message.includes('does not have read permissions')) return 'no_rights'
  return null
}

/** Retry-After in milliseconds (seconds, or a date compared with the store's Date), at most a day. */
function retryAfter(answer: WooAnswer): number | null {
  const value = answer.headers['retry-after']
  if (!value) return null
  const seconds = /^\d{1,6}$/.test(value)
    ? Number(value)
    : (Date.parse(value) - Date.parse(answer.headers.date ?? '')) / 1000
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), 86_400) * 1000 : null
}

// OAuth 1.0a (RFC 5849) as checked by WooCommerce: no token, the secret followed by "&" as the key, HMAC-SHA256, and a
// base string with the store's HOME address, even if the request was sent to another host.

export interface SigningKeys {
  consumerKey: string
  consumerSecret: string
}

interface SignedRequest {
  method: string
  /** Without query; scheme, host and path as WordPress knows them. */
  url: string
  query: readonly (readonly [string, string])[]
}

interface SigningMoment {
  timestampSeconds: number
  nonce: string
  algorithm?: 'HMAC-SHA256' | 'HMAC-SHA1'
}

type OAuthParameters = [string, string][]

/** The five `oauth_…` parameters of a request. */
export function signRequest(request: SignedRequest, keys: SigningKeys, moment: SigningMoment): OAuthParameters {
  const algorithm = moment.algorithm ?? 'HMAC-SHA256'
  const parameters: OAuthParameters = [
    ['oauth_consumer_key', keys.consumerKey],
    ['oauth_nonce', moment.nonce],
    ['oauth_signature_method', algorithm],
    ['oauth_timestamp', String(moment.timestampSeconds)],
  ]
  const base = buildSignatureBase(request, parameters)
  const digest = createHmac(algorithm === 'HMAC-SHA1' ? 'sha1' : 'sha256', `${keys.consumerSecret}&`)
  return [...parameters, ['oauth_signature', digest.update(base).digest('base64')]]
}

export function buildSignatureBase(request: SignedRequest, oauth: OAuthParameters): string {
  // WooCommerce encodes each pair, sorts the encoded names, joins with "=" and "&", and encodes the whole again.
  const pairs = [...request.query, ...oauth]
    .map(([name, value]) => [encodePercent(name), encodePercent(value)] as const)
    .sort(([a, x], [b, y]) => (a === b ? compare(x, y) : compare(a, b)))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
  return `${request.method.toUpperCase()}&${encodePercent(request.url)}&${encodePercent(pairs)}`
}

/** RFC 3986: leaves only unreserved characters unencoded. */
export function encodePercent(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

export function oauthHeader(parameters: OAuthParameters): string {
  return `OAuth ${parameters.map(([name, value]) => `${name}="${encodePercent(value)}"`).join(', ')}`
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
