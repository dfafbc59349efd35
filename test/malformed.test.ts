import { beforeAll, expect, test } from 'vitest'
import { servedBy } from '../server/http.ts'
import { aStore } from './factories.ts'
import { aWorld } from './world.ts'

// Everything anybody may call is called with nonsense: always the caller's mistake, never ours, and nothing is kept.

const world = aWorld()
const PER_ENDPOINT = 200
let captureKey: string

beforeAll(async () => {
  captureKey = (await aStore(world)).captureKey
})

/** The same nonsense each run. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

const next = random(7)
const pick = <T>(values: readonly T[]): T => values[Math.floor(next() * values.length)]!

const TEXTS = [
  '',
  ' ',
  '\u0000',
  '💥',
  '../../etc/passwd',
  "' or 1=1 --",
  '{{7*7}}',
  'rt_',
  `rt_${'A'.repeat(43)}`,
  'x'.repeat(5_000),
  'NaN',
  '\ud800',
]
const VALUES: unknown[] = [null, true, -1, 1e308, [], {}, [[]], { $gt: '' }, ...TEXTS]
const KEYS = [
  'email',
  'password',
  'name',
  'token',
  'cart',
  'items',
  'page',
  'seq',
  'contact',
  '__proto__',
  'constructor',
]

function nonsense(depth = 0): unknown {
  if (depth > 2 || next() < 0.3) return pick(VALUES)
  return Object.fromEntries(Array.from({ length: 1 + Math.floor(next() * 4) }, () => [pick(KEYS), nonsense(depth + 1)]))
}

function payload(): { body: string; type: string } {
  const type = pick([
    'application/json',
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-16',
    'multipart/form-data',
    'x/y',
  ])
  if (next() < 0.2) return { body: pick(['{', '[1,', '"', 'null', 'a=b&c', '\u0000\u0001', '{"a":'.repeat(200)]), type }
  return { body: JSON.stringify(nonsense()), type }
}

interface Target {
  method: string
  path: string
}

function targets(): Target[] {
  const contracts = (servedBy.get(world.app) ?? []).filter((endpoint) => endpoint.permission === 'public')
  const raw = [
    'GET /c/:token',
    'GET /o/:token',
    'GET /u/:token',
    'POST /u/:token',
    'POST /api/capture/:storeKey',
    'POST /api/webhooks/woocommerce/:storeKey',
  ]
  return [
    ...contracts.map(({ method, path }) => ({ method, path })),
    ...raw.map((line) => ({ method: line.split(' ')[0]!, path: line.split(' ')[1]! })),
  ]
}

const fill = (path: string) =>
  path
    .replace(':storeKey', () =>
      next() < 0.5 ? captureKey : encodeURIComponent(pick(TEXTS).toWellFormed().slice(0, 200)),
    )
    .replace(/:\w+/g, () => encodeURIComponent(pick(TEXTS).toWellFormed().slice(0, 200)) || '-')

async function counts(): Promise<Record<string, number>> {
  const tables = [
    'facts',
    'carts',
    'shoppers',
    'users',
    'sessions',
    'messages',
    'touches',
    'visits',
    'suppressions',
    'consents',
    'webhook_events',
  ] as const
  const rows = await Promise.all(
    tables.map((table) => world.pool.query<{ n: number }>(`select count(*)::int as n from ${table}`)),
  )
  return Object.fromEntries(tables.map((table, index) => [table, rows[index]!.rows[0]!.n]))
}

test('two hundred malformed requests to each public endpoint: never our mistake, and nothing is stored', async () => {
  const before = await counts()
  const crashed: unknown[] = []
  for (const target of targets()) {
    for (let n = 0; n < PER_ENDPOINT; n++) {
      const { body, type } = payload()
      const isBodied = target.method !== 'GET' && target.method !== 'DELETE'
      const reply = await world.app.inject({
        method: target.method as 'GET',
        url: `${fill(target.path)}${next() < 0.3 ? `?${pick(KEYS)}=${encodeURIComponent(pick(TEXTS).toWellFormed())}` : ''}`,
        headers: {
          ...(isBodied ? { 'content-type': type } : {}),
          origin: pick(['https://evil.example', 'null', 'https://shop1.example.com']),
        },
        ...(isBodied ? { payload: body } : {}),
      })
      if (reply.statusCode >= 500)
        crashed.push([target, body.slice(0, 100), reply.statusCode, reply.body.slice(0, 200)])
    }
  }
  expect(crashed).toEqual([])
  expect(await counts()).toEqual(before)
  // Thousands of requests; how long they take says only how busy the machine is.
}, 240_000)
