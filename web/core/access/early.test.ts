import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { logout } from '../../../shared/access/auth.ts'
import { cartReach } from '../../../shared/carts/reach.ts'
import { DEFAULT_RANGE, readAnalytics } from '../../../shared/insights/analytics.ts'
import { readDashboardStats } from '../../../shared/insights/dashboard.ts'
import { stubPage } from '../../../test/browser-globals.ts'
import { buildAddress, call, keepEarlyCalls, startEarlyCall } from '../api/api.ts'
import { buildStoreFields, endSession, rememberConnection, session, startSession } from '../session/session.ts'
import { findFirstAddresses } from './early.ts'
import { accountCalls, connectionCall, screenCalls, shellCalls } from './first-calls.ts'

// A screen's first calls start before its code is loaded, and each answer is used once, by the same session.

const fetchMock = vi.fn<(address: string, options: RequestInit) => Promise<Response>>()
let count = 0

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
  stubPage({ pathname: '/analytics', search: '?range=1y' })
  startSession('mine', true)
  rememberConnection({ platform: 'woocommerce', store_url: 'shop' })
  count = 0
  fetchMock.mockReset().mockImplementation(async () => new Response(JSON.stringify({ n: ++count })))
  vi.stubGlobal('fetch', fetchMock)
})
afterEach(() => {
  keepEarlyCalls([])
  endSession('left')
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const OF_STORE = 'platform=woocommerce&storeId=shop'
const ADDRESS = `/api/analytics?range=1y&${OF_STORE}`
const STATS = `/api/dashboard/stats?${OF_STORE}`
const listAddresses = () => fetchMock.mock.calls.map(([address]) => address)
/** Number of the answer. */
const figures = async (range: '1y' | '7d' = '1y') => (await call(readAnalytics, { query: { range } })) as unknown
const stats = async () => (await call(readDashboardStats)) as unknown
const keep = (token: string, ...addresses: string[]) =>
  keepEarlyCalls(addresses.map((address) => startEarlyCall(address, token)))

const find = (loader: 'AnalyticsPage' | 'DashboardPage', search: string, visit = {}) =>
  findFirstAddresses(
    { account: accountCalls, connection: connectionCall, store: [...shellCalls, ...screenCalls[loader]!] },
    { search, isSubscribed: true, store: buildStoreFields(), ...visit },
  )

test('starts the same calls as the screen, for the range of the address or the default, and for one store', () => {
  const buildCallAddress = (range: string) => buildAddress(readAnalytics, {}, { range }, buildStoreFields())
  expect(find('AnalyticsPage', '?range=1y')).toContain(buildCallAddress('1y'))
  expect(find('AnalyticsPage', '')).toContain(buildCallAddress(DEFAULT_RANGE))
  expect(find('DashboardPage', '')).toContain(STATS)
  for (const search of ['?stores=all', '?storeId=x', '?platform=shopify'])
    expect(find('DashboardPage', search)).toEqual([
      '/api/auth/me',
      '/api/subscribe/status',
      '/api/instance',
      '/api/stores/check-connection?storeId=shop&platform=woocommerce',
    ])
})

test('asks nothing about a store without a subscription, or before the store is known', () => {
  const ofStore = (visit: object) => find('DashboardPage', '', visit).filter((address) => address.includes('storeId'))
  expect(ofStore({})).not.toEqual([])
  expect(ofStore({ store: { platform: 'woocommerce' } })).toEqual([])
  expect(find('DashboardPage', '', { isSubscribed: false })).toEqual([
    '/api/auth/me',
    '/api/subscribe/status',
    '/api/instance',
  ])
})

test('gives each answer to the first caller once, with the headers of every request', async () => {
  keep('mine', ADDRESS, STATS)
  expect([await figures('7d'), await figures(), await figures(), await stats()]).toEqual(
    [3, 1, 4, 2].map((n) => ({ n })),
  )
  expect(listAddresses()).toEqual([ADDRESS, STATS, `/api/analytics?range=7d&${OF_STORE}`, ADDRESS])
  const [early, , , late] = fetchMock.mock.calls.map(([, { credentials, headers }]) => ({ credentials, headers }))
  expect(early).toEqual(late)
})

test('repeats the request after a change, when it is old, and after a failure', async () => {
  keep('mine', ADDRESS)
  await call(logout)
  expect(await figures()).toEqual({ n: 3 })
  keep('mine', ADDRESS)
  vi.advanceTimersByTime(10_000)
  expect(await figures()).toEqual({ n: 5 })
  fetchMock.mockImplementationOnce(async () => Promise.reject(new TypeError('no network')))
  keep('mine', ADDRESS)
  expect(await figures()).toEqual({ n: 6 })
  expect(listAddresses()).toHaveLength(7)
})

test('a POST that only reads is no change', async () => {
  keep('mine', ADDRESS)
  await call(cartReach, { body: {} })
  expect(await figures()).toEqual({ n: 1 })
})

test('never shows the answers to another account or after signing out', async () => {
  keep('another', ADDRESS, STATS)
  expect(await figures()).toEqual({ n: 3 })
  // Not even once the first session is back.
  startSession('another', true)
  expect(await stats()).toEqual({ n: 4 })
  keep('another', ADDRESS)
  endSession('left')
  expect(await figures()).toEqual({ n: 6 })
  startSession('mine', true)
  expect(await figures()).toEqual({ n: 7 })
})

test('an early 401 ends its session like any other (decision 2)', async () => {
  const refused = () => new Response(JSON.stringify({ error: 'Sign in again.', code: 'session' }), { status: 401 })
  fetchMock.mockImplementationOnce(async () => refused())
  keep('mine', ADDRESS)
  await expect(figures()).rejects.toMatchObject({ status: 401 })
  expect(session()).toMatchObject({ token: null, farewell: 'expired' })
  fetchMock.mockImplementationOnce(async () => refused())
  keep('mine', ADDRESS)
  startSession('new', true)
  await figures()
  expect(session().token).toBe('new')
})
