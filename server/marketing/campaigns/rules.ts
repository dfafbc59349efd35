import type { CampaignSchedule, CampaignStatus } from '../../../shared/marketing/campaigns.ts'
import { toInstant, validZone } from '../../core/common/public.ts'
import type { CampaignsTable } from '../../core/schema/public.ts'

// Which steps each campaign status allows (B 4), and when campaigns run. Pure.

export type Step = 'play' | 'pause' | 'send_now' | 'send' | 'cancel' | 'delete' | 'edit'

/**
 * The status after a step; a missing entry rejects the step. The same status: nothing changes, as with a second click.
 */
const steps: Record<CampaignStatus, Partial<Record<Step, CampaignStatus>>> = {
  scheduled: {
    edit: 'scheduled',
    pause: 'paused',
    send_now: 'active',
    send: 'active',
    cancel: 'cancelled',
    play: 'scheduled',
  },
  paused: {
    edit: 'paused',
    play: 'scheduled',
    send_now: 'active',
    send: 'active',
    cancel: 'cancelled',
    pause: 'paused',
  },
  active: {
    edit: 'active',
    pause: 'paused',
    send_now: 'active',
    send: 'active',
    cancel: 'cancelled',
    delete: 'active',
    play: 'active',
  },
  // Play reopens an ended campaign for people who have not had it.
  completed: { edit: 'completed', play: 'scheduled', send: 'active', delete: 'completed' },
  sent: { edit: 'sent', play: 'scheduled', send: 'active', delete: 'sent', send_now: 'sent' },
  cancelled: { edit: 'cancelled', play: 'scheduled', send: 'active', delete: 'cancelled', cancel: 'cancelled' },
}

export const getStatusAfter = (status: CampaignStatus, step: Step): CampaignStatus | null => steps[status][step] ?? null

/** True if its runs begin and its messages are sent (D5). */
export const isRunning = ({ status }: { status: CampaignStatus }): boolean =>
  status === 'scheduled' || status === 'active'

export type RunTimes = Pick<CampaignSchedule, 'startDate' | 'timeOfDay' | 'frequency'>

export const getRunTimes = (row: Pick<CampaignsTable, 'start_date' | 'time_of_day' | 'frequency'>): RunTimes => ({
  startDate: row.start_date,
  timeOfDay: row.time_of_day,
  frequency: row.frequency,
})

/**
 * The first run, or the next one after `after`; null: there is none. The 31st becomes the last day of a short month
 * (decision 45, T3).
 */
export function findNextRun(
  { startDate, timeOfDay, frequency }: RunTimes,
  zone: string,
  after: Date | null,
): Date | null {
  const first = Temporal.PlainDateTime.from(`${startDate}T${timeOfDay}`)
  if (after === null) return toDate(first, zone)
  if (frequency === 'once') return null
  const from = Temporal.Instant.fromEpochMilliseconds(after.getTime())
    .toZonedDateTimeISO(validZone(zone))
    .toPlainDateTime()
  const unit = units[frequency]
  const passed = first.until(from, { largestUnit: unit })[unit]
  for (let count = Math.max(0, passed - 1); ; count++) {
    // Counts from the first date; otherwise the 31st would become the 28th for good.
    const at = toDate(first.add({ [unit]: count }), zone)
    if (at > after) return at
  }
}

const units = { daily: 'days', weekly: 'weeks', monthly: 'months' } as const

const toDate = (wallClock: Temporal.PlainDateTime, zone: string) =>
  new Date(toInstant(wallClock, validZone(zone)).epochMilliseconds)

/** The newest of the runs missed since `first`: missed runs are merged into one. */
export function findDueRun(times: RunTimes, zone: string, first: Date, now: Date): Date {
  for (let at = first; ; ) {
    const next = findNextRun(times, zone, at)
    if (next === null || next > now) return at
    at = next
  }
}

/** The next run after a change of schedule or time zone; null: none. `run` is the newest run that has begun. */
export function findNextRunAfterChange(run: number, times: RunTimes, zone: string, now: Date): Date | null {
  const first = findNextRun(times, zone, null)!
  return run === 0 || first > now ? first : findNextRun(times, zone, now)
}

/** The next run after Play: the next scheduled time, or now if there is none. */
export function runAgain(times: RunTimes, zone: string, now: Date): Date {
  const first = findNextRun(times, zone, null)!
  return first > now ? first : (findNextRun(times, zone, now) ?? now)
}

type PlayedCampaign = Pick<CampaignsTable, 'status' | 'start_date' | 'time_of_day' | 'frequency'> & {
  is_planned: boolean
  next_run_at: Date | null
}

/** True if Play leads to scheduled runs, not to an immediate run or the rest of one that has begun. */
export function isPlayedByTime(campaign: PlayedCampaign, zone: string, now: Date): boolean {
  const { status, is_planned, frequency, next_run_at } = campaign
  if (!is_planned || status === 'scheduled' || status === 'active') return false
  if (frequency !== 'once') return status !== 'paused' || next_run_at !== null
  return status === 'paused' ? next_run_at !== null : findNextRun(getRunTimes(campaign), zone, null)! > now
}

/** YYYY-MM-DD in the store's time zone. */
export const getToday = (zone: string, now: Date): string =>
  Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(validZone(zone)).toPlainDate().toString()

/** HH:MM in the store's time zone. */
export const getClock = (zone: string, now: Date): string =>
  Temporal.Instant.fromEpochMilliseconds(now.getTime())
    .toZonedDateTimeISO(validZone(zone))
    .toPlainTime()
    .toString()
    .slice(0, 5)

/** Bounce and complaint limits (decision 50). */
export const GUARD_LIMITS = {
  minAccepted: 200,
  bounces: { min: 10, share: 0.05 },
  complaints: { min: 3, share: 0.003 },
}
export type GuardLimits = typeof GUARD_LIMITS

/** The reason to pause a running campaign; null: none. */
export function findPauseCause(
  { accepted, bounced, complained }: { accepted: number; bounced: number; complained: number },
  { minAccepted, bounces, complaints }: GuardLimits = GUARD_LIMITS,
): 'bounces' | 'complaints' | null {
  if (accepted < minAccepted) return null
  if (bounced >= bounces.min && bounced / accepted > bounces.share) return 'bounces'
  return complained >= complaints.min && complained / accepted > complaints.share ? 'complaints' : null
}
