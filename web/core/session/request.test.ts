import { afterEach, expect, test, vi } from 'vitest'
import { stubPage } from '../../../test/browser-globals.ts'
import { ANOTHER_STORE, dropRequest, isConnectRequest, isForAnother, loadRequest, storeRequest } from './request.ts'
import { endSession, session, startSession } from './session.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

test('recognizes a connect request by its path and query, and ignores other parameters', () => {
  const cases: [string, boolean][] = [
    ['/store-setup?connect=abc', true],
    ['/store-setup/?platform=shopify&connect=abc', true],
    ['/store-setup', false],
    ['/store-setup?connect=', false],
    ['/store-setup?reconnect=abc', false],
    ['/dashboard?connect=abc', false],
  ]
  for (const [address, isRequest] of cases) expect([address, isConnectRequest(address)]).toEqual([address, isRequest])
})

test('accepts connecting another store on the set-up screen only, and not as a plugin request', () => {
  const cases: [string, boolean][] = [
    [ANOTHER_STORE, true],
    ['/store-setup/?another=', true],
    ['/store-setup', false],
    ['/store-setup?others=store', false],
    ['/pricing?another=store', false],
    ['//evil.example/store-setup?another=store', false],
  ]
  for (const [address, isAnother] of cases) expect([address, isForAnother(address)]).toEqual([address, isAnother])
  expect(isConnectRequest(ANOTHER_STORE)).toBe(false)
})

test('keeps a request for the fifteen minutes that WordPress waits, and then drops it', () => {
  stubPage()
  vi.useFakeTimers({ now: new Date('2026-03-01T12:00:00Z') })
  expect(loadRequest()).toBeNull()
  storeRequest('/store-setup?connect=abc')
  vi.setSystemTime(new Date('2026-03-01T12:14:59Z'))
  expect(loadRequest()).toBe('/store-setup?connect=abc')
  vi.setSystemTime(new Date('2026-03-01T12:15:00Z'))
  expect(loadRequest()).toBeNull()
})

test('ignores stored values with another path', () => {
  const { tab } = stubPage()
  for (const stored of [
    '',
    'x',
    `${Date.now() + 9_000} /carts`,
    `${Date.now() + 9_000} https://evil.example/?connect=a`,
  ]) {
    tab.setItem('connect-request', stored)
    expect([stored, loadRequest()]).toEqual([stored, null])
  }
})

test('forgets the request after it was shown and after logout', () => {
  stubPage()
  storeRequest('/store-setup?connect=abc')
  dropRequest()
  expect(loadRequest()).toBeNull()
  session()
  startSession('t', true)
  storeRequest('/store-setup?connect=abc')
  endSession('expired')
  expect(loadRequest()).toBe('/store-setup?connect=abc')
  startSession('t', true)
  endSession('left')
  expect(loadRequest()).toBeNull()
})
