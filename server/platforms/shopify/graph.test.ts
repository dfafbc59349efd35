import { describe, expect, test } from 'vitest'
import { FetchProblem } from '../../core/net/fetch-problem.ts'
import type { GuardedFetch } from '../../core/net/guarded-fetch.ts'
import type { StoreKeys, StoreNet, StoreToken, TokenCache } from '../platform/access.ts'
import { createMemoryTokenCache } from '../platform/memory-token-cache.ts'
import { createGraph, TooCostly } from './graph.ts'
import { DISCOUNT_DELETE } from './mutations.ts'
import { ORDER_BY_ID, SHOP } from './queries.ts'

const APP: StoreKeys = { kind: 'shopify_app', clientId: 'client', clientSecret: 'shpss_secret' }

interface Answer {
  status?: number
  body?: unknown
  headers?: Record<string, string>
}

/** A store that returns the given responses in order and repeats the last one. Its tokens are t1, t2 … */
function fakeStore(
  answers: readonly (Answer | FetchProblem)[],
  keys: StoreKeys = APP,
  shelf: TokenCache = createMemoryTokenCache(),
) {
  let at = Date.parse('2026-11-26T12:00:00Z')
  const requests: { url: string; token: string | undefined; body: string }[] = []
  const waits: number[] = []
  let tokens = 0
  const fetch: GuardedFetch = async (url, request = {}) => {
    const of = (status: number, body: unknown, headers = {}) => ({
      status,
      headers,
      url,
      isRedirected: false,
      body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    })
    if (url.endsWith('/admin/oauth/access_token')) {
      tokens += 1
      return of(200, { access_token: `t${tokens}`, scope: 'read_orders,write_discounts', expires_in: 86_399 })
    }
    requests.push({ url, token: request.headers?.['x-shopify-access-token'], body: request.body ?? '' })
    const answer = answers[Math.min(requests.length, answers.length) - 1]!
    if (answer instanceof FetchProblem) throw answer
    return of(answer.status ?? 200, answer.body ?? { data: {} }, answer.headers)
  }
  const net: StoreNet = {
    fetch,
    now: () => new Date(at),
    sleep: async (ms, signal) => {
      signal?.throwIfAborted()
      waits.push(ms)
      at += ms
    },
  }
  const access = {
    platform: 'shopify',
    storeUrl: 'https://a.myshopify.com',
    homeUrl: 'https://a.example',
    keys,
  } as const
  const graph = createGraph(access, net, shelf)
  return { graph, requests, waits, tokens: () => tokens, advance: (ms: number) => (at += ms) }
}

const refused = (code: string, extensions: object = {}, message = 'no') => ({
  body: { errors: [{ message, extensions: { code, ...extensions } }] },
})
const bucket = (currentlyAvailable: number, requestedQueryCost = 100) => ({
  cost: { requestedQueryCost, throttleStatus: { maximumAvailable: 2_000, currentlyAvailable, restoreRate: 100 } },
})

describe('requests', () => {
  test('use the pinned version, the token in its header, and no keys', async () => {
    const { graph, requests } = fakeStore([{ body: { data: { shop: { name: 'A' } } } }])
    await graph.read(SHOP)
    expect(requests[0]).toMatchObject({ url: 'https://a.myshopify.com/admin/api/2026-10/graphql.json', token: 't1' })
    expect(JSON.stringify(requests)).not.toContain('shpss_secret')
  })

  test('use an admin app’s token unchanged, and a refusal is final', async () => {
    const keys: StoreKeys = { kind: 'shopify_token', accessToken: 'shpat_x', apiSecret: 'shpss_y' }
    const { graph, requests, tokens } = fakeStore([{ status: 401, body: { errors: '[API] Invalid API key' } }], keys)
    await expect(graph.read(SHOP)).rejects.toMatchObject({ code: 'shopify_token_revoked' })
    expect(requests.map(({ token }) => token)).toEqual(['shpat_x'])
    expect(tokens()).toBe(0)
  })
})

