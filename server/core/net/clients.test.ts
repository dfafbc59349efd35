import { expect, test } from 'vitest'
import { clientKey, compileRanges, hasOneHost, isAddressOrRange } from './clients.ts'

test('an address matches only ranges of its own family, in any spelling', () => {
  const isTrusted = compileRanges(['10.1.0.0/16', '192.0.2.7', '2001:db8::/32', '::1'])
  const inside = ['10.1.255.255', '::ffff:10.1.0.1', '192.0.2.7', '2001:db8:1::1', '0:0:0:0:0:0:0:1']
  const outside = ['10.2.0.1', '192.0.2.8', '2001:db9::1', '127.0.0.1', '', 'localhost', 'unknown']
  expect(inside.filter((each) => !isTrusted(each))).toEqual([])
  expect(outside.filter(isTrusted)).toEqual([])
  expect(compileRanges([])('127.0.0.1')).toBe(false)
})

test('a setting may name an address or a range', () => {
  expect(['10.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8'].filter((each) => !isAddressOrRange(each))).toEqual([])
  expect(['localhost', '10.0.0.0/33', '10.0.0', 'all', '/8', ''].filter(isAddressOrRange)).toEqual([])
})

test('an IPv6 client is identified by its network', () => {
  expect(clientKey('2001:db8:1:2::1')).toBe(clientKey('2001:db8:1:2:ffff::9'))
  expect(clientKey('2001:db8:1:2::1')).not.toBe(clientKey('2001:db8:1:3::1'))
  expect(clientKey('::ffff:192.0.2.1')).toBe(clientKey('192.0.2.1'))
})

test('finds a second Host header in any spelling, and ignores values', () => {
  expect(hasOneHost(['Host', 'a', 'Accept', 'host'])).toBe(true)
  expect(hasOneHost(['Host', 'a', 'HOST', 'a'])).toBe(false)
})
