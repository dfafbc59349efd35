import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type FlowCondition, FlowConditions, MAX_CONDITIONS } from '../../../shared/carts/flow-conditions.ts'
import { type ConditionValues, evaluateConditions, matchesCondition } from './conditions.ts'

// Evaluation of conditions (decision 52).

const facts: ConditionValues = {
  valueMinor: 10_000,
  currency: 'USD',
  storeCurrency: 'USD',
  items: 3,
  productIds: ['7', '9'],
  categoryIds: ['15'],
  country: 'US',
  orders: 2,
  hasBoughtBefore: true,
  hasCoupon: false,
  hasPhone: true,
  consents: ['sms'],
  language: 'de',
  timeZone: 'Europe/Berlin',
  day: 5,
  hour: 9,
}
const without = (more: Partial<ConditionValues>): ConditionValues => ({ ...facts, ...more })

const cases: [FlowCondition, boolean, Partial<ConditionValues>][] = [
  [{ fact: 'value', is: 'above', amount: 99.99 }, true, { valueMinor: 9_999 }],
  [{ fact: 'value', is: 'below', amount: 100.01 }, true, { valueMinor: 10_001 }],
  [{ fact: 'value', is: 'above', amount: 100 }, false, { valueMinor: 10_001 }],
  [{ fact: 'value', is: 'at_least', amount: 100 }, true, { valueMinor: 9_999 }],
  [{ fact: 'value', is: 'at_most', amount: 100 }, true, { valueMinor: 10_001 }],
  [{ fact: 'items', is: 'at_least', count: 3 }, true, { items: 2 }],
  [{ fact: 'items', is: 'at_most', count: 3 }, true, { items: 4 }],
  [{ fact: 'product', is: 'contains', productIds: ['1', '9'] }, true, { productIds: ['2'] }],
  [{ fact: 'product', is: 'lacks', productIds: ['1'] }, true, { productIds: ['1'] }],
  [{ fact: 'category', is: 'contains', categoryIds: ['15'] }, true, { categoryIds: [] }],
  [{ fact: 'category', is: 'lacks', categoryIds: ['16'] }, true, { categoryIds: ['16'] }],
  [{ fact: 'country', is: 'one_of', countries: ['CA', 'US'] }, true, { country: null }],
  [{ fact: 'country', is: 'not_one_of', countries: ['CA'] }, true, { country: 'CA' }],
  [{ fact: 'buyer', is: 'returning' }, true, { hasBoughtBefore: false }],
  [{ fact: 'buyer', is: 'first_time' }, false, { hasBoughtBefore: false }],
  [{ fact: 'orders', is: 'at_least', count: 2 }, true, { orders: 1 }],
  [{ fact: 'coupon', is: 'absent' }, true, { hasCoupon: true }],
  [{ fact: 'phone', is: 'present' }, true, { hasPhone: false }],
  [{ fact: 'consent', is: 'given', channel: 'sms' }, true, { consents: ['email'] }],
  [{ fact: 'consent', is: 'missing', channel: 'email' }, true, { consents: ['email'] }],
  [{ fact: 'language', is: 'one_of', languages: ['de'] }, true, { language: null }],
  [{ fact: 'language', is: 'not_one_of', languages: ['en'] }, true, { language: 'en' }],
  [{ fact: 'day', is: 'one_of', days: [1, 5] }, true, { day: 6 }],
  [{ fact: 'hour', is: 'between', from: 9, until: 17 }, true, { hour: 17 }],
  [{ fact: 'hour', is: 'between', from: 22, until: 6 }, false, { hour: 5 }],
]

test.each(cases)('%j', (condition, holds, more) => {
  expect(matchesCondition(condition, facts)).toBe(holds)
  expect(matchesCondition(condition, without(more))).toBe(!holds)
})

test('an amount in a condition never matches a cart in another currency', () => {
  const euros = without({ currency: 'EUR' })
  expect(matchesCondition({ fact: 'value', is: 'above', amount: 1 }, euros)).toBe(false)
  expect(matchesCondition({ fact: 'value', is: 'below', amount: 1_000 }, euros)).toBe(false)
  expect(matchesCondition({ fact: 'value', is: 'at_least', amount: 1 }, euros)).toBe(false)
  expect(matchesCondition({ fact: 'value', is: 'at_most', amount: 1_000 }, euros)).toBe(false)
})

describe('groups', () => {
  const [yes, no] = [
    { fact: 'items', is: 'at_least', count: 1 },
    { fact: 'items', is: 'at_least', count: 9 },
  ] as const satisfies FlowCondition[]
  const getOne = (holds: boolean): FlowCondition => (holds ? yes : no)

  test('combine by all and any, at both levels', () => {
    const group = fc.record({
      match: fc.constantFrom('all' as const, 'any' as const),
      conditions: fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
    })
    const both = fc.record({
      match: fc.constantFrom('all' as const, 'any' as const),
      groups: fc.array(group, { minLength: 1, maxLength: 4 }),
    })
    fc.assert(
      fc.property(both, ({ match, groups }) => {
        const of = (kind: 'all' | 'any', parts: boolean[]) =>
          kind === 'all' ? !parts.includes(false) : parts.includes(true)
        const conditions = {
          match,
          groups: groups.map((each) => ({ ...each, conditions: each.conditions.map(getOne) })),
        }
        const expected = of(
          match,
          groups.map((each) => of(each.match, each.conditions)),
        )
        expect(evaluateConditions(FlowConditions.parse(conditions), facts).holds).toBe(expected)
      }),
    )
  })

  test('record every value that was read, even after the deciding one', () => {
    const conditions: FlowConditions = {
      match: 'all',
      groups: [
        { match: 'all', conditions: [no] },
        { match: 'any', conditions: [{ fact: 'buyer', is: 'returning' }] },
      ],
    }
    expect(evaluateConditions(conditions, facts)).toEqual({
      holds: false,
      unmet: [no],
      values: { items: 3, buyer: 'returning' },
    })
    // A group that matches by another condition is no reason.
    const other = { match: 'any' as const, conditions: [no, { fact: 'buyer' as const, is: 'returning' as const }] }
    expect(evaluateConditions({ match: 'all', groups: [other, conditions.groups[0]!] }, facts).unmet).toEqual([no])
    expect(evaluateConditions({ match: 'any', groups: [other, conditions.groups[0]!] }, facts).unmet).toEqual([])
    expect(evaluateConditions(null, facts)).toEqual({ holds: true, unmet: [], values: {} })
  })

  test('have at most twenty conditions in total', () => {
    const conditions = Array.from({ length: MAX_CONDITIONS }, () => yes)
    const of = (...groups: FlowCondition[][]) =>
      FlowConditions.safeParse({ match: 'all', groups: groups.map((each) => ({ match: 'any', conditions: each })) })
        .success
    expect(of(conditions)).toBe(true)
    expect(of(conditions, [yes])).toBe(false)
    expect(of([])).toBe(false)
    expect(of()).toBe(false)
  })
})

test.each([
  { fact: 'value', is: 'above', amount: -1 },
  { fact: 'country', is: 'one_of', countries: ['us'] },
  { fact: 'product', is: 'contains', productIds: [] },
  { fact: 'product', is: 'contains', productIds: ['1', '1'] },
  { fact: 'hour', is: 'between', from: 24, until: 3 },
  { fact: 'weather', is: 'sunny' },
])('refuses %j', (condition) => {
  const groups = [{ match: 'all', conditions: [condition] }]
  expect(FlowConditions.safeParse({ match: 'all', groups }).success).toBe(false)
})
