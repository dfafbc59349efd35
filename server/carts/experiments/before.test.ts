import { expect, test } from 'vitest'
import { proposedPercent, rateOf, reckonedRate } from './before.ts'

// What can be said before an experiment begins (decision 60).

test.each([
  [0, null],
  [60, null],
  [200, 50],
  [1_999, 50],
  [2_000, 20],
  [10_000, 20],
  [10_001, 10],
])('with %i people a month the proposed share is %s percent', (people, percent) => {
  expect(proposedPercent({ people, bought: 0 })).toBe(percent)
})

test('where the usual share would show nothing, the next larger one is proposed that does', () => {
  expect(proposedPercent({ people: 3_000, bought: 15 })).toBe(30)
  expect(proposedPercent({ people: 2_000, bought: 10 })).toBe(50)
})

test('a rate of fewer than ten purchases is no rate', () => {
  expect(rateOf({ people: 300, bought: 9 })).toBeNull()
  expect(rateOf({ people: 300, bought: 15 })).toBe(0.05)
  expect([reckonedRate({ people: 300, bought: 9 }), reckonedRate({ people: 300, bought: 12 })]).toEqual([0.05, 0.04])
})
