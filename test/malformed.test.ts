import { beforeAll, describe, expect, test } from 'vitest'
import { servedBy } from '../server/access/http/http.ts'
import { recordOrders } from '../server/carts/carts/record.ts'
import { platformNames } from '../server/platforms/registry/registry.ts'
import { buildOrder, createStore, type TestStore } from './factories.ts'
import { createFakeStore } from './fake-store.ts'
import { createMalformedRequests, listRoutes, type Route } from './malformed-requests.ts'
import { isFullRun, pickSeededShare, testSeed } from './seed.ts'
import { createWorld } from './world.ts'

// Calls every endpoint with malformed requests: each is a client error, never a server error, and nothing is stored.
// `npm test` uses a quarter of the seeds; `npm run proofs -- fuzz` uses all of them and a fresh one.

const world = createWorld()
const PER_ENDPOINT = 50
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 500)
const SEEDS = [...pickSeededShare([7, 8, 9, 10], 4), ...(isFullRun ? [testSeed] : [])]
/** Requests in a hundred that go to downloads with a damaged ticket, or repeat a parameter. */
const AIMED_PERCENT = 2

let { next, pick, payload, query, segment } = createMalformedRequests(SEEDS[0]!)
const TEXT_PARAMS = ['status', 'search', 'ticket', 'domain', 'hub.challenge', 'hub.verify_token', 'channel', 'reason']
let captureKey: string

beforeAll(async () => {
  captureKey = (await createStore(world)).captureKey
  world.storeClient = () => createFakeStore()
})

function listPublicRoutes(): Route[] {
  const contracts = (servedBy.get(world.app) ?? []).filter((endpoint) => endpoint.permission === 'public')
  const raw = [
    'GET /c/:token',
    'GET /o/:token',
    'GET /u/:token',
    'POST /u/:token',
    'POST /api/capture/:storeKey',
    ...platformNames.map((platform) => `POST /api/webhooks/${platform}/:storeKey`),
  ]
  return [
    ...contracts.map(({ method, path }) => ({ method, path })),
    ...raw.map((line) => ({ method: line.split(' ')[0]!, path: line.split(' ')[1]! })),
  ]
}

const fill = (path: string) =>
  path.replace(':storeKey', () => (next() < 0.5 ? captureKey : segment())).replace(/:\w+/g, segment)

interface Call {
  token?: string
  isDoubled?: boolean
}

/** Returns the reply if it was a server error. */
async function findServerError(route: Route, { token, isDoubled = false }: Call = {}): Promise<unknown> {
  const { body, type } = payload()
  const isBodied = !['GET', 'HEAD', 'DELETE', 'OPTIONS'].includes(route.method)
  const url = fill(route.path) + query(TEXT_PARAMS, isDoubled)
  const reply = await world.app.inject({
    method: route.method as 'GET',
    url,
    headers: {
      ...(isBodied ? { 'content-type': type } : {}),
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      origin: pick(['https://evil.example', 'null', 'https://shop1.example.com']),
    },
    ...(isBodied ? { payload: body } : {}),
  })
  return reply.statusCode < 500 ? null : [url, body.slice(0, 100), reply.statusCode, reply.body.slice(0, 200)]
}

async function countRows(): Promise<Record<string, number>> {
  const tables = [
    'facts',
    'carts',
    'shoppers',
    'users',
    'sessions',
    'messages',
    'touchpoints',
    'engagement_events',
    'suppressions',
    'consents',
    'webhook_events',
  ] as const
  const rows = await Promise.all(
    tables.map((table) => world.pool.query<{ n: number }>(`select count(*)::int as n from ${table}`)),
  )
  return Object.fromEntries(tables.map((table, index) => [table, rows[index]!.rows[0]!.n]))
}

/** Creates a link to each download, as the owner gets it. */
async function createDownloadLinks(owner: TestStore): Promise<string[]> {
  const order = buildOrder(world)
  await recordOrders(world.deps, owner.storeId, [order], 'sync')
  const requests = [
    ['POST', '/api/account/export'],
    ['GET', '/api/carts/export?status=all&search=tea'],
    ['GET', '/api/suppressions/export?search=tea'],
    ['GET', '/api/consent/ledger/export'],
    ['GET', `/api/privacy/${encodeURIComponent(order.email!)}/export`],
  ]
  const links = await Promise.all(requests.map(([method, url]) => world.request(method!, url!, { token: owner.token })))
  return links.map(({ body }) => body.url as string)
}

