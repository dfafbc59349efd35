import { expect, test } from 'vitest'
import { createRandom, createTrafficShop, DAY_MINUTES, drawTraffic } from '../../../test/traffic.ts'
import * as rules from './rules.ts'

// Made-up shops of several sizes live through 28 days of history and 30 days of watching, minute by minute: busy days, quiet
// nights, weekends, days with three times the visits and with a third. ALARM_SHOPS=100 makes as many of each size.

const SHOPS = Number(process.env.ALARM_SHOPS ?? 4)
const SIZES = [5, 20, 100, 300, 1_000, 3_000, 10_000]
const MONDAY = Date.UTC(2026, 0, 5)
const at = (minute: number) => new Date(MONDAY + minute * 60_000)
const WATCH_FROM = rules.HISTORY_DAYS * DAY_MINUTES
const DAYS = rules.HISTORY_DAYS + 30

interface Month {
  lived: Uint8Array
  hours: rules.HourCount[]
  ratesOn: (minute: number) => number[] | null
}

function buildMonth(size: number, seed: number): Month {
  const random = createRandom(size * 1_000 + seed)
  const lived = drawTraffic(random, createTrafficShop(random, size), DAYS)
  const hours = Array.from({ length: DAYS * 24 }, (_, hour) => ({
    hour: at(hour * 60),
    minutes: lived.subarray(hour * 60, hour * 60 + 60).reduce((sum, each) => sum + each, 0),
  }))
  const known = new Map<number, number[] | null>()
  return {
    lived,
    hours,
    ratesOn(minute) {
      const day = Math.floor(minute / DAY_MINUTES)
      if (!known.has(day)) {
        const past = { since: at(0), until: at(day * DAY_MINUTES), zone: 'UTC' }
        known.set(day, rules.computeExpectedRates(hours.slice(0, day * 24), past))
      }
      return known.get(day)!
    },
  }
}

/** How surprising it is that after `last` nothing was heard until `now`. */
function surprise(month: Month, last: number, now: number): number {
  const rates = month.ratesOn(last)
  if (!rates) return 0
  const hour = Math.floor(last / 60)
  const minutes = month.lived.subarray(hour * 60, last + 1).reduce((sum, each) => sum + each, 0)
  const recent = [...month.hours.slice(Math.max(0, hour - 24), hour), { hour: at(hour * 60), minutes }]
  return rules.captureSurprise({ rates, from: at(last), now: at(now), offsetMs: 0, recent })
}

/** The greatest surprise of a month in which nothing was wrong. */
function findWorst(month: Month): number {
  let worst = 0
  let last = month.lived.indexOf(1, WATCH_FROM)
  for (let minute = last + 1; minute < month.lived.length; minute++) {
    if (!month.lived[minute]) continue
    if (minute - last > 5) worst = Math.max(worst, surprise(month, last, minute))
    last = minute
  }
  return worst
}

/** Minutes from a stop until the silence is surprising enough, after a week at most. */
function minutesToNotice(month: Month, stop: number): number {
  const last = month.lived.lastIndexOf(1, stop)
  for (let after = 1; after < 7 * DAY_MINUTES; after++) {
    if (surprise(month, last, stop + after) >= rules.SURPRISE_LIMIT) return after
  }
  return Number.POSITIVE_INFINITY
}

const shops = SIZES.flatMap((size) => Array.from({ length: SHOPS }, (_, seed) => ({ size, seed })))

test.each(shops)('thirty days and nights of a shop with $size visits a day raise none (seed $seed)', ({
  size,
  seed,
}) => {
  expect(findWorst(buildMonth(size, seed))).toBeLessThan(rules.SURPRISE_LIMIT)
})

/** Thursday noon of the second week that is watched. */
const NOON = WATCH_FROM + (7 + 3) * DAY_MINUTES + 12 * 60

test.each([
  // The alarm needs about 20 missing visits of an ordinary hour.
  [10_000, 13],
  [3_000, 25],
  [1_000, 90],
  [300, 8 * 60],
])(
  'a script that stops at noon in a shop with %d visits a day is noticed within %d minutes',
  (size, limit) => {
    const noticed = Array.from({ length: SHOPS * 2 }, (_, seed) =>
      minutesToNotice(buildMonth(size, seed), NOON + seed * 7),
    )
    const middle = noticed.sort((a, b) => a - b)[SHOPS]!
    expect(middle).toBeLessThanOrEqual(limit)
  },
  60_000,
)