describe('the daily token', () => {
  test('is created once, and renewed at 80 % of its life', async () => {
    const { graph, requests, tokens, advance } = fakeStore([{}])
    await graph.read(SHOP)
    await graph.read(SHOP)
    advance(19 * 3_600_000)
    await graph.read(SHOP)
    expect(tokens()).toBe(1)
    advance(0.5 * 3_600_000)
    await graph.read(SHOP)
    expect(tokens()).toBe(2)
    expect(requests.map(({ token }) => token)).toEqual(['t1', 't1', 't1', 't2'])
  })

  test('is renewed once by one of two workers when the store refuses it', async () => {
    const shelf = createMemoryTokenCache()
    const one = fakeStore([{}, { status: 401 }, {}], APP, shelf)
    const two = fakeStore([{}, { status: 401 }, {}], APP, shelf)
    await one.graph.read(SHOP)
    await two.graph.read(SHOP)
    expect([one.tokens(), two.tokens()]).toEqual([1, 0])
    await one.graph.read(SHOP)
    expect(one.requests.map(({ token }) => token)).toEqual(['t1', 't1', 't2'])
    // The other worker is refused too and finds the new token.
    await two.graph.read(SHOP)
    expect(two.requests.map(({ token }) => token)).toEqual(['t1', 't1', 't2'])
    expect([one.tokens(), two.tokens()]).toEqual([2, 0])
  })

  test('counts as revoked after two refusals', async () => {
    const { graph, tokens } = fakeStore([{ status: 401 }])
    await expect(graph.read(SHOP)).rejects.toMatchObject({ code: 'shopify_token_revoked' })
    expect(tokens()).toBe(2)
  })

  test('stays in use while renewal fails', async () => {
    const cached: StoreToken = {
      accessToken: 'kept',
      scopes: [],
      madeAt: '2026-11-25T15:00:00Z',
      expiresAt: '2026-11-26T15:00:00Z',
    }
    const shelf: TokenCache = {
      read: async () => cached,
      renew: async () => {
        throw new FetchProblem('timeout')
      },
    }
    const { graph, requests, advance } = fakeStore([{}], APP, shelf)
    await graph.read(SHOP)
    expect(requests[0]?.token).toBe('kept')
    advance(4 * 3_600_000)
    await expect(graph.read(SHOP)).rejects.toThrow()
  })
})

describe('a throttled store', () => {
  test('is retried transparently when the points are available', async () => {
    const throttled = { body: { ...refused('THROTTLED').body, extensions: bucket(40, 540) } }
    const { graph, waits } = fakeStore([
      throttled,
      throttled,
      { body: { data: { shop: {} }, extensions: bucket(1_000) } },
    ])
    await graph.read(SHOP)
    expect(waits).toEqual([5_000, 5_000])
  })

  test('gets no request before the bucket has the last cost of the query', async () => {
    const { graph, waits } = fakeStore([{ body: { data: { shop: {} }, extensions: bucket(100, 600) } }])
    await graph.read(SHOP)
    await graph.read(SHOP)
    expect(waits).toEqual([5_000])
  })

  test('can be aborted while waiting', async () => {
    const throttled = { body: { ...refused('THROTTLED').body, extensions: bucket(0) } }
    const { graph, requests } = fakeStore([throttled])
    const aborting = new AbortController()
    aborting.abort()
    await expect(graph.read(SHOP, {}, aborting.signal)).rejects.toMatchObject({ code: 'timeout' })
    expect(requests.length).toBe(1)
  })

  test('fails after ten minutes without points', async () => {
    const { graph, waits } = fakeStore([refused('THROTTLED')])
    await expect(graph.read(SHOP)).rejects.toMatchObject({ code: 'rate_limited' })
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(10 * 60_000)
  })

  test('follows the delay of a status 429', async () => {
    const { graph, waits } = fakeStore([{ status: 429, headers: { 'retry-after': '2.0' } }, {}])
    await graph.read(SHOP)
    expect(waits).toEqual([2_000])
  })
})

