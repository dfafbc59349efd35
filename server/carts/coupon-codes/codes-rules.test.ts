import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSecrets } from '../../core/common/secrets.ts'
import { deriveCode } from './codes-rules.ts'

const secrets = createSecrets('a secret of the tests, thirty-two bytes long')
const key = { storeId: 'store', messageId: 'message', couponId: 'coupon', prefix: 'CART' }

test('a code is the coupon’s prefix and eight unambiguous characters (decision 34)', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.nat(3), (messageId, prefix, derivation) => {
      const code = deriveCode(secrets, { ...key, messageId, prefix }, derivation)
      expect(code).toMatch(/^[A-Z0-9](?:[A-Z0-9-]*[A-Z0-9])?-[BCDFGHJKMNPQRSTVWXYZ34679]{8}$/)
      expect(code.length).toBeLessThanOrEqual(49)
    }),
  )
  expect(deriveCode(secrets, key)).toMatch(/^CART-/)
  expect(deriveCode(secrets, { ...key, prefix: 'vip-' })).toMatch(/^VIP-/)
  expect(deriveCode(secrets, { ...key, prefix: '' })).toMatch(/^CART-/)
})

test('a message always has the same code, and another message, store, coupon or secret gives another', () => {
  const code = deriveCode(secrets, key)
  expect(deriveCode(secrets, { ...key })).toBe(code)
  const others = [
    deriveCode(secrets, { ...key, messageId: 'other' }),
    deriveCode(secrets, { ...key, storeId: 'other' }),
    deriveCode(secrets, { ...key, couponId: 'other' }),
    deriveCode(createSecrets('another secret of the tests, as long as it'), key),
    deriveCode(secrets, key, 1),
    deriveCode(secrets, key, 2),
  ]
  expect(new Set([code, ...others]).size).toBe(7)
})

test('all letters are equally likely', () => {
  const counts = new Map<string, number>()
  for (let n = 0; n < 5_000; n += 1) {
    for (const letter of deriveCode(secrets, { ...key, messageId: String(n) }).slice(5)) {
      counts.set(letter, (counts.get(letter) ?? 0) + 1)
    }
  }
  expect(counts.size).toBe(25)
  for (const count of counts.values()) expect(Math.abs(count - 1_600)).toBeLessThan(240)
})
