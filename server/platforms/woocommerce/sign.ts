import { createHmac, randomBytes } from 'node:crypto'

// OAuth 1.0a (RFC 5849) as checked by WooCommerce: no token, the secret followed by "&" as the key, HMAC-SHA256, and a
// base string with the store's HOME address, whatever host the request was sent to.

export interface SigningKeys {
  consumerKey: string
  consumerSecret: string
}

export interface SignedRequest {
  method: string
  /** Without query; scheme, host and path as WordPress knows them. */
  url: string
  query: readonly (readonly [string, string])[]
}

export interface SigningMoment {
  timestampSeconds: number
  nonce: string
  algorithm?: 'HMAC-SHA256' | 'HMAC-SHA1'
}

export type OAuthParameters = [string, string][]

/** The five `oauth_…` parameters of a request. */
export function signRequest(request: SignedRequest, keys: SigningKeys, moment: SigningMoment): OAuthParameters {
  const algorithm = moment.algorithm ?? 'HMAC-SHA256'
  const parameters: OAuthParameters = [
    ['oauth_consumer_key', keys.consumerKey],
    ['oauth_nonce', moment.nonce],
    ['oauth_signature_method', algorithm],
    ['oauth_timestamp', String(moment.timestampSeconds)],
  ]
  const base = signatureBaseString(request, parameters)
  const digest = createHmac(algorithm === 'HMAC-SHA1' ? 'sha1' : 'sha256', `${keys.consumerSecret}&`)
  return [...parameters, ['oauth_signature', digest.update(base).digest('base64')]]
}

export function signatureBaseString(request: SignedRequest, oauth: OAuthParameters): string {
  // WooCommerce encodes each pair, sorts the encoded names, joins with "=" and "&", and encodes the whole once more.
  const pairs = [...request.query, ...oauth]
    .map(([name, value]) => [percentEncode(name), percentEncode(value)] as const)
    .sort(([a, x], [b, y]) => (a === b ? compare(x, y) : compare(a, b)))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
  return `${request.method.toUpperCase()}&${percentEncode(request.url)}&${percentEncode(pairs)}`
}

/** RFC 3986: leaves only unreserved characters unencoded. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

export function basicHeader(keys: SigningKeys): string {
  return `Basic ${Buffer.from(`${keys.consumerKey}:${keys.consumerSecret}`).toString('base64')}`
}

export function oauthHeader(parameters: OAuthParameters): string {
  return `OAuth ${parameters.map(([name, value]) => `${name}="${percentEncode(value)}"`).join(', ')}`
}

export function newNonce(): string {
  return randomBytes(16).toString('hex')
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
