import { type AnalyticsRange, rangeDays } from '../../../shared/insights/analytics.ts'
import { addDays, type Day, toDay } from './days.ts'

// The days of a range and the buckets of a trend (decisions 91 and 98). Pure.

/** All days are included: [before, until first), [first, last]. */
export interface RangeDays {
  before: Day
  first: Day
  last: Day
}

/** The range's days in the store's calendar, including today, and the same number before them. */
export function daysOfRange(range: AnalyticsRange, now: Date, zone: string): RangeDays {
  const last = toDay(now, zone)
  const days = rangeDays[range]
  return { before: addDays(last, 1 - 2 * days), first: addDays(last, 1 - days), last }
}

export interface TrendBucket {
  first: Day
  /** The last day, included; for the last bucket today. */
  last: Day
  label: string
}

const WEEKS = 13
const MONTHS = 12

/** Fewer carts a day than this are shown by week: single days would be noise. */
const MIN_CARTS_PER_DAY = 10

export const isNoise = (abandoned: number, period: AnalyticsRange) =>
  period === '30d' && abandoned < MIN_CARTS_PER_DAY * rangeDays[period]

/** The days of 30d in weeks that end today; the first one is shorter, so that both sum up the same days. */
export function buildWeekBuckets(now: Date, zone: string): TrendBucket[] {
  const today = toDay(now, zone)
  const start = addDays(today, 1 - rangeDays['30d'])
  const starts = [start, ...[28, 21, 14, 7].map((days) => addDays(today, 1 - days))]
  return starts.map((first, place) => {
    const last = place === starts.length - 1 ? today : addDays(starts[place + 1]!, -1)
    return { first, last, label: DAY.formatRange(Temporal.PlainDate.from(first), Temporal.PlainDate.from(last)) }
  })
}

/** Days for up to 30d, 13 weeks ending today for 90d, calendar months for 1y with the first one complete. */
export function buildTrendBuckets(period: AnalyticsRange, now: Date, zone: string): TrendBucket[] {
  const today = toDay(now, zone)
  if (period === '1y') return monthsUntil(today)
  const [length, count] = period === '90d' ? [7, WEEKS] : [1, rangeDays[period]]
  return Array.from({ length: count }, (_, place) => {
    const first = addDays(today, 1 - length * (count - place))
    return { first, last: addDays(first, length - 1), label: DAY.format(Temporal.PlainDate.from(first)) }
  })
}

function monthsUntil(today: Day): TrendBucket[] {
  const month = Temporal.PlainDate.from(today).toPlainYearMonth()
  return Array.from({ length: MONTHS }, (_, place) => {
    const of = month.subtract({ months: MONTHS - 1 - place })
    const last = of.toPlainDate({ day: of.daysInMonth }).toString()
    const first = of.toPlainDate({ day: 1 })
    return { first: first.toString(), last: last < today ? last : today, label: MONTH.format(first) }
  })
}

const DAY = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric' })
const MONTH = new Intl.DateTimeFormat('en-US', { month: 'short', year: 'numeric' })
