import { expect, test } from 'vitest'
import { buildContactKeys, groupKeys, isMergingKey, isSharedAddress, type ShopperKey, sortKeys } from './rules.ts'

test('the store’s own and placeholder addresses identify no shopper (Identity)', () => {
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

test('real addresses are not treated as placeholders (Identity)', () => {
  const people = [
    'guestavo@mail.example.org',
    'possum@mail.example.org',
    'nathan@mail.example.org',
    'ada@tea.example.org',
  ]
  for (const address of people) expect(isSharedAddress(address, 'tea.example.com'), address).toBe(false)
})

test('contacts become keys, except shared addresses', () => {
  const contact = { email: 'ada@mail.example.org', phone: '+15550123', customerId: '7' }
  expect(buildContactKeys(contact, 'tea.example.com')).toEqual([
    { kind: 'email', value: 'ada@mail.example.org' },
    { kind: 'phone', value: '+15550123' },
    { kind: 'customer', value: '7' },
  ])
  expect(buildContactKeys({ email: 'info@tea.example.com' }, 'tea.example.com')).toEqual([])
})

test('all keys except the device’s merge (S6)', () => {
  const kinds = ['email', 'phone', 'customer', 'cart', 'order', 'device'] as const
  expect(kinds.filter((kind) => !isMergingKey({ kind, value: 'x' }))).toEqual(['device'])
})

test('keys are sorted and unique', () => {
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

test('lists of keys belong to one shopper through any chain of keys and owners, and the earliest shopper stays (S6)', () => {
  const [old, young, other] = [3, 7, 1].map((day, n) => ({ id: `shopper${n}`, created_at: new Date(2027, 0, day) }))
  const key = (value: string): ShopperKey => ({ kind: 'email', value })
  const lists = [[key('a'), key('b')], [key('c')], [key('b'), key('d')], [key('e')], [], [key('f')], [key('f')]]
  const owned = [
    { ...key('a'), shopper: young! },
    { ...key('d'), shopper: old! },
    { ...key('c'), shopper: other! },
  ]
  const groups = groupKeys(lists, owned).map((group) => [group.lists, group.shoppers.map((shopper) => shopper.id)])
  expect(groups).toEqual([
    [
      [0, 2],
      ['shopper0', 'shopper1'],
    ],
    [[1], ['shopper2']],
    [[3], []],
    [[4], []],
    [[5, 6], []],
  ])
})
