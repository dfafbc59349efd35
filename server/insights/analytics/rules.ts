import { getCurrencyExponent } from '../../../shared/core/money.ts'
import type { ChartPeriod, DashboardStats } from '../../../shared/insights/dashboard.ts'
import { validZone } from '../../core/common/public.ts'
import { toDate, toLocalTime } from './days.ts'

// Computes the dashboard's figures (decision 28). Pure: no clock, no database.

/** Days of the store's calendar in the figures, including today. The trend compares with the same number before. */
const SPAN_DAYS = 30

/** [since, until): the days up to the end of today; [before, since): the same number before. */
export interface DaySpans {
  before: Date
  since: Date
  until: Date
}

/** Days follow the store's calendar, also where clocks skip midnight. An unknown zone counts as UTC. */
export function buildDaySpans(now: Date, zone: string): DaySpans {
  const first = (days: number) => findFirstDay(now, zone, days)
  return { before: first(2 * SPAN_DAYS), since: first(SPAN_DAYS), until: first(0) }
}

/** Start of the first of `days` days that end today; for 0 days the end of today. */
export function findFirstDay(now: Date, zone: string, days: number): Date {
  const today = toLocalTime(now, zone).toPlainDate()
  return toDate(today.add({ days: 1 - days }).toZonedDateTime(validZone(zone)))
}

const DAY_MS = 86_400_000

/**
 * The whole UTC days within [from, until), as start of the first and end of the last. Without any, both are `until`.
 */
export function findWholeDays(from: Date, until: Date): [first: Date, last: Date] {
  const first = Math.ceil(from.getTime() / DAY_MS) * DAY_MS
  const last = Math.floor(until.getTime() / DAY_MS) * DAY_MS
  return first < last ? [new Date(first), new Date(last)] : [until, until]
}

export interface Bucket {
  from: Date
  label: string
}

export interface Buckets {
  buckets: Bucket[]
  /** End of the last bucket. */
  until: Date
}

const DAYS: Record<Exclude<ChartPeriod, 'day'>, number> = { week: 7, month: 30 }

/**
 * `day`: 24 hours of the store's clock, including the current one; `week` and `month`: 7 and 30 days, including today.
 */
export function chartBuckets(period: ChartPeriod, now: Date, zone: string): Buckets {
  const here = toLocalTime(now, zone)
  return period === 'day' ? hourBuckets(here) : dayBuckets(here, DAYS[period])
}

function hourBuckets(here: Temporal.ZonedDateTime): Buckets {
  const thisHour = here.round({ smallestUnit: 'hour', roundingMode: 'floor' })
  const hours = Array.from({ length: 25 }, (_, hour) => thisHour.add({ hours: hour - 23 }))
  const buckets = hours.slice(0, 24).map((hour) => ({ from: toDate(hour), label: HOUR.format(hour.toPlainTime()) }))
  return { buckets, until: toDate(hours[24]!) }
}

function dayBuckets(here: Temporal.ZonedDateTime, count: number): Buckets {
  const today = here.toPlainDate()
  const days = Array.from({ length: count + 1 }, (_, day) => today.add({ days: day + 1 - count }))
  const toDayStart = (day: Temporal.PlainDate) => toDate(day.toZonedDateTime(here.timeZoneId))
  return {
    buckets: days.slice(0, count).map((day) => ({ from: toDayStart(day), label: DAY.format(day) })),
    until: toDayStart(days[count]!),
  }
}

const HOUR = new Intl.DateTimeFormat('en-US', { hour: 'numeric' })
const DAY = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric' })

/** Counts of one currency's carts and orders within a span. */
export interface Sums {
  currency: string
  abandoned: number
  abandoned_recovered: number
  recovered: number
  attributed_minor: number
  attributed_orders: number
}

/** Adds up the sums of several stores per currency. */
export function groupByCurrency(sums: readonly Sums[]): Sums[] {
  return [...Map.groupBy(sums, ({ currency }) => currency)].map(([currency, own]) => ({
    currency,
    abandoned: add(own, 'abandoned'),
    abandoned_recovered: add(own, 'abandoned_recovered'),
    recovered: add(own, 'recovered'),
    attributed_minor: add(own, 'attributed_minor'),
    attributed_orders: add(own, 'attributed_orders'),
  }))
}

export interface CountedSums {
  /** The store's currency. */
  currency: string
  now: readonly Sums[]
  before: readonly Sums[]
  totals: readonly Pick<Sums, 'currency' | 'attributed_minor'>[]
  people: { active: number; active_before: number }
}