/** A ticket ends with its signature or seal, and is the end of its path or the only parameter. */
const damages: [name: string, damage: (url: string) => string][] = [
  ['a signature with other letters', (url) => changeTicket(url, (ticket) => ticket.slice(0, -43) + 'é'.repeat(43))],
  ['a two-byte letter', (url) => changeTicket(url, (ticket) => `${ticket.slice(0, -1)}é`)],
  ['a four-byte letter', (url) => changeTicket(url, (ticket) => `${ticket.slice(0, -2)}💥`)],
  ['a NUL', (url) => changeTicket(url, (ticket) => `${ticket.slice(0, -1)}\0`)],
  ['no signature', (url) => changeTicket(url, (ticket) => ticket.slice(0, -43))],
  ['a longer one', (url) => changeTicket(url, (ticket) => ticket + 'A'.repeat(60))],
  ['only dots', (url) => changeTicket(url, () => '....')],
  ['nothing', (url) => changeTicket(url, () => '-')],
]
const doublings = [
  'status=a&status=b',
  'search=a&search=b',
  'ticket=a&ticket=b',
  'reason=a&reason=a',
  'channel=&channel=',
]

function changeTicket(url: string, damage: (ticket: string) => string): string {
  const [path = '', search = ''] = url.split('?')
  if (search.startsWith('ticket=')) return `${path}?ticket=${encodeURIComponent(damage(search.slice(7)))}`
  const at = path.lastIndexOf('/') + 1
  return `${path.slice(0, at)}${encodeURIComponent(damage(path.slice(at)))}?${search}`
}

test('a damaged download ticket or a repeated parameter is refused with a sentence', async () => {
  for (const url of await createDownloadLinks(await createStore(world))) {
    const good = await world.app.inject({ url })
    expect([url.split('?')[0], good.statusCode]).toEqual([url.split('?')[0], 200])
    for (const [name, damage] of damages) {
      const { statusCode } = await world.app.inject({ url: damage(url) })
      expect([name, url, statusCode]).toEqual([name, url, 404])
    }
    for (const twice of doublings) {
      const { statusCode } = await world.app.inject({ url: `${url}${url.includes('?') ? '&' : '?'}${twice}` })
      expect([twice, url, statusCode < 500]).toEqual([twice, url, true])
    }
  }
})

describe.each(SEEDS)('malformed requests of seed %i', (seed) => {
  beforeAll(() => {
    ;({ next, pick, payload, query, segment } = createMalformedRequests(seed))
  })

  test('to public endpoints are client errors and store nothing', async () => {
    const before = await countRows()
    const crashed: unknown[] = []
    for (const route of listPublicRoutes()) {
      for (let n = 0; n < PER_ENDPOINT; n++) crashed.push(await findServerError(route))
    }
    expect(crashed.filter(Boolean)).toEqual([])
    expect(await countRows()).toEqual(before)
    // Thousands of requests: their duration depends only on the load of the machine.
  }, 240_000)

  test(`${REQUESTS} of them to all routes, signed in and not, are never server errors`, async () => {
    const routes = listRoutes(world.app)
    expect(routes.length).toBeGreaterThan(120)
    const crashed: unknown[] = []
    let owner = await createStore(world)
    let links = await createDownloadLinks(owner)
    for (let n = 0; n < REQUESTS; n++) {
      // Some requests sign out or disconnect the store.
      if (n % 200 === 199) {
        owner = await createStore(world)
        links = await createDownloadLinks(owner)
      }
      const isAimed = next() * 100 < AIMED_PERCENT
      if (isAimed && next() < 0.5) {
        const url = pick(damages)[1](pick(links))
        const { statusCode, body } = await world.app.inject({ url })
        if (statusCode >= 500) crashed.push([url, statusCode, body])
        continue
      }
      const call = { isDoubled: isAimed, ...(next() < 0.7 ? { token: owner.token } : {}) }
      crashed.push(await findServerError(pick(routes), call))
    }
    expect(crashed.filter(Boolean)).toEqual([])
  }, 900_000)
})
