import type { Stage } from '../../../shared/insights/stages.ts'

// Rules of the silent-stop alarm: when silence is no longer chance. Pure: no clock, no database.

const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const WEEK_HOURS = 168

/** After a longer gap between two checks, the time between counts as unwatched. */
export const WATCH_GAP_MS = 5 * MINUTE_MS
/** Grace period after a gap (a start, an unreachable database), in which everything may catch up. */
export const SETTLE_MS = 5 * MINUTE_MS
/** Two checks have to agree: a single one may fall between the insert of a row and the tick that takes it. */
const CONFIRM_MS = 50_000

/** Sweeps are due every 15 minutes, and a failed one again after 5. */
export const SYNC_LIMIT_MS = 30 * MINUTE_MS
/** A run with a valid lease after this time is reading pages, since only pages renew the lease. */
const RUN_IS_READING_MS = 2 * MINUTE_MS
/** Detection runs every second. */
export const DETECTION_LIMIT_MS = 5 * MINUTE_MS
/** Sending runs every second; an order check of a slow store takes up to 20 seconds. */
export const SENDING_LIMIT_MS = 10 * MINUTE_MS
const SENDING_CONFIRM_MS = 150_000
const MAIL_SERVER_CONFIRM_MS = 8 * MINUTE_MS
/** One deferred message (greylisting) is not a sign of a broken server; several are. */
const MIN_PUT_OFF = 3

/**
 * Surprise (negative natural logarithm of the probability) at which silence counts as a stop: 2 in a million per
 * silence. With the allowance of `captureSurprise` for quiet days, this is enough for a month of silences in a busy
 * store.
 */
export const SURPRISE_LIMIT = 13
/** A visit is active in about this many minutes. Minutes are not independent events, visits are. */
const MINUTES_PER_VISIT = 3
/** An hour with activity in every minute only gives a lower bound. */
const FULL_SHARE = 0.995
/** Certainty of a day's level before the day is observed: ± 1/√6, two fifths. */
const LEVEL_CERTAINTY = 6
/** Maximum certainty: ± 1/√20, because the night need not be like the evening. */
const MAX_CERTAINTY = 20
/** Half-life of observations in the current level. */
const LEVEL_HALF_LIFE_H = 2
export const LEVEL_REACH_H = 24

export const HISTORY_DAYS = 28
const MIN_HISTORY_DAYS = 7
const MIN_MINUTES = 60

/** Minimum number of messages before missing delivery reports count. */
const MIN_REPORTED = 20
const REPORTED_SHARE = 0.5
export const MIN_AWAITED = 8
/** Most reports come within a minute; a switched-off phone is not a stop. */
export const REPORT_LIMIT_MS = 10 * MINUTE_MS

export interface HourCount {
  hour: Date
  minutes: number
}

/** Hour of the store's week at an instant, Monday 0:00 local = 0. */
export function getHourOfWeek(at: Date, offsetMs: number): number {
  // 1970-01-05 was a Monday.
  const hours = Math.floor((at.getTime() + offsetMs - 4 * DAY_MS) / HOUR_MS)
  return ((hours % WEEK_HOURS) + WEEK_HOURS) % WEEK_HOURS
}

/** A zone's offset from UTC at an instant, in ms; an unknown zone counts as UTC. */
export function getZoneOffsetMs(zone: string, at: Date): number {
  try {
    return Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone).offsetNanoseconds / 1e6
  } catch {
    return 0
  }
}

/**
 * Expected active minutes per hour of the store's week, from the past four weeks. Uses the hour and its neighbours on a
 * weak day of the same kind (lower quartile of working days or of weekend days), capped by the average of that weekday.
 * Quiet hours count half, as nights differ. null: too little data.
 */
export function computeExpectedRates(
  hours: readonly HourCount[],
  past: { since: Date; until: Date; zone: string },
): number[] | null {
  const counts = countsByHour(hours, past)
  const total = counts.reduce((sum, { minutes }) => sum + minutes, 0)
  if (counts.length < MIN_HISTORY_DAYS * 24 || total < MIN_MINUTES) return null
  const rates = Array.from({ length: WEEK_HOURS }, (_, week) => {
    const near = counts.filter((each) => isBeside(each.week, week))
    return Math.min(weakDay(counts, week), near.reduce((sum, { minutes }) => sum + minutes, 0) / near.length)
  })
  // Activity starts and ends within an hour, so no hour is expected to be busier than its neighbours.
  const level = rates.map((rate, week) => Math.min(rates.at(week - 1)!, rate, rates[(week + 1) % WEEK_HOURS]!))
  const peak = expectVisits(Math.max(...level))
  return level.map((rate) => (expectVisits(rate) < peak / 2 ? rate / 2 : rate))
}

