import { toInstant, validZone } from '../../core/common/time.ts'
import { addDays, type Day, localTime } from '../../insights/analytics/days.ts'

// When a weekly report is sent: Monday morning in the store's time zone (decision 100). Pure.

const HOUR = 8
/** A later report is skipped, because its figures are outdated. */
const LATEST_MS = 48 * 3_600_000

/** The Monday of the current week in the store's calendar. */
export function mondayOf(now: Date, zone: string): Day {
  const today = localTime(now, zone).toPlainDate()
  return today.subtract({ days: today.dayOfWeek - 1 }).toString()
}

export function reportAt(monday: Day, zone: string): Date {
  const wallClock = Temporal.PlainDate.from(monday).toPlainDateTime({ hour: HOUR })
  return new Date(toInstant(wallClock, validZone(zone)).epochMilliseconds)
}

export function nextReportAt(now: Date, zone: string): Date {
  const monday = mondayOf(now, zone)
  const thisWeek = reportAt(monday, zone)
  return thisWeek > now ? thisWeek : reportAt(addDays(monday, 7), zone)
}

export const isInTime = (now: Date, at: Date): boolean => now >= at && now.getTime() - at.getTime() < LATEST_MS
