import { expect, test } from 'vitest'
import type { StoreToken } from './access.ts'
import { parseKeys } from './keys.ts'
import { createMemoryTokenCache } from './memory-token-cache.ts'

const buildToken = (accessToken: string): StoreToken => ({
  accessToken,
  scopes: ['read_orders'],
  madeAt: '2026-11-01T00:00:00.000Z',
  expiresAt: '2026-11-02T00:00:00.000Z',
})

test('two concurrent renewals create one token, and both get it', async () => {
  const shelf = createMemoryTokenCache()
  expect(await shelf.read()).toBeNull()
  let count = 0
  const make = async () => buildToken(`token-${++count}`)
  const [one, other] = await Promise.all([shelf.renew(null, make), shelf.renew(null, make)])
  expect([count, one, other]).toEqual([1, buildToken('token-1'), buildToken('token-1')])
  expect(await shelf.renew(one, make)).toEqual(buildToken('token-2'))
  expect(await shelf.renew(one, make)).toEqual(buildToken('token-2'))
  expect(await shelf.read()).toEqual(buildToken('token-2'))
})

test('a failed renewal stores nothing, and the next one tries again', async () => {
  const shelf = createMemoryTokenCache()
  const failing = shelf.renew(null, () => Promise.reject(new Error('no answer')))
  const waiting = shelf.renew(null, async () => buildToken('token-1'))
  await expect(failing).rejects.toThrow('no answer')
  expect(await waiting).toEqual(buildToken('token-1'))
})

test('keys without a kind are WooCommerce’s; keys of an unknown kind are refused', () => {
  const pair = { consumerKey: 'ck', consumerSecret: 'cs' }
  expect(parseKeys(JSON.stringify(pair))).toEqual({ kind: 'woocommerce', ...pair })
  const app = { kind: 'shopify_app', clientId: 'id', clientSecret: 'secret' }
  expect(parseKeys(JSON.stringify(app))).toEqual(app)
  expect(() => parseKeys('{"kind":"other"}')).toThrow()
  expect(() => parseKeys('null')).toThrow()
})
