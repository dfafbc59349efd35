import crypto from 'node:crypto'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { servedBy } from '../server/access/http/http.ts'
import type { Endpoint } from '../shared/core/endpoint.ts'
import { createStore } from './factories.ts'
import { pickSeededShare } from './seed.ts'
import { createWorld, type Reply } from './world.ts'

// Calls every endpoint with fields that are absent, empty, of another type, too long or repeated. Replies use plain
// sentences, never messages of the validation library, and never a server error. `npm test` covers a third of the
// endpoints, `npm run proofs -- fuzz` all of them.

const world = createWorld()

const LIBRARY_TEXTS =
  /invalid (input|type|option|string|guid|uuid|url|email|iso|key|element)|\b(expected|received)\b|too (small|big)|unrecognized|[<>]=|must match pattern/i

/** An address of its own, so that no rate limit applies. */
const createIp = () => `198.51.${crypto.randomInt(256)}.${crypto.randomInt(256)}`

const listKeys = (schema: z.ZodType): string[] => {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape)
  if (schema instanceof z.ZodPipe) return listKeys(schema.def.in as z.ZodType)
  if (schema instanceof z.ZodUnion)
    return [...new Set(schema.def.options.flatMap((each) => listKeys(each as z.ZodType)))]
  return []
}

const VALUES: unknown[] = [undefined, null, '', 5, -1.5, true, [], [5], {}, 'x'.repeat(20_000)]

function* generateBodies(endpoint: Endpoint): Generator<unknown> {
  if (endpoint.method === 'GET') return
  yield {}
  yield []
  yield 'text'
  const keys = listKeys(endpoint.body)
  for (const value of VALUES) yield Object.fromEntries(keys.map((key) => [key, value]))
}

function* generateQueries(endpoint: Endpoint): Generator<string> {
  for (const key of [...listKeys(endpoint.query), 'storeId', 'platform']) {
    yield `?${key}=a&${key}=b`
    yield `?${key}=${'x'.repeat(5_000)}`
    yield `?${key}[a]=b`
  }
}

async function ask(endpoint: Endpoint, token: string | undefined, query: string, body?: unknown): Promise<Reply> {
  const reply = await world.app.inject({
    method: endpoint.method,
    url: endpoint.path.replace(/:\w+/g, 'nonsense') + query,
    remoteAddress: createIp(),
    headers: { ...(token && { authorization: `Bearer ${token}` }), 'content-type': 'application/json' },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  })
  return { status: reply.statusCode, body: reply.json(), headers: reply.headers }
}

const listMessages = ({ body }: Reply): string[] => [body.error, ...Object.values<string>(body.fields ?? {})]

test('a missing or malformed field gets an error in plain language', async () => {
  const odd: unknown[] = []
  for (const endpoint of pickSeededShare(servedBy.get(world.app) ?? [], 3)) {
    // An owner of its own: some of these calls sign out, or delete what they name.
    const token = endpoint.permission === 'public' ? undefined : (await createStore(world)).token
    const calls = [
      ...[...generateBodies(endpoint)].map((body) => ['', body] as const),
      ...[...generateQueries(endpoint)].map((query) => [query, endpoint.method === 'GET' ? undefined : {}] as const),
    ]
    for (const [query, body] of calls) {
      const reply = await ask(endpoint, token, query, body)
      if (reply.status < 400) continue
      const messages = listMessages(reply)
      const isOdd =
        reply.status >= 500 || messages.some((each) => LIBRARY_TEXTS.test(each.replaceAll('Invalid reset link', '')))
      if (isOdd)
        odd.push([
          endpoint.method,
          endpoint.path,
          query.slice(0, 40),
          JSON.stringify(body)?.slice(0, 80),
          reply.status,
          messages,
        ])
    }
  }
  expect(odd).toEqual([])
}, 240_000)

const post = (path: string, body: object, token?: string) =>
  world.app.inject({
    method: 'POST',
    url: path,
    remoteAddress: createIp(),
    payload: body,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  })

test('an absent field gets the same message as an empty one (A 5, B 5)', { tags: ['A5'] }, async () => {
  const { token } = await createStore(world)
  const cases: [string, object, string, string][] = [
    ['/api/auth/register', { email: 'a@b.example', password: 'secret' }, 'name', 'Name is required'],
    ['/api/auth/register', { name: 'Ada', password: 'secret' }, 'email', 'Email is required'],
    [
      '/api/auth/register',
      { name: 'Ada', email: 'a@b.example' },
      'password',
      'Password must be at least 6 characters long',
    ],
    ['/api/auth/login', { password: 'secret' }, 'email', 'Email is required'],
    ['/api/auth/login', { email: 'a@b.example' }, 'password', 'Password is required'],
    ['/api/auth/forgot-password', {}, 'email', 'Email is required'],
    [
      '/api/auth/reset-password',
      { password: 'secret' },
      'token',
      'Invalid reset link. Please request a new password reset.',
    ],
    ['/api/stores/connect-store', { platform: 'woocommerce' }, 'store_url', 'Store URL is required'],
    ['/api/whatsapp/send-bulk', {}, 'cartIds', 'Please select at least one cart to send WhatsApp reminders.'],
  ]
  for (const [path, body, field, sentence] of cases) {
    const empty = { ...body, [field]: field === 'cartIds' ? [] : '' }
    for (const each of [body, { ...body, [field]: null }, empty]) {
      const reply = (await post(path, each, token)).json()
      expect([path, field, reply.error, reply.fields]).toEqual([path, field, sentence, { [field]: sentence }])
    }
  }
})

test('absent, empty or null keys get the error texts of A 5', { tags: ['A5'] }, async () => {
  const { token } = await createStore(world)
  for (const nothing of [{}, { consumer_key: '', consumer_secret: '' }, { consumer_key: null, access_token: null }]) {
    const ask = (platform: string) =>
      post('/api/stores/connect-store', { platform, store_url: 'https://shop.example', ...nothing }, token)
    expect((await ask('woocommerce')).json().error).toBe('Consumer key and secret are required for WooCommerce')
    expect((await ask('shopify')).json().error).toBe('Access token is required for Shopify')
  }
})
