import { describe, expect, test } from 'vitest'
import { compareShares } from '../../core/lift/planned.ts'
import { computeSequence } from '../../core/lift/sequence.ts'
import { sumCounts, sumTotals } from '../../core/lift/sums.ts'
import { type ArmsCounts, canCheckArms, computeCost, findConversion, findRevenue } from './findings.ts'

// Findings from sums (decisions 59 to 61).

const counts = (treated: [number, number], control: [number, number], eachMinor = 5_000): ArmsCounts => {
  const arm = ([people, purchases]: [number, number]) => ({
    people,
    purchases,
    netMinor: purchases * eachMinor,
    netSquares: purchases * eachMinor ** 2,
  })
  return { treated: arm(treated), control: arm(control) }
}
const now = { isPlannedDay: false, peopleADay: 10, rate: 0.05 }

describe('conversion', () => {
  test('below ten purchases in an arm only the missing number is returned, at that arm’s own rate', () => {
    const finding = findConversion(counts([200, 20], [200, 5]), now)
    // Five more purchases of the control group, which has 5 of 400: 400 shoppers, 40 days.
    expect(finding).toEqual({ state: 'few', anytime: null, planned: null, missing: { people: 400, days: 40 } })
  })

  test('without purchases the store’s rate is used, and without assignments nothing is estimated', () => {
    expect(findConversion(counts([200, 20], [200, 0]), now).missing).toEqual({ people: 400, days: 40 })
    expect(findConversion(counts([0, 0], [0, 0]), now).missing).toBeNull()
    expect(findConversion(counts([200, 20], [200, 5]), { ...now, peopleADay: null }).missing).toEqual({
      people: 400,
      days: null,
    })
  })

  test('from ten purchases the sequence’s interval is shown for all treated shoppers, and the planned one only on its day', () => {
    const known = counts([400, 44], [400, 30])
    const bought = { treated: sumCounts(400, 44), control: sumCounts(400, 30) }
    const { low, high } = computeSequence(bought)
    const finding = findConversion(known, now)
    expect(finding).toEqual({
      state: 'unseen',
      anytime: { low: low * 400, high: high * 400 },
      planned: null,
      missing: null,
    })
    const planned = compareShares(bought)
    expect(findConversion(known, { ...now, isPlannedDay: true }).planned).toEqual({
      low: planned.low * 400,
      high: planned.high * 400,
    })
  })

  test('more and less are reported when an interval excludes zero', () => {
    expect(findConversion(counts([2_000, 240], [2_000, 120]), now).state).toBe('more')
    expect(findConversion(counts([2_000, 120], [2_000, 240]), now).state).toBe('less')
    // On the planned day its own narrower interval may exclude zero.
    const close = counts([1_000, 90], [1_000, 60])
    expect(findConversion(close, now).state).toBe('unseen')
    expect(findConversion(close, { ...now, isPlannedDay: true }).state).toBe('more')
  })
})

test('revenue is shown from 75 purchases in each arm, as the sequence of capped amounts', () => {
  expect(findRevenue(counts([2_000, 300], [2_000, 74]), now).state).toBe('few')
  const finding = findRevenue(counts([2_000, 300], [2_000, 75]), now)
  const spent = {
    treated: sumTotals(2_000, 1_500_000, 7_500_000_000),
    control: sumTotals(2_000, 375_000, 1_875_000_000),
  }
  expect(finding.anytime!.low).toBeCloseTo(computeSequence(spent).low * 2_000, 6)
  expect(finding.state).toBe('more')
})

test('the cost of the control group is the same difference for as many shoppers', () => {
  const known = counts([1_800, 270], [200, 75])
  const revenue = findRevenue(known, now)
  expect(computeCost(known, revenue)!.high).toBeCloseTo(revenue.anytime!.high / 9, 6)
  expect(computeCost(counts([10, 1], [10, 1]), findRevenue(counts([10, 1], [10, 1]), now))).toBeNull()
})

test('the arms are checked from the number of shoppers at which a loss is detectable (decision 61)', () => {
  const of = (people: number, controlBps: number) => canCheckArms(counts([people / 2, 0], [people / 2, 0]), controlBps)
  expect([of(16_000, 5_000), of(17_000, 5_000), of(40_000, 1_000), of(48_000, 1_000)]).toEqual([
    false,
    true,
    false,
    true,
  ])
})
