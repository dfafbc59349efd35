import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findFirstEmail, normalizeEmail, normalizePhone } from './contact.ts'

test.each([
  [' Ava.Thompson@Example.COM ', 'ava.thompson@example.com'],
  ['a+tag@sub.example.co.uk', 'a+tag@sub.example.co.uk'],
  ['ben@bücher.example', 'ben@xn--bcher-kva.example'],
  ['ben@xn--bcher-kva.example', 'ben@xn--bcher-kva.example'],
  ['john@example.com.', 'john@example.com'],
  ['mary@example.com,', 'mary@example.com'],
  ['mary@example.com;', 'mary@example.com'],
  ['<kate@example.com>', 'kate@example.com'],
  ['Kate Doe <kate@example.com>', 'kate@example.com'],
  ['"kate@example.com"', 'kate@example.com'],
  ['(kate@example.com)', 'kate@example.com'],
  ['mailto:kate@example.com', 'kate@example.com'],
  ['\u200bkate@example.com', 'kate@example.com'],
  ['kate@example.com\ufeff', 'kate@example.com'],
  ['\u00a0kate@example.com\u00a0', 'kate@example.com'],
  ['a..b@docomo.ne.jp', 'a..b@docomo.ne.jp'],
  ['a.@docomo.ne.jp', 'a.@docomo.ne.jp'],
  ['a.@ezweb.ne.jp', 'a.@ezweb.ne.jp'],
])('normalizes %j to the address %j', (input, email) => {
  expect(normalizeEmail(input)).toBe(email)
})

test.each([
  'nope',
  'nope@',
  '@example.com',
  'a@b',
  'a b@example.com',
  'a@exa mple.com',
  'a..b@example.com',
  '.a@example.com',
  'a@127.0.0.1',
  'a@[127.0.0.1]',
  'a@example.com:25',
  'a@example.com/x',
  'a@-example.com',
  'a@example..com',
  'a@b@',
  'a@example.com\r\nBcc: b@example.com',
  `${'a'.repeat(65)}@example.com`,
  `a@${'b'.repeat(250)}.com`,
  '',
  null,
  undefined,
  7,
  {},
])('rejects %j as an address', (input) => {
  expect(normalizeEmail(input)).toBeNull()
})

test.each([
  ['+1 (415) 555-2671', null, '+14155552671'],
  ['415 555 2671', 'US', '+14155552671'],
  ['0151 23456789', 'DE', '+4915123456789'],
  ['0049 151 23456789', 'de', '+4915123456789'],
  ['415 555 2671', null, null],
  ['+52 1 55 1234 5671', null, '+525512345671'],
  ['1 55 1234 5671', 'MX', '+525512345671'],
  ['+52 1 11 1111 1111', null, null],
  ['12', 'US', null],
  ['call me', 'US', null],
  ['415 555 2671', 'XX', null],
  ['+1 415 555 2671 or ask for Ben in the shop next door', 'US', null],
  [null, 'US', null],
  [4155552671, 'US', null],
])('normalizes %j in %j to %j', (input, country, phone) => {
  expect(normalizePhone(input, country)).toBe(phone)
})

test('normalization is idempotent, and never throws for invalid input', () => {
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.emailAddress(), fc.string({ unit: 'binary' })), (input) => {
      const email = normalizeEmail(input)
      expect(email === null || normalizeEmail(email) === email).toBe(true)
      const phone = normalizePhone(input, 'US')
      expect(phone === null || normalizePhone(phone, null) === phone).toBe(true)
    }),
  )
})

test.each([
  ['ann@example.com, bob@example.com', 'ann@example.com'],
  ['ann@example.com / bob@example.com', 'ann@example.com'],
  ['ann@example.com bob@example.com', 'ann@example.com'],
  ['Ann <ann@example.com>; Bob <bob@example.com>', 'ann@example.com'],
  ['none; bob@example.com', 'bob@example.com'],
  ['a@example.com\r\nBcc: b@example.com', 'a@example.com'],
  ['n/a', null],
  ['', null],
  [`${'x'.repeat(5_000)}@example.com`, null],
])('uses the first of several addresses in a field: %j', (input, email) => {
  expect(findFirstEmail(input)).toBe(email)
  if (email === null) expect(normalizeEmail(input)).toBe(null)
})
