import { expect, test } from 'vitest'
import {
  type ConditionNames,
  describeConditions,
  type FlowCondition,
  type FlowConditions,
  isSameConditions,
} from './flow-conditions.ts'

// Conditions as English text, for the editor and the flow list (decision 52).

const names: ConditionNames = {
  money: (amount) => `$${amount}`,
  product: (id) => `product ${id}`,
  category: (id) => `category ${id}`,
  country: (code) => code,
}

const buildSingle = (condition: FlowCondition) =>
  describeConditions({ match: 'all', groups: [{ match: 'all', conditions: [condition] }] }, names)

test.each<[FlowCondition, string]>([
  [{ fact: 'value', is: 'above', amount: 100 }, 'the cart is worth more than $100'],
  [{ fact: 'items', is: 'at_least', count: 1 }, 'the cart has at least 1 item'],
  [
    { fact: 'product', is: 'lacks', productIds: ['1', '2', '3'] },
    'the cart does not contain product 1, product 2 or product 3',
  ],
  [
    { fact: 'category', is: 'contains', categoryIds: ['1', '2'] },
    'the cart contains something from category 1 or category 2',
  ],
  [{ fact: 'country', is: 'not_one_of', countries: ['US'] }, 'the shopper does not live in US'],
  [{ fact: 'buyer', is: 'returning' }, 'the shopper has bought before'],
  [{ fact: 'orders', is: 'at_most', count: 2 }, 'the shopper has placed at most 2 orders before'],
  [{ fact: 'coupon', is: 'absent' }, 'no coupon is in the cart'],
  [{ fact: 'phone', is: 'present' }, 'a phone number is known'],
  [{ fact: 'consent', is: 'missing', channel: 'sms' }, 'the shopper has not consented to SMS'],
  [{ fact: 'language', is: 'one_of', languages: ['de'] }, 'the shopper reads German'],
  [{ fact: 'day', is: 'one_of', days: [6, 7] }, 'it is Saturday or Sunday where the shopper is'],
  [{ fact: 'hour', is: 'between', from: 9, until: 17 }, 'it is between 9:00 AM and 5:00 PM where the shopper is'],
  [{ fact: 'hour', is: 'between', from: 0, until: 12 }, 'it is between 12:00 AM and 12:00 PM where the shopper is'],
  [{ fact: 'hour', is: 'between', from: 21, until: 24 }, 'it is between 9:00 PM and midnight where the shopper is'],
])('%j', (condition, text) => {
  expect(buildSingle(condition)).toBe(text)
})

test('puts several groups in brackets', () => {
  const [phone, coupon] = [
    { fact: 'phone', is: 'present' },
    { fact: 'coupon', is: 'present' },
  ] as const satisfies FlowCondition[]
  const groups = [
    { match: 'any' as const, conditions: [phone, coupon] },
    { match: 'all' as const, conditions: [{ fact: 'buyer' as const, is: 'first_time' as const }] },
  ]
  expect(describeConditions({ match: 'all', groups }, names)).toBe(
    '(a phone number is known or a coupon is in the cart) and the shopper has not bought before',
  )
})

test('compares conditions independently of their order, but not of all or any', () => {
  const rich: FlowCondition = { fact: 'value', is: 'above', amount: 100 }
  const near: FlowCondition = { fact: 'country', is: 'one_of', countries: ['DE', 'AT'] }
  const buildAll = (...conditions: FlowCondition[]): FlowConditions => ({
    match: 'all',
    groups: [{ match: 'all', conditions }],
  })
  const turned: FlowCondition = { countries: ['AT', 'DE'], is: 'one_of', fact: 'country' }
  expect(isSameConditions(buildAll(rich, near), buildAll(turned, rich))).toBe(true)
  expect(isSameConditions(null, null)).toBe(true)
  expect(isSameConditions(buildAll(rich), { match: 'any', groups: [{ match: 'any', conditions: [rich] }] })).toBe(true)
  expect(
    isSameConditions(buildAll(rich, near), { match: 'any', groups: [{ match: 'any', conditions: [rich, near] }] }),
  ).toBe(false)
  expect(isSameConditions(buildAll(rich), buildAll({ ...rich, is: 'at_least' }))).toBe(false)
  expect(isSameConditions(buildAll(rich), null)).toBe(false)
  const apart = {
    match: 'all' as const,
    groups: [rich, near].map((each) => ({ match: 'any' as const, conditions: [each] })),
  }
  expect(isSameConditions(buildAll(rich, near), apart)).toBe(true)
})
