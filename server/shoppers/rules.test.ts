import { expect, test } from 'vitest'
import { contactKeys, isMerging, isSharedAddress, type ShopperKey, sortKeys } from './rules.ts'

test('the store’s own addresses and placeholders stand for nobody (Identity)', () => {
  const shared = [
    'ada@tea.example.com',
    'noreply@mail.example.org',
    'no-reply@mail.example.org',
    'guest@mail.example.org',
    'walk-in@mail.example.org',
    'pos2@mail.example.org',
    'x@example.invalid',
    'x@localhost',
    'x@till.local',
    'x@noemail.com',
  ]
  for (const address of shared) expect(isSharedAddress(address, 'www.tea.example.com'), address).toBe(true)
})

test('people are not taken for placeholders (Identity)', () => {
  const people = [
    'guestavo@mail.example.org',
    'possum@mail.example.org',
    'nathan@mail.example.org',
    'ada@tea.example.org',
  ]
  for (const address of people) expect(isSharedAddress(address, 'tea.example.com'), address).toBe(false)
})

test('what somebody said of themselves becomes keys; a shared address becomes none', () => {
  const contact = { email: 'ada@mail.example.org', phone: '+15550123', customerId: '7' }
  expect(contactKeys(contact, 'tea.example.com')).toEqual([
    { kind: 'email', value: 'ada@mail.example.org' },
    { kind: 'phone', value: '+15550123' },
    { kind: 'customer', value: '7' },
  ])
  expect(contactKeys({ email: 'info@tea.example.com' }, 'tea.example.com')).toEqual([])
})

test('all keys but the device’s merge (S6)', () => {
  const kinds = ['email', 'phone', 'customer', 'cart', 'order', 'device'] as const
  expect(kinds.filter((kind) => !isMerging({ kind, value: 'x' }))).toEqual(['device'])
})

test('keys have one order and come once, whoever names them', () => {
  const keys: ShopperKey[] = [
    { kind: 'phone', value: '1' },
    { kind: 'email', value: 'b' },
    { kind: 'email', value: 'a' },
    { kind: 'email', value: 'b' },
  ]
  const sorted = sortKeys(keys)
  expect(sorted.map((key) => `${key.kind}:${key.value}`)).toEqual(['email:a', 'email:b', 'phone:1'])
  expect(sortKeys([...keys].reverse())).toEqual(sorted)
})
