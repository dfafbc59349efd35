import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rawUrlEncode } from './php.ts'
import {
  askAnonymous,
  askSigned,
  type Clock,
  compare,
  type Exchange,
  keys,
  openStore,
  readRecording,
} from './recordings.ts'
import type { DemoStore } from './store.ts'

const { exchanges } = readRecording('auth')
type Vector = {
  method: string
  url: string
  params: Record<string, string>
  authorization_header: string
  status: number
  error?: unknown
}
const { vectors } = readRecording<{ vectors: Vector[] }>('oauth1-vectors')

// The secrets were not recorded, so these requests are signed again. Everything else is sent as recorded.
const fresh: Record<string, { consumerKey: string; consumerSecret: string }> = {
  write: { consumerKey: 'ck_write', consumerSecret: 'cs_write' },
  customer: { consumerKey: 'ck_customer', consumerSecret: 'cs_customer' },
}

let plain: DemoStore
let secure: DemoStore
let clock: Clock

beforeAll(async () => {
  const opened = await openStore()
  plain = opened.store
  clock = opened.clock
  secure = (await openStore({ publicUrl: 'https://localhost:8080', now: () => clock.seconds * 1000 })).store
  for (const store of [plain, secure]) {
    const readOnly = createReadOnlyKey()
    store.addKey({ ...readOnly, permissions: 'read', role: 'administrator' })
    store.addKey({ consumer_key: 'ck_write', consumer_secret: 'cs_write', permissions: 'write', role: 'administrator' })
    store.addKey({
      consumer_key: 'ck_customer',
      consumer_secret: 'cs_customer',
      permissions: 'read_write',
      role: 'customer',
    })
  }
})

afterAll(async () => {
  await plain.stop()
  await secure.stop()
})

describe('authentication answers as recorded', () => {
  test.each(exchanges.map((exchange) => [exchange.title, exchange] as const))('%s', async (_title, exchange) => {
    const answer = await send(exchange)
    expect(compare(exchange, answer)).toEqual([])
    if (exchange.response.status >= 400) expect(answer.body).toEqual(exchange.response.body)
  })
})

describe('recorded signatures', () => {
  test.each(
    vectors.map((vector) => [`${vector.params.oauth_signature_method} ${vector.url}`, vector] as const),
  )('%s in the query', async (_title, { method, url, params, status, error }) => {
    clock.seconds = Number(params.oauth_timestamp)
    const signed = Object.entries(params).map(([name, value]) => `${name}=${rawUrlEncode(value)}`)
    const answer = await askAnonymous(plain, method, `${url.replace('http://localhost:8080', '')}&${signed.join('&')}`)
    expect(answer.status).toBe(status)
    if (error) expect(answer.body).toEqual(error)
  })

  test.each(vectors.map((vector) => [vector.url, vector] as const))('%s in the header', async (_title, vector) => {
    clock.seconds = Number(vector.params.oauth_timestamp)
    plain.shop.db.sqlite.exec('delete from nonces')
    const headers = { authorization: vector.authorization_header }
    const answer = await askAnonymous(plain, vector.method, vector.url.replace('http://localhost:8080', ''), headers)
    expect(answer.status).toBe(vector.status)
  })
})

test('rejects a clock that is 15 minutes ahead or behind', async () => {
  for (const off of [-901, 901]) {
    const early = Object.assign(Object.create(plain), {
      shop: { ...plain.shop, now: () => (clock.seconds + off) * 1000 },
    })
    expect((await askSigned(early, 'GET', '/wp-json/wc/v3/orders')).body).toMatchObject({
      message: 'Invalid timestamp.',
    })
  }
})

test('serves no /wp-json/ and checks no keys with plain permalinks', async () => {
  const { store } = await openStore({ prettyPermalinks: false })
  expect((await askAnonymous(store, 'GET', '/wp-json/')).status).toBe(404)
  expect((await askAnonymous(store, 'GET', '/?rest_route=/')).status).toBe(200)
  expect((await askAnonymous(store, 'GET', '/?rest_route=/wc/v3/orders')).body).toMatchObject({
    code: 'woocommerce_rest_cannot_view',
  })
  await store.stop()
})

async function send(exchange: Exchange) {
  const { method, path, query, headers, body } = exchange.request
  const isTls = String(exchange.response.headers.link).startsWith('<https:')
  clock.seconds = Math.floor(Date.parse(exchange.response.headers.date!) / 1000)
  const isUnsigned = /not valid JSON/.test(exchange.title)
  const pair = isUnsigned
    ? keys
    : /^write-only/.test(exchange.title)
      ? fresh.write
      : /customer|^same key/.test(exchange.title)
        ? fresh.customer
        : null
  const sent = isUnsigned ? '{"code": ' : (body ?? undefined)
  if (pair) {
    const stored = Object.entries(query ?? {}).filter(([name]) => !name.startsWith('oauth_'))
    return askSigned(plain, method, `${path}?${new URLSearchParams(stored)}`, sent, pair)
  }
  const pairs = Object.entries(query ?? {}).map(([name, value]) => `${name}=${rawUrlEncode(value)}`)
  const target = `${path}${pairs.length ? `?${pairs.join('&')}` : ''}`
  const store = isTls ? secure : plain
  if (/same nonce/.test(exchange.title)) await askAnonymous(store, method, target, headers ?? {}, sent)
  return askAnonymous(store, method, target, headers ?? {}, sent)
}

function createReadOnlyKey() {
  const basic = exchanges.find(({ title }) => title === 'https read-only key on a write')!.request.headers!
    .authorization!
  const [consumer_key = '', consumer_secret = ''] = Buffer.from(basic.slice(6), 'base64').toString().split(':')
  return { consumer_key, consumer_secret }
}