describe('refusals', () => {
  test.each([
    ['a frozen store', { status: 402, body: { errors: 'Unavailable Shop' } }, 'shopify_store_frozen'],
    ['an address without a shop', { status: 404, body: { errors: 'Not Found' } }, 'shopify_wrong_shop'],
    ['a locked store', { status: 423, body: { errors: 'Locked' } }, 'shopify_store_paused'],
    ['an app without access', { status: 403, body: { errors: 'Forbidden' } }, 'shopify_scopes_missing'],
    ['a request taken for an attack', { status: 430, body: '' }, 'rate_limited'],
    ['a page of a proxy', { status: 502, body: '<html>' }, 'shopify_error'],
    ['a page where JSON was expected', { status: 200, body: '<html>' }, 'shopify_bad_answer'],
    ['a stumble inside', refused('INTERNAL_SERVER_ERROR'), 'shopify_error'],
    ['a field that is gone', refused('undefinedField'), 'shopify_bad_answer'],
    ['a paused store', refused('SHOP_INACTIVE'), 'shopify_store_paused'],
    [
      'a missing scope',
      refused('ACCESS_DENIED', { requiredAccess: '`read_orders` access scope.' }),
      'shopify_scopes_missing',
    ],
    ['errors as a text', { body: { errors: 'something' } }, 'shopify_bad_answer'],
  ])('%s has its own code', async (_, answer, code) => {
    await expect(fakeStore([answer]).graph.read(SHOP)).rejects.toMatchObject({ code })
  })

  test('name the missing scope and never a token', async () => {
    const denied = refused('ACCESS_DENIED', {
      requiredAccess: '`read_orders` access scope or `read_quick_sale` access scope.',
    })
    await expect(fakeStore([denied]).graph.read(SHOP)).rejects.toMatchObject({ detail: 'read_orders, read_quick_sale' })
    const telling = refused('OTHER', {}, 'Bad token shpat_abc of shpss_secret')
    await expect(fakeStore([telling]).graph.read(SHOP)).rejects.toMatchObject({ detail: 'Bad token … of …' })
  })

  test('report a query that costs too much', async () => {
    await expect(fakeStore([refused('MAX_COST_EXCEEDED')]).graph.read(SHOP)).rejects.toBeInstanceOf(TooCostly)
  })
})

describe('retries', () => {
  test('repeat reads after a server error, never writes', async () => {
    const reading = fakeStore([{ status: 503 }, {}])
    await reading.graph.read(SHOP)
    expect(reading.requests.length).toBe(2)
    const writing = fakeStore([{ status: 503 }, {}])
    await expect(writing.graph.write(DISCOUNT_DELETE, { id: 'x' })).rejects.toMatchObject({ code: 'shopify_error' })
    expect(writing.requests.length).toBe(1)
  })

  test('reopen a closed connection for reads only', async () => {
    const reading = fakeStore([new FetchProblem('connection_lost'), {}])
    await reading.graph.read(SHOP)
    const writing = fakeStore([new FetchProblem('connection_lost'), {}])
    await expect(writing.graph.write(DISCOUNT_DELETE, { id: 'x' })).rejects.toMatchObject({ code: 'unreachable' })
  })
})

describe('withheld data', () => {
  const withheld = refused('ACCESS_DENIED', {}, 'This app is not approved to use the email field.')
  const getVariables = ({ body }: { body: string }) => JSON.parse(body).variables

  test('is omitted from later queries, and requested again when the profile is read', async () => {
    const { graph, requests } = fakeStore([withheld, { body: { data: { order: null } } }])
    await graph.read(ORDER_BY_ID, { id: '1' })
    await graph.read(ORDER_BY_ID, { id: '1' })
    expect(requests.map((one) => getVariables(one).emails)).toEqual([true, false, false])
    graph.hopeAgain()
    await graph.read(ORDER_BY_ID, { id: '1' })
    expect(getVariables(requests.at(-1)!)).toMatchObject({ emails: true, phones: true, names: true })
  })

  test('of a person leaves the other fields', async () => {
    const { graph, requests } = fakeStore([withheld, { body: { data: { order: null } } }])
    await graph.read(ORDER_BY_ID, { id: '1' })
    expect(getVariables(requests[1]!)).toMatchObject({ emails: false, phones: true, names: true, customers: true })
    const vague = fakeStore([refused('ACCESS_DENIED', {}, 'Not approved.'), { body: { data: { order: null } } }])
    await vague.graph.read(ORDER_BY_ID, { id: '1' })
    expect(getVariables(vague.requests[1]!)).toMatchObject({
      emails: false,
      phones: false,
      names: false,
      customers: true,
    })
  })

  test('is reported when the refusal persists', async () => {
    await expect(fakeStore([withheld]).graph.read(ORDER_BY_ID, { id: '1' })).rejects.toMatchObject({
      code: 'shopify_protected_data',
    })
  })
})