test('a stop in an hour with activity in every minute is noticed within 15 minutes', () => {
  const rates = Array.from({ length: 168 }, () => 60)
  const recent = Array.from({ length: 25 }, (_, n) => ({ hour: at(n * 60), minutes: 60 }))
  const now = (minutes: number) =>
    rules.captureSurprise({ rates, from: at(1_440), now: at(1_440 + minutes), offsetMs: 0, recent })
  expect(now(5)).toBeLessThan(rules.SURPRISE_LIMIT)
  // Two looks have to agree, and a look may come a minute late.
  expect(now(12)).toBeGreaterThanOrEqual(rules.SURPRISE_LIMIT)
})

test('surprise grows with silence, and is lower on a quiet day', () => {
  const random = createRandom(7)
  for (let round = 0; round < 200; round++) {
    const rates = Array.from({ length: 168 }, () => random() * 60)
    const from = at(Math.floor(random() * 20_000))
    const recent = Array.from({ length: 25 }, (_, n) => ({
      hour: new Date(Math.floor(from.getTime() / rules.HOUR_MS - n) * rules.HOUR_MS),
      minutes: Math.floor(random() * 60),
    }))
    const of = (minutes: number, hours = recent) =>
      rules.captureSurprise({
        rates,
        from,
        now: new Date(from.getTime() + minutes * 60_000),
        offsetMs: 0,
        recent: hours,
      })
    expect(of(60)).toBeGreaterThanOrEqual(of(30))
    expect(
      of(
        60,
        recent.map((each) => ({ ...each, minutes: each.minutes / 4 })),
      ),
    ).toBeLessThanOrEqual(of(60) + 1e-9)
  }
})

test('no rates are expected of a store watched for less than a week or with little activity', () => {
  const hours = Array.from({ length: 24 * 28 }, (_, n) => ({ hour: at(n * 60), minutes: 60 }))
  const until = at(28 * DAY_MINUTES)
  expect(rules.computeExpectedRates(hours, { since: at(22 * DAY_MINUTES), until, zone: 'UTC' })).toBeNull()
  expect(rules.computeExpectedRates([{ hour: at(0), minutes: 59 }], { since: at(0), until, zone: 'UTC' })).toBeNull()
  expect(rules.computeExpectedRates(hours, { since: at(0), until, zone: 'UTC' })?.every((rate) => rate === 60)).toBe(
    true,
  )
})

test('hours follow the store’s time zone', () => {
  const newYear = new Date('2026-01-05T03:00:00Z') // Monday three o'clock in Greenwich, still Sunday in New York
  expect(rules.getHourOfWeek(newYear, rules.getZoneOffsetMs('UTC', newYear))).toBe(3)
  expect(rules.getHourOfWeek(newYear, rules.getZoneOffsetMs('America/New_York', newYear))).toBe(6 * 24 + 22)
  expect(rules.getZoneOffsetMs('+02:00', newYear)).toBe(2 * rules.HOUR_MS)
  expect(rules.getZoneOffsetMs('Atlantis/Capital', newYear)).toBe(0)
})

test('missing delivery reports count only for a channel that used to have them', () => {
  expect(rules.areReportsStopped({ sent: 100, reported: 95, awaited: 9 })).toBe(true)
  expect(rules.areReportsStopped({ sent: 100, reported: 95, awaited: 3 })).toBe(false)
  expect(rules.areReportsStopped({ sent: 100, reported: 60, awaited: 9 })).toBe(false)
  expect(rules.areReportsStopped({ sent: 100, reported: 0, awaited: 100 })).toBe(false)
})

test('the operator is alerted for our own stages, and for stores only when half of them are silent', () => {
  expect(rules.isOperatorsConcern([{ stage: 'sync', stores: 1 }], 1)).toBe(true)
  expect(rules.isOperatorsConcern([{ stage: 'sync', stores: 3 }], 1_000)).toBe(false)
  expect(rules.isOperatorsConcern([{ stage: 'sync', stores: 500 }], 1_000)).toBe(true)
  expect(rules.isOperatorsConcern([{ stage: 'sending', stores: 1 }], 1_000)).toBe(true)
  expect(rules.isOperatorsConcern([], 0)).toBe(false)
})

test('raises no alarm before the end of the expected silence, regardless of the hours before', () => {
  for (const [seed, size] of [20, 300, 3_000].entries()) {
    const month = buildMonth(size, seed)
    let last = month.lived.indexOf(1, WATCH_FROM)
    for (let minute = last; minute < month.lived.length; minute += 37) {
      last = month.lived.lastIndexOf(1, minute)
      const rates = month.ratesOn(last)
      if (!rates) continue
      const until = rules.findQuietEnd({ rates, from: at(last), now: at(minute), offsetMs: 0 })
      if (until > at(minute)) {
        const end = Math.floor((until.getTime() - MONDAY) / 60_000)
        expect(surprise(month, last, end)).toBeLessThan(rules.SURPRISE_LIMIT)
      }
    }
  }
})
