import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { logout } from '../../../shared/access/auth.ts'
import { DEFAULT_RANGE, readAnalytics } from '../../../shared/insights/analytics.ts'
import { stubPage } from '../../../test/browser-globals.ts'
import { buildAddress, call, prefetch } from '../api/api.ts'
import { buildStoreFields, endSession, rememberConnection, startSession } from '../session/session.ts'
import { findFirstQuery, prefetchFirstQuery } from './early.ts'

// A screen's first query starts before its code is loaded, and its answer is used once.

const user = { id: 'u', name: 'Ada', email: 'ada@shoppers.example.com', subscriptionStatus: null }
const fetchMock = vi.fn<(address: string, options: RequestInit) => Promise<Response>>()
let count = 0

beforeEach(() => {
  const { local } = stubPage({ pathname: '/analytics', search: '?range=1y' })
  startSession('mine', true)
  rememberConnection({ platform: 'woocommerce', store_url: 'shop' })
  local.setItem('user', JSON.stringify({ ...user, hasActiveSubscription: true }))
  count = 0
  fetchMock.mockReset().mockImplementation(async () => new Response(JSON.stringify({ n: ++count })))
  vi.stubGlobal('fetch', fetchMock)
})
afterEach(() => {
  endSession('left')
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const OF_STORE = '&platform=woocommerce&storeId=shop'
const ADDRESS = `/api/analytics?range=1y${OF_STORE}`
const listAddresses = () => fetchMock.mock.calls.map(([address]) => address)
/** Number of the answer. */
const figures = async (range: '1y' | '7d' = '1y') => (await call(readAnalytics, { query: { range } })) as unknown

test('prefetches the same call as the screen, for the range of the address or the default, and for one store', () => {
  const buildCallAddress = (range: string) => buildAddress(readAnalytics, {}, { range }, buildStoreFields())
  const readFirstQuery = (search: string) =>
    findFirstQuery('/analytics', new URLSearchParams(search), buildStoreFields())
  expect([readFirstQuery('range=1y'), readFirstQuery('')]).toEqual([
    buildCallAddress('1y'),
    buildCallAddress(DEFAULT_RANGE),
  ])
  for (const search of ['stores=all', 'storeId=x', 'platform=shopify']) expect(readFirstQuery(search)).toBe(null)
  expect(findFirstQuery('/carts', new URLSearchParams(), buildStoreFields())).toBe(null)
})

test('prefetches nothing for a visitor', () => {
  localStorage.removeItem('user')
  prefetchFirstQuery()
  expect(fetchMock).not.toHaveBeenCalled()
})

test('gives its answer to the first caller once, with the headers of every request', async () => {
  prefetch(ADDRESS, 'mine')
  expect([await figures('7d'), await figures(), await figures()]).toEqual([{ n: 2 }, { n: 1 }, { n: 3 }])
  expect(listAddresses()).toEqual([ADDRESS, `/api/analytics?range=7d${OF_STORE}`, ADDRESS])
  const [early, , late] = fetchMock.mock.calls.map(([, { credentials, headers }]) => ({ credentials, headers }))
  expect(early).toEqual(late)
})

test('repeats the request after a change, with another token, when it is old, and after a failure', async () => {
  prefetch(ADDRESS, 'mine')
  await call(logout)
  expect(await figures()).toEqual({ n: 3 })
  prefetch(ADDRESS, 'another')
  expect(await figures()).toEqual({ n: 5 })
  vi.useFakeTimers({ toFake: ['performance'] })
  prefetch(ADDRESS, 'mine')
  vi.advanceTimersByTime(5_000)
  expect(await figures()).toEqual({ n: 7 })
  fetchMock.mockImplementationOnce(async () => Promise.reject(new TypeError('no network')))
  prefetch(ADDRESS, 'mine')
  expect(await figures()).toEqual({ n: 8 })
  expect(listAddresses()).toHaveLength(9)
})
