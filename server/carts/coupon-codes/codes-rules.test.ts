import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSecrets } from '../../core/common/secrets.ts'
import { codeOf } from './codes-rules.ts'

const secrets = createSecrets('a secret of the tests, thirty-two bytes long')
const key = { storeId: 'store', messageId: 'message', couponId: 'coupon', prefix: 'CART' }

test('a code is the coupon’s own beginning and eight characters that nobody takes for others (decision 34)', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.nat(3), (messageId, prefix, derivation) => {
      const code = codeOf(secrets, { ...key, messageId, prefix }, derivation)
      expect(code).toMatch(/^[A-Z0-9](?:[A-Z0-9-]*[A-Z0-9])?-[BCDFGHJKMNPQRSTVWXYZ34679]{8}$/)
      expect(code.length).toBeLessThanOrEqual(49)
    }),
  )
  expect(codeOf(secrets, key)).toMatch(/^CART-/)
  expect(codeOf(secrets, { ...key, prefix: 'vip-' })).toMatch(/^VIP-/)
  expect(codeOf(secrets, { ...key, prefix: '' })).toMatch(/^CART-/)
})

test('the same message has the same code; another message, store, coupon or secret has another one', () => {
  const code = codeOf(secrets, key)
  expect(codeOf(secrets, { ...key })).toBe(code)
  const others = [
    codeOf(secrets, { ...key, messageId: 'other' }),
    codeOf(secrets, { ...key, storeId: 'other' }),
    codeOf(secrets, { ...key, couponId: 'other' }),
    codeOf(createSecrets('another secret of the tests, as long as it'), key),
    codeOf(secrets, key, 1),
    codeOf(secrets, key, 2),
  ]
  expect(new Set([code, ...others]).size).toBe(7)
})

test('every letter is as likely as the others', () => {
  const counts = new Map<string, number>()
  for (let n = 0; n < 5_000; n += 1) {
    for (const letter of codeOf(secrets, { ...key, messageId: String(n) }).slice(5)) {
      counts.set(letter, (counts.get(letter) ?? 0) + 1)
    }
  }
  expect(counts.size).toBe(25)
  for (const count of counts.values()) expect(Math.abs(count - 1_600)).toBeLessThan(240)
})
