import { describe, expect, test } from 'vitest'
import { hasEnoughForConversion, hasEnoughForRevenue } from './minimum-sizes.ts'
import { compareMeans, compareShares, computeWilson } from './planned.ts'
import { computeHalfWidth, computeSequence, computeTuning } from './sequence.ts'
import { sumCounts, sumTotals } from './sums.ts'

const counts = (people: number, bought: number, people0: number, bought0: number) => ({
  treated: sumCounts(people, bought),
  control: sumCounts(people0, bought0),
})

describe('the sequence (decision 59a)', () => {
  test('is narrowest at 2,000 people', () => {
    expect(computeTuning(0.05)).toBeCloseTo(0.0043909, 7)
    const widths = [500, 1_000, 2_000, 4_000, 8_000].map((people) => computeHalfWidth(people))
    expect(Math.min(...widths)).toBe(widths[2])
  })

  test.each([
    [500, 3.227],
    [2_000, 3.035],
    [10_000, 3.165],
    [50_000, 3.382],
  ])('has a half width of %f standard errors after %i people', (people, half) => {
    expect(computeHalfWidth(people)).toBeCloseTo(half, 3)
  })

  test('is centred on the difference of the means', () => {
    const arms = counts(1_000, 60, 1_000, 40)
    const error = Math.sqrt((60 * 0.94) / 999 / 1_000 + (40 * 0.96) / 999 / 1_000)
    const { low, high } = computeSequence(arms)
    expect((low + high) / 2).toBeCloseTo(0.02, 12)
    expect((high - low) / 2).toBeCloseTo(computeHalfWidth(2_000) * error, 12)
  })

  test('is infinite for an arm of one or none', () => {
    for (const arms of [counts(0, 0, 0, 0), counts(1, 1, 500, 20), counts(500, 20, 1, 0)]) {
      expect(computeSequence(arms)).toEqual({ low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY })
    }
  })

  test('is wider when more variants are compared', () => {
    expect(computeHalfWidth(2_000, 0.05 / 3)).toBeGreaterThan(computeHalfWidth(2_000))
  })
})

describe('the interval of a planned day (decision 59b)', () => {
  test('of two shares matches Newcombe’s examples', () => {
    const compare = (...of: Parameters<typeof counts>) => {
      const { low, high } = compareShares(counts(...of))
      return [low.toFixed(4), high.toFixed(4)]
    }
    expect(compare(70, 56, 80, 48)).toEqual(['0.0524', '0.3339'])
    expect(compare(10, 9, 10, 3)).toEqual(['0.1705', '0.8090'])
    expect(compare(10, 10, 20, 0)).toEqual(['0.6791', '1.0000'])
  })

  test('of one share is Wilson’s and stays between 0 and 1', () => {
    const { low, high } = computeWilson(81 / 263, 263, 0.05)
    expect([low, high].map((bound) => bound.toFixed(4))).toEqual(['0.2553', '0.3662'])
    expect(computeWilson(0, 10, 0.05).low).toBe(0)
    expect(computeWilson(1, 10, 0.05).high).toBe(1)
  })

  test('of two means is Welch’s', () => {
    const sums = (values: number[]) =>
      sumTotals(
        values.length,
        values.reduce((sum, value) => sum + value, 0),
        values.reduce((sum, value) => sum + value * value, 0),
      )
    // Standard error 0.99312, 27.887 degrees of freedom; Student’s 97.5 % quantile is 2.04878.
    const treated = [27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4]
    const control = [27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 30.5, 24.4]
    const { low, high } = compareMeans({ treated: sums(treated), control: sums(control) })
    expect((low + high) / 2).toBeCloseTo(-2.8333, 4)
    expect([low.toFixed(3), high.toFixed(3)]).toEqual(['-4.868', '-0.799'])
  })

  test('is infinite for empty arms and exact where nothing varies', () => {
    expect(compareShares(counts(0, 0, 10, 3))).toEqual({ low: -1, high: 1 })
    expect(compareMeans(counts(1, 1, 10, 3)).low).toBe(Number.NEGATIVE_INFINITY)
    expect(compareMeans(counts(10, 10, 10, 10))).toEqual({ low: 0, high: 0 })
  })
})

test('sums of totals equal those of the outcomes, and rounding makes no deviation negative', () => {
  expect(sumTotals(4, 2, 2)).toEqual(sumCounts(4, 2))
  expect(sumTotals(3, 0.3, 0.029999999999999995).squares).toBe(0)
  expect(sumTotals(0, 0, 0).squares).toBe(0)
})

test('conversion is shown from 10 purchases in each arm, revenue from 75', () => {
  expect(hasEnoughForConversion(counts(900, 400, 100, 9))).toBe(false)
  expect(hasEnoughForConversion(counts(900, 10, 100, 10))).toBe(true)
  expect(hasEnoughForRevenue(counts(900, 400, 1_000, 74))).toBe(false)
  expect(hasEnoughForRevenue(counts(900, 75, 1_000, 75))).toBe(true)
})
