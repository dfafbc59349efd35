import { describe, expect, test } from 'vitest'
import { readExchanges, readVectors } from '../../../providers/contracts/recordings.ts'
import { Gate } from '../../../providers/contracts/woocommerce-gate.ts'
import { buildSignatureBase, oauthHeader, signRequest } from './http.ts'

const NOTHING_SIGNED = ['oauth_signature']

describe.each(readVectors().map((vector, number) => ({ number, vector })))('recorded signature $number', ({
  vector,
}) => {
  const url = new URL(vector.url)
  const request = {
    method: vector.method,
    url: `${url.origin}${url.pathname}`,
    query: [...url.searchParams] as [string, string][],
  }
  const keys = { consumerKey: vector.consumer_key, consumerSecret: vector.consumer_secret }
  const moment = {
    timestampSeconds: Number(vector.params.oauth_timestamp),
    nonce: vector.params.oauth_nonce ?? '',
    algorithm: vector.params.oauth_signature_method as 'HMAC-SHA256',
  }

  test('equals ours, including the base string', () => {
    const oauth = signRequest(request, keys, moment)
    expect(Object.fromEntries(oauth)).toEqual(vector.params)
    expect(
      buildSignatureBase(
        request,
        oauth.filter(([name]) => !NOTHING_SIGNED.includes(name)),
      ),
    ).toBe(vector.base_string)
  })
})

test('the contract server’s own check agrees with every recorded verdict that it supports', () => {
  const vectors = readVectors().filter((vector) => !vector.url.includes('[]'))
  expect(vectors.length).toBeGreaterThanOrEqual(8)
  for (const vector of vectors) {
    const now = new Date(Number(vector.params.oauth_timestamp) * 1000)
    const key = { consumerKey: vector.consumer_key, consumerSecret: vector.consumer_secret }
    const gate = new Gate({
      keys: [{ ...key, permissions: 'read_write', mayManage: true }],
      home: 'http://localhost:8080',
      now: () => now,
    })
    const url = new URL(vector.url)
    const query = [...url.searchParams, ...Object.entries(vector.params)]
    const text = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')
    const knock = { method: vector.method, target: `${url.pathname}?${text}`, authorization: undefined, isSsl: false }
    expect([vector.url, gate.refuse(knock)]).toEqual([vector.url, null])
    expect(gate.refuse(knock)?.body).toMatchObject({ message: 'Invalid nonce - nonce has already been used.' })
  }
})

test('formats the recorded Authorization header identically', () => {
  const { request } = readExchanges('auth.json').find((one) => one.request.auth === 'oauth1 header')!
  const pairs = [...(request.headers.authorization ?? '').matchAll(/(\w+)="([^"]*)"/g)].map(
    ([, name = '', value = '']) => [name, decodeURIComponent(value)] as [string, string],
  )
  expect(oauthHeader(pairs)).toBe(request.headers.authorization)
})
