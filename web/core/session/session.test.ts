import { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { z } from 'zod'

import { login, me } from '../../../shared/access/auth.ts'
import type { subscriptionStatus } from '../../../shared/billing/billing.ts'
import { type MemoryStorage, stubPage } from '../../../test/browser-globals.ts'
import { connectionQuery, subscriptionQuery } from '../access/queries.ts'
import { call } from '../api/api.ts'
import {
  buildStoreFields,
  endSession,
  endView,
  findPlatform,
  forgetConnection,
  onSessionChange,
  rememberConnection,
  rememberUser,
  removeToken,
  session,
  startSession,
  startView,
} from './session.ts'

// What the browser stores (A 3), and when it forgets it (A 4.1, 4.2, 8 with decision 2).

let local: MemoryStorage
let tab: MemoryStorage
let reload: () => void
let assign: (path: string) => void

beforeEach(() => {
  ;({ local, tab, reload, assign } = stubPage({ pathname: '/carts', search: '?page=2' }))
})

afterEach(() => {
  forgetConnection()
  vi.unstubAllGlobals()
})

const overdue: z.infer<typeof subscriptionStatus.reply> = {
  plan: 'starter',
  planInForce: 'starter',
  status: 'past_due',
  hasActiveSubscription: false,
  nextBillingDate: null,
  graceUntil: '2026-03-01T00:00:00.000Z',
  isTestMode: false,
  sells: 'stripe',
  source: 'stripe',
  isUnlimited: false,
  cancelAtPeriodEnd: false,
  trialEndsAt: null,
  currentPeriodEnd: null,
  hasCard: true,
  hasUsedTrial: true,
  change: null,
  suspension: null,
}
const ada = { id: '1', name: 'Ada', email: 'a@b.c', subscriptionStatus: 'active', hasActiveSubscription: true }
const connected = {
  isConnected: 'true',
  platform: 'woocommerce',
  storeUrl: 'https://shop.example',
  store_connection: '{"platform":"woocommerce","store_url":"https://shop.example"}',
  woocommerce_connection: '{"platform":"woocommerce","store_url":"https://shop.example"}',
}
const remember = () => rememberConnection({ platform: 'woocommerce', store_url: 'https://shop.example' })
const answers = (status: number, body: object) =>
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify(body), { status }))
const ask = ({ queryFn }: { queryFn?: unknown }, client = new QueryClient()) =>
  (queryFn as (context: object) => Promise<unknown>)({ signal: new AbortController().signal, client })
const storageKeys = () => Object.keys(local.all())

describe('an operator’s view of an account', () => {
  it('stays in this tab and returns to the operator’s own session when it ends or expires', () => {
    startSession('own', true)
    rememberUser(ada)
    remember()
    startView('look')
    expect([local.all(), tab.getItem('token')]).toEqual([{ token: 'own' }, 'look'])
    expect(assign).toHaveBeenLastCalledWith('/')
    endSession('expired')
    expect([local.all(), tab.all()]).toEqual([{ token: 'own' }, {}])
    expect(assign).toHaveBeenLastCalledWith('/operator')
  })

  it('keeps a session-storage session in memory, and removes only its own token on leaving', () => {
    startSession('own', false)
    startView('look')
    removeToken()
    expect(tab.getItem('token')).toBeNull()
    expect(endView()).toBe(true)
    expect(tab.all()).toEqual({ token: 'own' })
    expect(endView()).toBe(false)
    startSession('own', true)
    startView('look')
    removeToken()
    expect(local.all()).toEqual({ token: 'own' })
  })
})

