import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { login } from '../../../shared/access/auth.ts'
import { connectStore, syncStore } from '../../../shared/access/stores.ts'
import { getCart, listAbandonedCarts } from '../../../shared/carts/carts.ts'
import type { Endpoint } from '../../../shared/core/endpoint.ts'
import { restoreCart } from '../../../shared/delivery/restore.ts'
import { readDashboardStats } from '../../../shared/insights/dashboard.ts'
import { listCampaigns } from '../../../shared/marketing/campaigns.ts'
import { upcomingMessages } from '../../../shared/marketing/upcoming.ts'
import { stubPage } from '../../../test/browser-globals.ts'
import { forgetConnection, rememberConnection } from '../session/session.ts'
import { BROKEN, buildAddress, call, getErrorText, isSessionOver, parseError } from './api.ts'

describe('the address of a call', () => {
  it('fills in parameters and omits missing ones', () => {
    expect(
      buildAddress(
        upcomingMessages,
        { flowId: 'a/b' },
        { minutes: 60, search: '', storeId: undefined },
        { platform: 'shopify' },
      ),
    ).toBe('/api/flows/a%2Fb/upcoming?minutes=60&platform=shopify')
  })

  it('adds the current store to calls about a store or its carts, but never replaces a given one', {
    tags: ['A7', 'B1', 'B7'],
  }, () => {
    const store = { platform: 'woocommerce', storeId: 'shop' }
    const buildUrl = (endpoint: Endpoint, query: object = {}) => buildAddress(endpoint, { id: '1' }, query, store)
    expect(buildUrl(listCampaigns)).toBe('/api/campaigns?platform=woocommerce&storeId=shop')
    expect(buildUrl(getCart)).toBe('/api/carts/1?platform=woocommerce&storeId=shop')
    expect(buildUrl(syncStore, { platform: 'shopify', storeId: 'other' })).toBe(
      '/api/stores/sync?platform=shopify&storeId=other',
    )
    expect(buildUrl(readDashboardStats, { stores: 'all' })).toBe('/api/dashboard/stats?stores=all&platform=woocommerce')
    expect(buildUrl(connectStore)).toBe('/api/stores/connect-store?platform=woocommerce')
    expect(buildUrl(login)).toBe('/api/auth/login')
  })
})

describe('a failed answer', () => {
  it('carries the server’s message, code, fields and waiting time', () => {
    const error = parseError(429, {
      error: 'Too many attempts.',
      code: 'rate_limited',
      retryAfterS: 30,
      fields: { email: 'x' },
    })
    expect([error.message, error.code, error.retryAfterS, error.fields.email]).toEqual([
      'Too many attempts.',
      'rate_limited',
      30,
      'x',
    ])
    expect(parseError(429, null, '12').retryAfterS).toBe(12)
  })

  it('shows the error, else the message, else the screen’s default (A 8)', { tags: ['A8'] }, () => {
    const readErrorText = (reply: unknown) => getErrorText(parseError(400, reply), 'the default')
    expect(readErrorText({ error: 'the error', message: 'the message' })).toBe('the error')
    expect(readErrorText({ error: '', message: 'the message' })).toBe('the message')
    expect(readErrorText({ message: 'the message' })).toBe('the message')
    expect(readErrorText({ error: 'the error' })).toBe('the error')
    expect(readErrorText({})).toBe('the default')
    expect(readErrorText('<html>')).toBe('the default')
    // Our own server's generic 500 has no specific message.
    expect(getErrorText(parseError(500, { error: 'x', code: 'internal' }), 'the default')).toBe('the default')
  })

  it('counts as unreachable when our server did not answer, not when it failed at a request', () => {
    const away = [
      parseError(502, null),
      parseError(503, { error: 'x', code: 'unavailable' }),
      parseError(504, '<html>'),
    ]
    expect(away.map(({ isAway }) => isAway)).toEqual([true, true, true])
    const there = [
      parseError(500, null),
      parseError(503, { error: 'x', code: 'store_unreachable' }),
      parseError(404, null),
    ]
    expect(there.map(({ isAway }) => isAway)).toEqual([false, false, false])
  })

  it('counts as an outage when our server failed, not when the store did', () => {
    expect(parseError(500, null).isOutage).toBe(true)
    expect(parseError(502, '<html>').message).toBe(BROKEN)
    expect(parseError(504, { error: { message: 'upstream' } }).message).toBe(BROKEN)
    expect(parseError(200, null).isOutage).toBe(true)
    expect(parseError(503, { error: 'Store down', code: 'store_unreachable' }).isOutage).toBe(false)
    expect(parseError(404, { error: 'No', code: 'not_found' }).isOutage).toBe(false)
  })

  it('ends the session only on a session’s 401', () => {
    expect(isSessionOver(parseError(401, { error: '', code: 'session' }))).toBe(true)
    expect(isSessionOver(parseError(401, { error: '', code: 'unauthenticated' }))).toBe(true)
    expect(isSessionOver(parseError(401, { error: '', code: 'store_credentials' }))).toBe(false)
  })
})

describe('every request (B 7)', () => {
  const fetchMock = vi.fn<(address: string, options: RequestInit) => Promise<Response>>()

  beforeEach(() => {
    stubPage()
    vi.stubGlobal(
      'fetch',
      fetchMock.mockReset().mockImplementation(async () => new Response('{}')),
    )
  })
  afterEach(() => {
    forgetConnection()
    vi.unstubAllGlobals()
  })

  it('sends this tab’s store after another tab stored a different one', { tags: ['B1', 'B7'] }, async () => {
    rememberConnection({ platform: 'woocommerce', store_url: 'https://one.example' })
    localStorage.setItem('platform', 'shopify')
    localStorage.setItem('store_connection', '{"platform":"shopify","store_url":"https://two.example"}')
    await call(listCampaigns)
    location.search = '?platform=shopify'
    await call(listCampaigns)
    await call(restoreCart, { params: { id: 'rt_1' }, isAnonymous: true })
    expect(fetchMock.mock.calls.map(([address]) => address)).toEqual([
      '/api/campaigns?platform=woocommerce&storeId=https%3A%2F%2Fone.example',
      '/api/campaigns?platform=shopify',
      '/api/carts/rt_1/restore?platform=shopify',
    ])
  })

  it('sends the store the server returned when the account has none on the platform in the address', async () => {
    location.search = '?platform=shopify'
    rememberConnection({ platform: 'woocommerce', store_url: 'https://one.example' })
    await call(listCampaigns)
    expect(fetchMock.mock.calls.map(([address]) => address)).toEqual([
      '/api/campaigns?platform=shopify&storeId=https%3A%2F%2Fone.example',
    ])
  })

  it('sends credentials, announces JSON and carries the header of browser requests', { tags: ['B7'] }, async () => {
    await call(listAbandonedCarts)
    await call(login, { body: { email: 'a@b.c', password: 'secret' } })
    expect(fetchMock.mock.calls.map(([address]) => address)).toEqual([
      '/api/carts/abandoned?platform=woocommerce',
      '/api/auth/login',
    ])
    for (const [, options] of fetchMock.mock.calls) {
      expect(options.credentials).toBe('include')
      expect(options.headers).toMatchObject({
        'Content-Type': 'application/json',
        'X-Requested-With': 'XMLHttpRequest',
      })
    }
  })
})
