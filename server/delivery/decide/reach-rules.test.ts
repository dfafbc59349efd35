import { expect, test } from 'vitest'
import { readReachFilter, reasonLabels, writeReachFilter } from '../../../shared/carts/reach.ts'
import { reasonTexts } from '../../../shared/delivery/reasons.ts'
import { countReach, matchesReach, type ReachDecision } from './reach-rules.ts'

const cart = (cartId: string, reason: string | null, more: Partial<ReachDecision> = {}): ReachDecision => ({
  cartId,
  reason,
  country: 'US',
  isRecovered: false,
  ...more,
})

test('a filter is “reachable”, a reason, or a missing consent of one country, and nothing else', () => {
  expect(readReachFilter('reachable')).toEqual({ reason: null, country: null })
  expect(readReachFilter('no_contact')).toEqual({ reason: 'no_contact', country: null })
  expect(readReachFilter('no_consent:DE')).toEqual({ reason: 'no_consent', country: 'DE' })
  for (const text of [
    '',
    'reachable:DE',
    'no_contact:DE',
    'no_consent:',
    'no_consent:de',
    'no_consent:DE:1',
    'toString',
    'ok',
  ]) {
    expect([text, readReachFilter(text)]).toEqual([text, null])
  }
  for (const text of ['reachable', 'purchased', 'consent_pending:AT'])
    expect(writeReachFilter(readReachFilter(text)!)).toBe(text)
})

test('every label belongs to an existing reason', () => {
  expect(Object.keys(reasonLabels).filter((reason) => !reasonTexts[reason])).toEqual([])
})

test('a recovered cart counts neither as reachable nor as unreachable', () => {
  const recovered = cart('a', 'purchased', { isRecovered: true })
  expect(matchesReach(recovered, { reason: 'purchased', country: null })).toBe(false)
  expect(matchesReach(recovered, { reason: null, country: null })).toBe(false)
  expect(countReach([recovered], null)).toEqual({ reachable: 0, reasons: [] })
})

test('adds up the value of the carts of a reason, each currency on its own', () => {
  const evaluated = ['a', 'b', 'c', 'd'].map((id) => cart(id, id === 'd' ? null : 'no_contact'))
  const amounts = new Map([
    ['a', { currency: 'USD', amount: 10.1 }],
    ['b', { currency: 'EUR', amount: 7 }],
    ['c', { currency: 'USD', amount: 20.2 }],
    ['d', { currency: 'USD', amount: 99 }],
  ])
  expect(countReach(evaluated, amounts).reasons.map((reason) => [reason.count, reason.amounts])).toEqual([
    [
      3,
      [
        { currency: 'USD', amount: 30.3 },
        { currency: 'EUR', amount: 7 },
      ],
    ],
  ])
})

test('only missing consents are split by country, and the most frequent reason comes first', () => {
  const evaluated = [
    cart('a', null),
    cart('b', 'no_consent', { country: 'DE' }),
    cart('c', 'no_contact', { country: 'FR' }),
    cart('d', 'no_contact', { country: null }),
    cart('e', 'no_consent', { country: null }),
  ]
  const found = countReach(evaluated, null)
  expect(found.reachable).toBe(1)
  expect(found.reasons.map(({ reason, country, count, cartIds }) => [reason, country, count, cartIds])).toEqual([
    ['no_contact', null, 2, ['c', 'd']],
    ['no_consent', 'DE', 1, ['b']],
    ['no_consent', null, 1, ['e']],
  ])
  expect(countReach(evaluated, new Map()).reasons[0]).not.toHaveProperty('cartIds')
  expect(evaluated.filter((each) => matchesReach(each, { reason: 'no_consent', country: null }))).toHaveLength(2)
  expect(evaluated.filter((each) => matchesReach(each, { reason: 'no_consent', country: 'DE' }))).toHaveLength(1)
})
