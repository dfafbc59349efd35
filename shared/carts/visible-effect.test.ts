import { expect, test } from 'vitest'
import { computeSmallestEffect, listShareChoices } from './visible-effect.ts'

// The smallest effect that a control group can detect, computed before the start (decision 60).

test('the table of shares detects a doubling at 4 % but not a rise of a fifth, with 300 people a month and half of them held out', () => {
  const [ten, , , half] = listShareChoices({ people: 300, rate: 0.04 })
  expect(half).toMatchObject({ sharePercent: 50, treated: 450, control: 450 })
  expect(half!.smallestPercent).toBeGreaterThan(85)
  expect(half!.smallestPercent).toBeLessThan(115)
  // 90 people with four purchases show nothing.
  expect(ten!.smallestPercent).toBeNull()
})

test('computeSmallestEffect returns the effect whose z is 2.8', () => {
  const [people, rate] = [10_000, 0.05]
  const effect = computeSmallestEffect({ treated: people, control: people, rate })!
  const raised = rate * (1 + effect)
  const error = Math.sqrt((rate * (1 - rate) + raised * (1 - raised)) / people)
  expect((raised - rate) / error).toBeCloseTo(1.96 + 0.8416, 3)
  expect(computeSmallestEffect({ treated: people, control: people / 4, rate })!).toBeGreaterThan(effect)
})

test('computeSmallestEffect returns null for too few purchases, or an effect above the maximum', () => {
  expect(computeSmallestEffect({ treated: 1_000, control: 100, rate: 0.05 })).toBeNull()
  expect(computeSmallestEffect({ treated: 60, control: 15, rate: 0.9 })).toBeNull()
})

test('the table of shares detects smaller effects with more days, and larger ones or none with fewer', () => {
  const computeLastChoice = (days: number) => listShareChoices({ people: 300, rate: 0.04 }, days).at(-1)!
  expect(computeLastChoice(45)).toEqual({ sharePercent: 50, treated: 225, control: 225, smallestPercent: null })
  expect(computeLastChoice(365)).toMatchObject({ treated: 1_825, control: 1_825 })
  expect(computeLastChoice(365).smallestPercent).toBeLessThan(computeLastChoice(180).smallestPercent!)
  expect(computeLastChoice(180).smallestPercent).toBeLessThan(computeLastChoice(90).smallestPercent!)
})
