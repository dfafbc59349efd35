import { expect, it } from 'vitest'
import type { CreditEntry, Credits } from '../../../shared/billing/credits.ts'
import {
  describeAfterPlan,
  describeEntry,
  explainUnusedCredits,
  formatBalance,
  formatCountry,
  formatCredits,
  hasCreditsCard,
} from './credit-copy.ts'

const buildCredits = (changes: Partial<Credits> = {}): Credits => ({
  carrier: 'operator',
  offer: 'stripe',
  isUsable: true,
  balanceMicros: 12_345_678,
  weekMicros: 0,
  prices: [],
  ...changes,
})
const buildEntry = (changes: Partial<CreditEntry>): CreditEntry => ({
  seq: 1,
  at: '2026-03-01T00:00:00Z',
  kind: 'use',
  micros: -18_000,
  balanceMicros: 0,
  owedMicros: 0,
  note: null,
  ...changes,
})

it('formats amounts to the millionth and never rounds a balance up', () => {
  expect(formatCredits(18_000)).toBe('$0.018')
  expect(formatCredits(-150_631)).toBe('-$0.150631')
  expect(formatCredits(25_000_000)).toMatch(/^\$25(\.00)?$/)
  expect(formatBalance(12_349_999)).toBe('$12.34')
})

it('shows on a meter the usage that credits cover beyond the plan', () => {
  expect(describeAfterPlan(buildCredits())).toBe('then $12.34 in credits')
  expect(describeAfterPlan(buildCredits({ balanceMicros: 0 }))).toBeNull()
  expect(describeAfterPlan(buildCredits({ isUsable: false }))).toBeNull()
  expect(describeAfterPlan(buildCredits({ carrier: 'own', offer: null }))).toBeNull()
  expect(describeAfterPlan(undefined)).toBeNull()
})

it('shows the card where credits can be bought or exist, and why they are not used', () => {
  expect(hasCreditsCard(buildCredits({ balanceMicros: 0 }))).toBe(true)
  expect(hasCreditsCard(buildCredits({ offer: null }))).toBe(true)
  expect(hasCreditsCard(buildCredits({ offer: null, balanceMicros: 0, carrier: 'own' }))).toBe(false)
  expect(explainUnusedCredits(buildCredits())).toBeNull()
  expect(explainUnusedCredits(buildCredits({ carrier: 'own', offer: null }))).toContain('which bills you')
  expect(explainUnusedCredits(buildCredits({ carrier: 'sandbox', offer: null }))).toContain('does not send your SMS')
  expect(explainUnusedCredits(buildCredits({ isUsable: false }))).toContain('choose Starter or Growth')
})

it('labels every movement, and shows for a refund how much had been used', () => {
  expect(describeEntry(buildEntry({}))).toBe('SMS sent')
  expect(describeEntry(buildEntry({ kind: 'refund', micros: -7_000_000, owedMicros: 18_000_000 }))).toMatch(
    /^Payment refunded; \$18(\.00)? had been used$/,
  )
  expect(describeEntry(buildEntry({ kind: 'refund', micros: 20_000_000, owedMicros: -5_000_000 }))).toBe(
    'Refund reversed',
  )
  expect(describeEntry(buildEntry({ kind: 'adjustment', micros: 1, note: 'Goodwill' }))).toBe(
    'Changed by support: Goodwill',
  )
  expect(formatCountry('DE')).toBe('Germany')
  expect(formatCountry(null)).toBe('Elsewhere')
})