describe('the token', () => {
  it('is in session storage, or in local storage if remembered, and never in both', {
    tags: ['A3', 'A4.2'],
  }, () => {
    startSession('t1', false)
    expect([local.all(), tab.all()]).toEqual([{}, { token: 't1' }])
    startSession('t2', true)
    expect([local.all(), tab.all()]).toEqual([{ token: 't2' }, {}])
  })

  it('is removed from both with user and connection when the session ends; the theme stays', { tags: ['A4.2'] }, () => {
    startSession('t', true)
    tab.setItem('token', 't')
    local.setItem('theme', 'blue')
    rememberUser(ada)
    remember()
    endSession('expired')
    expect([local.all(), tab.all()]).toEqual([{ theme: 'blue' }, {}])
    expect(session()).toEqual({ token: null, farewell: 'expired', returnTo: '/carts?page=2' })
  })
})

describe('an API call', () => {
  it('ends the session on a session’s 401 and on nothing else (decision 2)', { tags: ['A4.2'] }, async () => {
    const refuseWith = async (code: string) => {
      startSession('t', true)
      rememberUser(ada)
      remember()
      answers(401, { error: 'x', code })
      await expect(call(me)).rejects.toThrow('x')
      return [session().token, session().farewell, storageKeys()]
    }
    for (const code of ['session', 'unauthenticated']) {
      expect(await refuseWith(code)).toEqual([null, 'expired', []])
    }
    const keys = [...Object.keys(connected), 'token', 'user'].sort()
    expect(await refuseWith('store_credentials')).toEqual(['t', null, keys])
  })

  const readSentHeaders = async (isAnonymous: boolean) => {
    const fetchMock = vi.fn(async (_address: string, _options: RequestInit) => new Response('{}'))
    vi.stubGlobal('fetch', fetchMock)
    await call(login, { body: { email: 'a@b.c', password: 'secret' }, isAnonymous })
    return (fetchMock.mock.calls[0]![1].headers as Record<string, string>).Authorization
  }

  it('sends the token from either storage, and none when signing in', {
    tags: ['A7', 'B7'],
  }, async () => {
    for (const isRemembered of [true, false]) {
      startSession('t1', isRemembered)
      expect(await readSentHeaders(false)).toBe('Bearer t1')
    }
    expect(await readSentHeaders(true)).toBeUndefined()
  })
})

describe('several tabs', () => {
  let listeners: Record<string, (event: object) => void>
  let stop: () => void

  beforeEach(() => {
    listeners = {}
    vi.stubGlobal('addEventListener', (name: string, listener: () => void) => {
      listeners[name] = listener
    })
    vi.stubGlobal('removeEventListener', (name: string) => delete listeners[name])
    startSession('t', true)
  })

  afterEach(() => stop?.())

  const watch = () => {
    const listener = vi.fn()
    stop = onSessionChange(listener)
    return listener
  }

  it('sign out after a logout in another tab', { tags: ['A4.2'] }, () => {
    const listener = watch()
    local.removeItem('token')
    listeners.storage!({ key: 'token' })
    expect(session()).toEqual({ token: null, farewell: 'left', returnTo: null })
    expect(listener).toHaveBeenCalledTimes(1)
  })

  it('notice a logout that happened while loading or in the back/forward cache', () => {
    local.removeItem('token')
    const listener = watch()
    expect(session().farewell).toBe('left')
    expect(listener).toHaveBeenCalledTimes(1)
    startSession('t2', true)
    local.removeItem('token')
    listeners.pageshow!({})
    expect(session().token).toBeNull()
  })

  it('report a deleted account, even if a refused call had ended the session before', () => {
    watch()
    endSession('expired')
    endSession('deleted')
    expect(session()).toEqual({ token: null, farewell: 'deleted', returnTo: null })
  })

  it('do not report an expiry for a token that another tab is revoking', () => {
    watch()
    removeToken()
    expect([local.all(), tab.all()]).toEqual([{}, {}])
    expect(session().token).toBe('t')
    endSession('expired')
    expect(session()).toEqual({ token: null, farewell: 'left', returnTo: null })
  })

  it('keep a new session when an older token ends', () => {
    watch()
    local.setItem('token', 'theirs')
    endSession('expired')
    expect(local.all()).toEqual({ token: 'theirs' })
    expect(reload).toHaveBeenCalled()
  })
})

