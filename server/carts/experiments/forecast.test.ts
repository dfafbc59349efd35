import { expect, test } from 'vitest'
import { computeRate, estimateRate, proposePercent } from './view.ts'

// Forecasts before an experiment starts (decision 60).

test.each([
  [0, null],
  [60, null],
  [200, 50],
  [1_999, 50],
  [2_000, 20],
  [10_000, 20],
  [10_001, 10],
])('with %i shoppers a month the proposed share is %s percent', (people, percent) => {
  expect(proposePercent({ people, bought: 0 })).toBe(percent)
})

test('the next larger share is proposed if the usual one would show nothing', () => {
  expect(proposePercent({ people: 3_000, bought: 15 })).toBe(30)
  expect(proposePercent({ people: 2_000, bought: 10 })).toBe(50)
})

test('fewer than ten purchases give no rate', () => {
  expect(computeRate({ people: 300, bought: 9 })).toBeNull()
  expect(computeRate({ people: 300, bought: 15 })).toBe(0.05)
  expect([estimateRate({ people: 300, bought: 9 }), estimateRate({ people: 300, bought: 12 })]).toEqual([0.05, 0.04])
})