/**
 * Counts include carts of all currencies. Revenue is in the store's currency; other currencies are listed separately
 * (decision 21).
 */
export function buildStats({
  currency,
  now,
  before,
  totals,
  people,
}: CountedSums): Omit<DashboardStats, 'syncAgeSeconds'> {
  const sumRevenue = (sums: CountedSums['totals'], code = currency) =>
    sums.find((each) => each.currency === code)?.attributed_minor ?? 0
  const recoveryRate = rate(add(now, 'abandoned_recovered'), add(now, 'abandoned'))
  const rateBefore = rate(add(before, 'abandoned_recovered'), add(before, 'abandoned'))
  const revenue = computeTrend(sumRevenue(now), sumRevenue(before))
  const others = totals.filter((each) => each.currency !== currency && each.attributed_minor !== 0)
  return {
    abandonedCarts: add(now, 'abandoned'),
    recoveredCarts: add(now, 'recovered'),
    recoveryRate,
    totalRevenue: toDecimal(sumRevenue(totals), currency),
    monthlyRevenue: toDecimal(sumRevenue(now), currency),
    recoveredOrders: add(now, 'attributed_orders'),
    activeCustomers: people.active,
    trends: {
      abandonedCarts: computeTrend(add(now, 'abandoned'), add(before, 'abandoned')),
      recoveredCarts: computeTrend(add(now, 'recovered'), add(before, 'recovered')),
      recoveryRate: computeTrend(recoveryRate, rateBefore),
      // The all-time total has no earlier span, so its card shows the trend of the last 30 days.
      totalRevenue: revenue,
      monthlyRevenue: revenue,
      recoveredOrders: computeTrend(add(now, 'attributed_orders'), add(before, 'attributed_orders')),
      activeCustomers: computeTrend(people.active, people.active_before),
      revenue,
    },
    currency,
    otherCurrencies: others.map((each) => ({
      currency: each.currency,
      totalRevenue: toDecimal(each.attributed_minor, each.currency),
      monthlyRevenue: toDecimal(sumRevenue(now, each.currency), each.currency),
    })),
  }
}

const toDecimal = (minor: number, currency: string) => minor / 10 ** getCurrencyExponent(currency)

const add = (sums: readonly Sums[], measure: Exclude<keyof Sums, 'currency'>) =>
  sums.reduce((total, each) => total + each[measure], 0)

/** Share in percent with one decimal; null if `whole` is 0 (A5). */
export function rate(part: number, whole: number): number | null {
  return whole > 0 ? toTenth((part / whole) * 100) : null
}

/** Change in percent with one decimal against the span before; null if that is 0 or unknown. */
export function computeTrend(now: number | null, before: number | null): number | null {
  return now !== null && before ? toTenth(((now - before) / before) * 100) : null
}

const toTenth = (value: number) => Math.round(value * 10) / 10

/** Values of a chart per bucket. */
export interface ChartSums {
  abandoned: number[]
  recovered: number[]
  /** In the store's currency. */
  revenue: number[]
  /** Of the whole chart; never added to the store's currency (decision 21). */
  otherCurrencies: { currency: string; revenue: number }[]
}

/** Counts include carts of all currencies; revenue as in `buildStats`. */
export function chartSums(
  sums: readonly (Pick<Sums, 'currency' | 'abandoned' | 'recovered' | 'attributed_minor'> & { bucket: number })[],
  { currency, count }: { currency: string; count: number },
): ChartSums {
  const ofBucket = (measure: 'abandoned' | 'recovered' | 'attributed_minor', which = sums) => {
    const buckets = Array<number>(count).fill(0)
    for (const each of which) buckets[each.bucket]! += each[measure]
    return buckets
  }
  const own = sums.filter((each) => each.currency === currency)
  const others = Map.groupBy(
    sums.filter((each) => each.currency !== currency),
    (each) => each.currency,
  )
  const sumRevenue = (code: string, which: typeof sums) =>
    toDecimal(
      which.reduce((total, each) => total + each.attributed_minor, 0),
      code,
    )
  return {
    abandoned: ofBucket('abandoned'),
    recovered: ofBucket('recovered'),
    revenue: ofBucket('attributed_minor', own).map((minor) => toDecimal(minor, currency)),
    otherCurrencies: [...others]
      .map(([code, which]) => ({ currency: code, revenue: sumRevenue(code, which) }))
      .filter(({ revenue }) => revenue !== 0),
  }
}
