import { expect, test } from 'vitest'
import { isFullRun } from '../../../test/seed.ts'
import type { GuardedFetch } from '../../core/net/guarded-fetch.ts'
import type { StoreAccess, StoreNet } from '../platform/access.ts'
import { createMemoryTokenCache } from '../platform/memory-token-cache.ts'
import { createShopifyClient } from './platform.ts'

// A very large store with very few points, read page by page on its own clock; all 50,000 orders and 20,000 checkouts
// only in proofs. The store is strict: it refuses queries beyond its points, and expired tokens.

const ORDERS = isFullRun ? 50_000 : 5_000
const CHECKOUTS = isFullRun ? 20_000 : 2_000
const START = Date.parse('2026-11-26T12:00:00Z')
const FIRST = Date.parse('2026-10-01T00:00:00Z')
const MOST = 2_000
const PER_SECOND = 100
const TOKEN_MS = 86_399_000
/** A row's estimated and actual cost. */
const RESERVED = 74
const SPENT = 26

const instant = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`
const money = (amount: string) => ({ shopMoney: { amount, currencyCode: 'USD' } })
const line = {
  quantity: 2,
  title: 'Pot',
  originalUnitPriceSet: money('10.0'),
  ...{ product: { id: 'gid://shopify/Product/1' }, variant: { id: 'gid://shopify/ProductVariant/2' } },
}

const order = (index: number) => ({
  ...{ id: `gid://shopify/Order/${index + 1}`, currencyCode: 'USD', displayFinancialStatus: 'PAID', test: false },
  createdAt: instant(FIRST + index * 60_000),
  updatedAt: instant(FIRST + index * 60_000),
  totalPriceSet: money('20.0'),
  lineItems: { nodes: [line] },
})

const checkout = (index: number) => ({
  ...{ id: `gid://shopify/AbandonedCheckout/${index + 1}`, updatedAt: instant(START - index * 1_000) },
  totalPriceSet: money('20.0'),
  lineItems: { nodes: [line] },
})

function largeStore() {
  let at = START
  let bucket = { available: MOST, at: START }
  let token = { name: '', until: 0 }
  const stats = { throttled: 0, tokens: 0, queries: 0, max: 0 }
  const fill = () => {
    bucket = { available: Math.min(MOST, bucket.available + ((at - bucket.at) / 1_000) * PER_SECOND), at }
    return bucket.available
  }
  const listed = (text: string, variables: { first: number; after: string | null }) => {
    const [root, total, row] = text.includes('query Orders(')
      ? (['orders', ORDERS, order] as const)
      : (['abandonedCheckouts', CHECKOUTS, checkout] as const)
    const from = Number(variables.after ?? 0)
    const until = Math.min(from + variables.first, total)
    const nodes = Array.from({ length: until - from }, (_, index) => row(from + index))
    return { [root]: { nodes, pageInfo: { hasNextPage: until < total, endCursor: String(until) } } }
  }
  const answer = (text: string, variables: { first: number; after: string | null }) => {
    stats.queries += 1
    const cost = (variables.first ?? 1) * RESERVED
    stats.max = Math.max(stats.max, cost)
    const status = () => ({ maximumAvailable: MOST, currentlyAvailable: Math.floor(fill()), restoreRate: PER_SECOND })
    const extensions = () => ({ cost: { requestedQueryCost: cost, throttleStatus: status() } })
    if (cost > 1_000) return { errors: [{ message: 'too much', extensions: { code: 'MAX_COST_EXCEEDED' } }] }
    // Another client of the same app uses points now and then.
    if (stats.queries % 50 === 0) bucket = { available: 10, at }
    if (cost > fill()) {
      stats.throttled += 1
      return { errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }], extensions: extensions() }
    }
    bucket.available -= (variables.first ?? 1) * SPENT
    const data = text.includes('ordersCount') ? { ordersCount: { count: 10 } } : listed(text, variables)
    return { data, extensions: extensions() }
  }
  const fetch: GuardedFetch = async (url, request = {}) => {
    at += 120
    const of = (status: number, body: unknown) => ({
      status,
      headers: {},
      url,
      isRedirected: false,
      body: Buffer.from(JSON.stringify(body)),
    })
    if (url.endsWith('/admin/oauth/access_token')) {
      stats.tokens += 1
      token = { name: `t${stats.tokens}`, until: at + TOKEN_MS }
      return of(200, { access_token: token.name, scope: 'read_orders', expires_in: TOKEN_MS / 1_000 })
    }
    const isGood = request.headers?.['x-shopify-access-token'] === token.name && at < token.until
    if (!isGood) return of(401, { errors: '[API] Invalid API key or access token' })
    const { query, variables } = JSON.parse(request.body ?? '{}')
    return of(200, answer(query, variables))
  }
  const net: StoreNet = {
    fetch,
    now: () => new Date(at),
    sleep: async (ms) => {
      at += ms
    },
  }
  const end = () => {
    token.until = 0
    return true
  }
  return { net, stats, end, hours: () => (at - START) / 3_600_000 }
}

const access: StoreAccess = {
  ...({ platform: 'shopify', storeUrl: 'https://a.myshopify.com', homeUrl: 'https://a.example' } as const),
  keys: { kind: 'shopify_app', clientId: 'a', clientSecret: 'b' },
}

test('reads orders and checkouts completely, in order and once, despite throttling and expiring tokens', async () => {
  const { net, stats, end, hours } = largeStore()
  const client = createShopifyClient(access, net, createMemoryTokenCache())
  let next = 1
  let latest = ''
  let hasEnded = false
  for await (const { rows, skipped } of client.orders({ modifiedSince: instant(FIRST) })) {
    expect(skipped).toEqual([])
    for (const { orderId, modifiedAt } of rows) {
      if (orderId !== String(next) || modifiedAt < latest) throw new Error(`order ${orderId} where ${next} should be`)
      ;[next, latest] = [next + 1, modifiedAt]
    }
    // Earlier than announced, in the middle of the list.
    if (next > ORDERS / 2 && !hasEnded) hasEnded = end()
  }
  expect(next - 1).toBe(ORDERS)
  const checkouts = new Set<string>()
  for await (const { rows } of client.checkouts({ modifiedSince: instant(FIRST) })) {
    for (const { checkoutId } of rows) checkouts.add(checkoutId)
  }
  expect(checkouts.size).toBe(CHECKOUTS)
  expect(stats.throttled).toBeGreaterThan(ORDERS / 1_000)
  expect(stats.tokens).toBeGreaterThan(1)
  // Uses all available points, with hardly more queries than they allow.
  expect(stats.max).toBeLessThanOrEqual(1_000)
  expect(hours()).toBeLessThan(((ORDERS + CHECKOUTS) * SPENT * 1.25) / PER_SECOND / 3_600)
})
