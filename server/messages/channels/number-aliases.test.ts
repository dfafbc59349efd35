import { expect, test } from 'vitest'
import { listNumberAliases } from './number-aliases.ts'

test.each([
  ['+5215512345678', '+525512345678'],
  ['+5491123456789', '+541123456789'],
  ['+5511987654321', '+551187654321'],
])('%s and %s are one phone, in either direction', (one, other) => {
  expect(listNumberAliases(one)).toEqual([one, other])
  expect(listNumberAliases(other)).toEqual([other, one])
})

test('other countries’ numbers have no alias', () => {
  for (const phone of ['+4915123456789', '+12025550100', '+551133334444', '+528'])
    expect(listNumberAliases(phone)).toEqual([phone])
})