interface WeekCount {
  week: number
  minutes: number
}

/** Counts of every watched hour in the past, including silent ones. */
function countsByHour(hours: readonly HourCount[], past: { since: Date; until: Date; zone: string }): WeekCount[] {
  const from = Math.max(past.since.getTime(), past.until.getTime() - HISTORY_DAYS * DAY_MS)
  const first = Math.ceil(from / HOUR_MS)
  const last = Math.floor(past.until.getTime() / HOUR_MS)
  const known = new Map(hours.map(({ hour, minutes }) => [Math.floor(hour.getTime() / HOUR_MS), minutes]))
  let offsetMs = 0
  return Array.from({ length: Math.max(0, last - first) }, (_, n) => {
    const at = new Date((first + n) * HOUR_MS)
    // Once a day is enough, as clocks change twice a year.
    if (n % 24 === 0) offsetMs = getZoneOffsetMs(past.zone, at)
    return { week: getHourOfWeek(at, offsetMs), minutes: known.get(first + n) ?? 0 }
  })
}

/** Active minutes around an hour of the day, on a weak day of the same kind. */
function weakDay(counts: readonly WeekCount[], week: number): number {
  const around: number[] = []
  for (let n = 1; n < counts.length - 1; n++) {
    const each = counts[n]!
    if (each.week % 24 !== week % 24 || isWeekend(each.week) !== isWeekend(week)) continue
    around.push((counts[n - 1]!.minutes + each.minutes + counts[n + 1]!.minutes) / 3)
  }
  return around.sort((a, b) => a - b)[Math.floor((around.length - 1) / 4)] ?? 0
}

const isWeekend = (week: number) => week >= 5 * 24

function isBeside(one: number, other: number): boolean {
  const apart = Math.abs(one - other)
  return Math.min(apart, WEEK_HOURS - apart) <= 1
}

/** Converts active minutes of an hour to visits: the Poisson rate at which this share of minutes is not empty. */
export function expectVisits(minutes: number): number {
  return (-Math.log(1 - Math.min(minutes / 60, FULL_SHARE)) * 60) / MINUTES_PER_VISIT
}

/** Expected visits between two instants. */
export function computeExpectedVisits(rates: readonly number[], from: Date, until: Date, offsetMs: number): number {
  let sum = 0
  const end = until.getTime()
  for (let at = from.getTime(); at < end; ) {
    const next = Math.min((Math.floor(at / HOUR_MS) + 1) * HOUR_MS, end)
    sum += (expectVisits(rates[getHourOfWeek(new Date(at), offsetMs)]!) * (next - at)) / HOUR_MS
    at = next
  }
  return sum
}

/** Maximum of `findQuietEnd`, because rates, zone and excuses may change meanwhile. */
const LONGEST_QUIET_MS = HOUR_MS

/**
 * Returns until when a silence since `from` cannot be surprising: `captureSurprise` never exceeds the number of
 * expected visits. Later activity only moves this time back.
 */
export function findQuietEnd({ rates, from, now, offsetMs }: Omit<Silence, 'recent'>): Date {
  const soFar = computeExpectedVisits(rates, from, now, offsetMs)
  for (let ms = 0; ; ms += MINUTE_MS) {
    const next = new Date(now.getTime() + ms + MINUTE_MS)
    const isSurprising = soFar + computeExpectedVisits(rates, now, next, offsetMs) >= SURPRISE_LIMIT
    if (isSurprising || ms >= LONGEST_QUIET_MS) return new Date(now.getTime() + ms)
  }
}

export interface Silence {
  rates: readonly number[]
  from: Date
  now: Date
  offsetMs: number
  /** The hours before the silence, including the one in which it began. */
  recent: readonly HourCount[]
}

/**
 * Returns how surprising the silence is. The expected number fits an ordinary day, so the day's level has a gamma
 * distribution around 1, updated by the hours before. The probability of silence is (1 + expected · level / a)^-a. A
 * quiet start of a holiday makes later silences likely; a level above 1 is never assumed.
 */