describe('the connection', () => {
  it('is stored under the specified keys, one platform at a time', { tags: ['A1', 'A3'] }, () => {
    remember()
    expect(local.all()).toEqual(connected)
    rememberConnection({ platform: 'shopify', store_url: 'https://x.myshopify.com' })
    expect(Object.keys(local.all())).toEqual([
      'isConnected',
      'platform',
      'shopify_connection',
      'storeUrl',
      'store_connection',
    ])
    expect(findPlatform()).toBe('shopify')
  })

  it('is stored by a check that finds one and removed by a check that finds none', { tags: ['A4.1'] }, async () => {
    answers(200, { hasConnection: true, platform: 'woocommerce', store_url: 'https://shop.example', store: null })
    await ask(connectionQuery)
    expect(local.all()).toEqual(connected)
    answers(200, { hasConnection: false, platform: null, store_url: null, store: null })
    await ask(connectionQuery)
    expect(local.all()).toEqual({})
  })

  it('is checked for this tab’s store; another store replaces it only when it is disconnected', async () => {
    remember()
    const requests: string[] = []
    const other = { hasConnection: true, platform: 'shopify', store_url: 'https://x.myshopify.com', store: null }
    const chooseAnswer = (address: string): [object, number] =>
      address.includes('storeId=') ? [{ error: 'Store not found', code: 'not_found' }, 404] : [other, 200]
    vi.stubGlobal('fetch', async (address: string) => {
      requests.push(address)
      const [body, status] = chooseAnswer(address)
      return new Response(JSON.stringify(body), { status })
    })
    await ask(connectionQuery)
    expect(requests).toEqual([
      '/api/stores/check-connection?storeId=https%3A%2F%2Fshop.example&platform=woocommerce',
      '/api/stores/check-connection?platform=woocommerce',
    ])
    expect(buildStoreFields()).toEqual({ platform: 'shopify', storeId: 'https://x.myshopify.com' })
  })

  it('is removed when the subscription is invalid', { tags: ['A4.1'] }, async () => {
    remember()
    rememberUser(ada)
    answers(200, overdue)
    await ask(subscriptionQuery)
    expect(Object.keys(local.all())).toEqual(['user'])
    expect(local.all().user).toContain('"hasActiveSubscription":false')
  })

  it('is not restored by a check in flight when the subscription was denied', {
    tags: ['A4.1'],
  }, async () => {
    const client = new QueryClient()
    client.setQueryData(subscriptionQuery.queryKey, overdue)
    answers(200, { hasConnection: true, platform: 'woocommerce', store_url: 'https://shop.example', store: null })
    await ask(connectionQuery, client)
    expect(local.all()).toEqual({})
    client.setQueryData(subscriptionQuery.queryKey, (old) => old && { ...old, hasActiveSubscription: true })
    await ask(connectionQuery, client)
    expect(local.all()).toEqual(connected)
  })

  it('survives server failures: only an answer changes it (decision 2)', { tags: ['A4.1', 'A4.2'] }, async () => {
    remember()
    answers(500, { error: 'x', code: 'internal' })
    await expect(ask(connectionQuery)).rejects.toThrow()
    await expect(ask(subscriptionQuery)).rejects.toThrow()
    expect(local.all()).toEqual(connected)
  })
})

describe('the platform of a call (B 1)', () => {
  it('comes from the address, else the stored platform, else the stored connection, else WooCommerce', {
    tags: ['B1'],
  }, () => {
    expect(findPlatform()).toBe('woocommerce')
    local.setItem('store_connection', '{"platform":"connection’s","store_url":"x"}')
    expect(findPlatform()).toBe('connection’s')
    local.setItem('platform', 'stored')
    expect(findPlatform()).toBe('stored')
    location.search = '?platform=shopify&page=2'
    expect(findPlatform()).toBe('shopify')
  })
})
