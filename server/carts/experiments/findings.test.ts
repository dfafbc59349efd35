import { describe, expect, test } from 'vitest'
import { sumsOfCounts, sumsOfTotals } from '../../core/lift/arms.ts'
import { plannedShares } from '../../core/lift/planned.ts'
import { sequenceOf } from '../../core/lift/sequence.ts'
import { type Counts, canCheckArms, conversionOf, costOf, revenueOf } from './findings.ts'

// What sums say (decisions 59 to 61).

const counts = (treated: [number, number], control: [number, number], eachMinor = 5_000): Counts => {
  const arm = ([people, purchases]: [number, number]) => ({
    ...{ people, purchases, netMinor: purchases * eachMinor, netSquares: purchases * eachMinor ** 2 },
  })
  return { treated: arm(treated), control: arm(control) }
}
const now = { isPlannedDay: false, peopleADay: 10, rate: 0.05 }

describe('conversion', () => {
  test('below ten purchases in an arm only what is missing is told, at that arm’s own rate', () => {
    const finding = conversionOf(counts([200, 20], [200, 5]), now)
    // Five more of the control group, who are 5 of 400: 400 people, 40 days.
    expect(finding).toEqual({ state: 'few', anytime: null, planned: null, missing: { people: 400, days: 40 } })
  })

  test('where nobody has bought, the store’s rate is reckoned with; where nobody was drawn, nothing', () => {
    expect(conversionOf(counts([200, 20], [200, 0]), now).missing).toEqual({ people: 400, days: 40 })
    expect(conversionOf(counts([0, 0], [0, 0]), now).missing).toBeNull()
    expect(conversionOf(counts([200, 20], [200, 5]), { ...now, peopleADay: null }).missing).toEqual({
      ...{ people: 400, days: null },
    })
  })

  test('from ten on it is the sequence, of all who were written to; the planned day’s only on that day', () => {
    const known = counts([400, 44], [400, 30])
    const bought = { treated: sumsOfCounts(400, 44), control: sumsOfCounts(400, 30) }
    const { low, high } = sequenceOf(bought)
    const finding = conversionOf(known, now)
    expect(finding).toEqual({
      ...{ state: 'unseen', anytime: { low: low * 400, high: high * 400 }, planned: null, missing: null },
    })
    const planned = plannedShares(bought)
    expect(conversionOf(known, { ...now, isPlannedDay: true }).planned).toEqual({
      ...{ low: planned.low * 400, high: planned.high * 400 },
    })
  })

  test('more and less are said when an interval is on one side of nothing', () => {
    expect(conversionOf(counts([2_000, 240], [2_000, 120]), now).state).toBe('more')
    expect(conversionOf(counts([2_000, 120], [2_000, 240]), now).state).toBe('less')
    // On the planned day its own, narrower interval may say so.
    const close = counts([1_000, 90], [1_000, 60])
    expect(conversionOf(close, now).state).toBe('unseen')
    expect(conversionOf(close, { ...now, isPlannedDay: true }).state).toBe('more')
  })
})

test('revenue is shown from 75 purchases in each arm, as the sequence of the capped amounts', () => {
  expect(revenueOf(counts([2_000, 300], [2_000, 74]), now).state).toBe('few')
  const finding = revenueOf(counts([2_000, 300], [2_000, 75]), now)
  const spent = {
    treated: sumsOfTotals(2_000, 1_500_000, 7_500_000_000),
    control: sumsOfTotals(2_000, 375_000, 1_875_000_000),
  }
  expect(finding.anytime!.low).toBeCloseTo(sequenceOf(spent).low * 2_000, 6)
  expect(finding.state).toBe('more')
})

test('what the control group cost is the same difference of as many people', () => {
  const known = counts([1_800, 270], [200, 75])
  const revenue = revenueOf(known, now)
  expect(costOf(known, revenue)!.high).toBeCloseTo(revenue.anytime!.high / 9, 6)
  expect(costOf(counts([10, 1], [10, 1]), revenueOf(counts([10, 1], [10, 1]), now))).toBeNull()
})

test('the arms are checked from as many people as find a loss (decision 61)', () => {
  const of = (people: number, controlBps: number) => canCheckArms(counts([people / 2, 0], [people / 2, 0]), controlBps)
  expect([of(16_000, 5_000), of(17_000, 5_000), of(40_000, 1_000), of(48_000, 1_000)]).toEqual([
    false,
    true,
    false,
    true,
  ])
})