export function captureSurprise({ rates, from, now, offsetMs, recent }: Silence): number {
  const expected = computeExpectedVisits(rates, from, now, offsetMs)
  const counts = new Map(recent.map(({ hour, minutes }) => [Math.floor(hour.getTime() / HOUR_MS), minutes]))
  const newest = Math.floor(from.getTime() / HOUR_MS)
  let shape = LEVEL_CERTAINTY
  let rate = LEVEL_CERTAINTY
  for (let back = 0; back < LEVEL_REACH_H; back++) {
    const start = new Date((newest - back) * HOUR_MS)
    const end = back === 0 ? from : new Date(start.getTime() + HOUR_MS)
    const weight = 0.5 ** (back / LEVEL_HALF_LIFE_H)
    const expectedThen = computeExpectedVisits(rates, start, end, offsetMs)
    // The current partial hour counts by its minutes so far.
    const visits =
      back === 0 ? (counts.get(newest) ?? 0) / MINUTES_PER_VISIT : expectVisits(counts.get(newest - back) ?? 0)
    shape += weight * visits
    rate += weight * expectedThen
  }
  // The level is at most 1, and its certainty at most MAX_CERTAINTY.
  const level = Math.min(shape / rate, 1)
  const certainty = Math.min(shape, MAX_CERTAINTY)
  return certainty * Math.log(1 + (expected * level) / certainty)
}

export interface SyncEvidence {
  connectedAt: Date
  completedAt: Date | null
  startedAt: Date | null
  leaseUntil: Date | null
}

export function isSyncStopped(sync: SyncEvidence, now: Date): boolean {
  // A time in the future was written before the clock was set back and proves nothing.
  const known = [sync.completedAt, sync.connectedAt].filter((at) => at !== null && at <= now) as Date[]
  if (known.some((at) => now.getTime() - at.getTime() <= SYNC_LIMIT_MS)) return false
  return !isReading(sync, now)
}

function isReading({ startedAt, leaseUntil }: SyncEvidence, now: Date): boolean {
  if (!startedAt || !leaseUntil || leaseUntil <= now) return false
  return now.getTime() - startedAt.getTime() > RUN_IS_READING_MS
}

export interface SendingEvidence {
  /** Rows due for more than SENDING_LIMIT_MS. */
  overdue: number
  overdueBefore: number
  /** Rows claimed by a process this minute. */
  claimed: number
  /** Rows deferred by the mail server, time of the first one, and the last reply. */
  retrying: number
  lastTriedAt: Date | null
  lastResponse: string | null
  lastAcceptedAt: Date | null
}

/** `rows`: no process works on due messages. `mail_server`: messages are sent, but the mail server accepts none. */
export function findSendingCause(evidence: SendingEvidence): 'rows' | 'mail_server' | null {
  if (evidence.overdue > 0 && evidence.claimed === 0 && evidence.overdue >= evidence.overdueBefore) return 'rows'
  if (evidence.retrying === 0 || !evidence.lastTriedAt) return null
  if (evidence.lastAcceptedAt && evidence.lastAcceptedAt > evidence.lastTriedAt) return null
  const isAnswer = /^4\d\d/.test(evidence.lastResponse ?? '')
  return isAnswer && evidence.retrying < MIN_PUT_OFF ? null : 'mail_server'
}

/** Messages of a channel with delivery reports: in the past weeks and since its newest report. */
export interface ReportEvidence {
  sent: number
  reported: number
  awaited: number
}

export function areReportsStopped({ sent, reported, awaited }: ReportEvidence): boolean {
  if (reported < MIN_REPORTED || reported < sent * REPORTED_SHARE) return false
  // The probability of one missing report is the usual share of missing ones.
  const missing = Math.max(1 - reported / sent, 0.05)
  return awaited >= MIN_AWAITED && -Math.log(missing) * awaited >= SURPRISE_LIMIT
}

/** How long a stage has to look stopped before it is reported, in ms. */
export function confirmMs(cause: string): number {
  if (cause === 'rows') return SENDING_CONFIRM_MS
  return cause === 'mail_server' ? MAIL_SERVER_CONFIRM_MS : CONFIRM_MS
}

/** Stages that often stop because of the store. */
const THEIRS: readonly Stage[] = ['capture', 'sync']

/**
 * Whether the operator is alerted: one of our own stages stopped anywhere, or a store-dependent stage stopped in half
 * of the stores. A single offline shop is reported to its owner only.
 */
export function isOperatorsConcern(open: readonly { stage: Stage; stores: number }[], storesWatched: number): boolean {
  return open.some(({ stage, stores }) => !THEIRS.includes(stage) || stores * 2 >= storesWatched)
}
