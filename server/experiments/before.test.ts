import { expect, test } from 'vitest'
import { choicesOf, proposedPercent, rateOf, smallestEffect } from './before.ts'

// What can be said before an experiment begins (decision 60).

test('with 300 people a month, half of them held out, a doubling is seen at 4 of 100, not a fifth', () => {
  const [ten, , , half] = choicesOf({ people: 300, bought: 12 })
  expect(half).toMatchObject({ sharePercent: 50, treated: 450, control: 450 })
  expect(half!.smallestPercent).toBeGreaterThan(85)
  expect(half!.smallestPercent).toBeLessThan(115)
  // 90 people of whom four buy show nothing.
  expect(ten!.smallestPercent).toBeNull()
})

test('the smallest effect is the one whose z is 2.8', () => {
  const [people, rate] = [10_000, 0.05]
  const effect = smallestEffect({ treated: people, control: people, rate })!
  const raised = rate * (1 + effect)
  const error = Math.sqrt((rate * (1 - rate) + raised * (1 - raised)) / people)
  expect((raised - rate) / error).toBeCloseTo(1.96 + 0.8416, 3)
  expect(smallestEffect({ treated: people, control: people / 4, rate })!).toBeGreaterThan(effect)
})

test('nothing is promised where too few would buy, nor more than everybody can do', () => {
  expect(smallestEffect({ treated: 1_000, control: 100, rate: 0.05 })).toBeNull()
  expect(smallestEffect({ treated: 60, control: 15, rate: 0.9 })).toBeNull()
})

test.each([
  [0, 50],
  [1_999, 50],
  [2_000, 20],
  [10_000, 20],
  [10_001, 10],
])('with %i people a month the proposed share is %i percent', (people, percent) => {
  expect(proposedPercent({ people, bought: 0 })).toBe(percent)
})

test('a rate of fewer than ten purchases is no rate', () => {
  expect(rateOf({ people: 300, bought: 9 })).toBeNull()
  expect(rateOf({ people: 300, bought: 15 })).toBe(0.05)
})
