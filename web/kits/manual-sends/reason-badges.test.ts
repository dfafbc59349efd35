import { expect, it } from 'vitest'
import type { CartReach, CartReason } from '../../../shared/carts/reach.ts'
import { buildReasonBadges, listReachOptions } from './reason-badges.ts'

const buildReason = (reason: CartReason, count: number, country: string | null = null, cartIds?: string[]) => ({
  reason,
  country,
  explanation: `Words of ${reason}.`,
  count,
  ...(cartIds && { cartIds }),
})

it('labels each cart with why it would get no email, and the country of the rule', () => {
  const reasons = [
    buildReason('no_contact', 1, null, ['a']),
    buildReason('no_consent', 1, 'DE', ['b']),
    buildReason('no_consent', 1, null, ['c']),
  ]
  const badges = buildReasonBadges(reasons)
  expect([...badges].map(([id, { label }]) => [id, label])).toEqual([
    ['a', 'No email'],
    ['b', 'No consent (DE)'],
    ['c', 'No consent'],
  ])
  expect(badges.get('b')?.explanation).toBe('Words of no_consent.')
})

const answer: CartReach = {
  reachable: 1_025,
  reasons: [
    buildReason('no_contact', 7),
    buildReason('no_consent', 4, 'DE'),
    buildReason('no_consent', 2, 'FR'),
    buildReason('no_consent', 1),
    buildReason('frequency_cap', 1),
    buildReason('consent_pending', 1, 'IT'),
  ],
}

it('offers the filters with results, by country and in total, with their counts', () => {
  expect(listReachOptions(answer, '').map(({ value, label }) => [value, label])).toEqual([
    ['', 'Reachable or not'],
    ['reachable', 'Can be reached: 1,025'],
    ['no_contact', 'No email: 7'],
    ['no_consent', 'No consent: 7'],
    ['no_consent:DE', 'No consent (DE): 4'],
    ['no_consent:FR', 'No consent (FR): 2'],
    ['frequency_cap', 'Limit reached: 1'],
    ['consent_pending:IT', 'Consent pending (IT): 1'],
  ])
})

it('keeps the address’s filter, before counts load and at zero', () => {
  expect(listReachOptions(undefined, 'purchased').map(({ label }) => label)).toEqual([
    'Reachable or not',
    'Can be reached',
    'Bought',
  ])
  expect(listReachOptions(answer, 'no_consent:AT').at(-1)).toEqual({
    value: 'no_consent:AT',
    label: 'No consent (AT): 0',
  })
})
