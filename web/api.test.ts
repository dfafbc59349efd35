import { describe, expect, it } from 'vitest'
import { addressOf, BROKEN, errorOf, isSessionOver } from './api.ts'

describe('the address of a call', () => {
  it('fills in parameters and leaves out what is not given', () => {
    expect(
      addressOf('/api/flows/:flowId/upcoming', { flowId: 'a/b' }, { minutes: 60, storeId: undefined }, 'shopify'),
    ).toBe('/api/flows/a%2Fb/upcoming?minutes=60')
  })

  it('names the platform for stores and carts only, and never over a given one', () => {
    expect(addressOf('/api/carts/abandoned', {}, { page: 2, search: '' }, 'woocommerce')).toBe(
      '/api/carts/abandoned?page=2&platform=woocommerce',
    )
    expect(addressOf('/api/stores/sync', {}, { platform: 'shopify' }, 'woocommerce')).toBe(
      '/api/stores/sync?platform=shopify',
    )
    expect(addressOf('/api/auth/me', {}, {}, 'woocommerce')).toBe('/api/auth/me')
  })
})

describe('a failed answer', () => {
  it('carries the server’s words, code, fields and waiting time', () => {
    const error = errorOf(429, {
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
    expect(errorOf(429, null, '12').retryAfterS).toBe(12)
  })

  it('is an outage when our server broke, not when the store did', () => {
    expect(errorOf(500, null).isOutage).toBe(true)
    expect(errorOf(502, '<html>').message).toBe(BROKEN)
    expect(errorOf(504, { error: { message: 'upstream' } }).message).toBe(BROKEN)
    expect(errorOf(200, null).isOutage).toBe(true)
    expect(errorOf(503, { error: 'Store down', code: 'store_unreachable' }).isOutage).toBe(false)
    expect(errorOf(404, { error: 'No', code: 'not_found' }).isOutage).toBe(false)
  })

  it('ends the session only for a session’s 401', () => {
    expect(isSessionOver(errorOf(401, { error: '', code: 'session' }))).toBe(true)
    expect(isSessionOver(errorOf(401, { error: '', code: 'unauthenticated' }))).toBe(true)
    expect(isSessionOver(errorOf(401, { error: '', code: 'store_credentials' }))).toBe(false)
  })
})
