import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chartPeriods } from '../../../shared/insights/dashboard.ts'
import { buildDaySpans, buildStats, chartBuckets, chartSums, computeTrend, findWholeDays, rate } from './rules.ts'

const at = (text: string) => new Date(text)
const none = { active: 0, active_before: 0 }

describe('30 days of the store’s own calendar, today included', () => {
  test('begin at the store’s midnight, not at UTC midnight', { tags: ['A3'] }, () => {
    const spans = buildDaySpans(at('2026-03-02T03:00:00Z'), 'America/New_York')
    expect(spans.until).toEqual(at('2026-03-02T05:00:00Z'))
    expect(spans.since).toEqual(at('2026-01-31T05:00:00Z'))
    expect(spans.before).toEqual(at('2026-01-01T05:00:00Z'))
  })

  test('are 30 calendar days across clock changes', () => {
    const spans = buildDaySpans(at('2026-03-20T12:00:00Z'), 'America/New_York')
    expect(spans.since).toEqual(at('2026-02-19T05:00:00Z'))
    expect(spans.until).toEqual(at('2026-03-21T04:00:00Z'))
  })

  test('support unnamed offsets, and treat an unknown zone as UTC', () => {
    expect(buildDaySpans(at('2026-03-02T19:00:00Z'), '+05:45').until).toEqual(at('2026-03-03T18:15:00Z'))
    expect(buildDaySpans(at('2026-03-02T19:00:00Z'), 'Mars/Base').until).toEqual(at('2026-03-03T00:00:00Z'))
  })
})

test('a span splits into whole UTC days and two ends of less than a day', () => {
  const whole = (from: string, until: string) =>
    findWholeDays(at(from), at(until)).map((bound) => bound.toISOString().slice(0, 10))
  expect(whole('2026-03-01T05:00:00Z', '2026-03-04T05:00:00Z')).toEqual(['2026-03-02', '2026-03-04'])
  expect(whole('2026-03-01T00:00:00Z', '2026-03-04T00:00:00Z')).toEqual(['2026-03-01', '2026-03-04'])
  expect(findWholeDays(at('2026-03-01T05:00:00Z'), at('2026-03-02T04:00:00Z'))).toEqual(
    Array(2).fill(at('2026-03-02T04:00:00Z')),
  )
})

describe('the chart', () => {
  const now = at('2026-03-02T15:20:00Z')

  test('of a day has 24 hours in the store’s time zone, the current one last', () => {
    const { buckets, until } = chartBuckets('day', now, '+05:45')
    expect(buckets).toHaveLength(24)
    expect(buckets.at(-1)).toEqual({ from: at('2026-03-02T15:15:00Z'), label: '9 PM' })
    expect(buckets[0]).toEqual({ from: at('2026-03-01T16:15:00Z'), label: '10 PM' })
    expect(until).toEqual(at('2026-03-02T16:15:00Z'))
  })

  test.each([
    ['week', 7, 'Feb 24'],
    ['month', 30, 'Feb 1'],
  ] as const)('of a %s has %i of its days, today last', (period, days, first) => {
    const { buckets, until } = chartBuckets(period, now, 'America/New_York')
    expect(buckets).toHaveLength(days)
    expect(buckets[0]!.label).toBe(first)
    expect(buckets.at(-1)).toEqual({ from: at('2026-03-02T05:00:00Z'), label: 'Mar 2' })
    expect(until).toEqual(at('2026-03-03T05:00:00Z'))
  })

  test('has ordered buckets that begin with a slot in every zone, with the current time in the last', () => {
    const zone = fc.constantFrom(
      'UTC',
      'America/St_Johns',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
      'Pacific/Chatham',
      '-03:30',
    )
    const instant = fc.date({ min: at('2024-01-01'), max: at('2030-12-31'), noInvalidDate: true })
    fc.assert(
      fc.property(instant, zone, fc.constantFrom(...chartPeriods), (moment, name, period) => {
        const { buckets, until } = chartBuckets(period, moment, name)
        const bounds = [...buckets.map(({ from }) => from.getTime()), until.getTime()]
        expect(bounds).toEqual([...new Set(bounds)].sort((a, b) => a - b))
        expect(bounds.filter((bound) => bound % (15 * 60_000) !== 0)).toEqual([])
        expect(bounds.at(-2)).toBeLessThanOrEqual(moment.getTime())
        expect(bounds.at(-1)).toBeGreaterThan(moment.getTime())
      }),
    )
  })
})

describe('figures', () => {
  test('a rate of 0 and a trend from 0 are null (A5)', () => {
    expect(rate(0, 0)).toBeNull()
    expect(rate(1, 3)).toBe(33.3)
    expect(computeTrend(5, 0)).toBeNull()
    expect(computeTrend(5, null)).toBeNull()
    expect(computeTrend(null, 5)).toBeNull()
    expect(computeTrend(5, 4)).toBe(25)
    expect(computeTrend(0, 4)).toBe(-100)
  })

  const sums = (currency: string, abandoned: number, attributed_minor: number) => ({
    currency,
    abandoned,
    recovered: 1,
    abandoned_recovered: 1,
    attributed_minor,
    attributed_orders: 2,
  })

  test('carts of all currencies count; revenue is in the store’s currency, others are listed separately (decision 21)', () => {
    const figures = buildStats({
      currency: 'JPY',
      now: [sums('JPY', 3, 5_000), sums('USD', 1, 1_250)],
      before: [sums('JPY', 2, 4_000)],
      totals: [sums('JPY', 0, 9_000), sums('USD', 0, 2_500)],
      people: none,
    })
    expect(figures).toMatchObject({ abandonedCarts: 4, recoveredCarts: 2, recoveryRate: 50, currency: 'JPY' })
    expect(figures).toMatchObject({ totalRevenue: 9_000, monthlyRevenue: 5_000 })
    expect(figures.trends).toMatchObject({ abandonedCarts: 100, recoveredCarts: 100, recoveryRate: 0, revenue: 25 })
    expect(figures.otherCurrencies).toEqual([{ currency: 'USD', totalRevenue: 25, monthlyRevenue: 12.5 }])
    // Orders of all currencies are counted, as carts are.
    expect([figures.recoveredOrders, figures.trends.recoveredOrders]).toEqual([4, 100])
  })

  test('a revenue chart is in the store’s currency, and lists revenue in others beside it', () => {
    const of = (bucket: number, currency: string, attributed_minor: number) => ({
      bucket,
      currency,
      abandoned: 2,
      recovered: 1,
      attributed_minor,
    })
    const drawn = chartSums([of(0, 'USD', 1_250), of(2, 'USD', 500), of(2, 'JPY', 700), of(1, 'EUR', 0)], {
      currency: 'USD',
      count: 4,
    })
    expect(drawn).toEqual({
      abandoned: [2, 2, 4, 0],
      recovered: [1, 1, 2, 0],
      revenue: [12.5, 0, 5, 0],
      otherCurrencies: [{ currency: 'JPY', revenue: 700 }],
    })
  })
})
