import { addDays, type Day, localTime } from '../../insights/analytics/days.ts'
import { instantOf, zoneOf } from '../../core/common/time.ts'

// When the report of a week goes out: Monday morning on the store's own clock (decision 100). Pure.

const HOUR = 8
/** After this it is left out: who has been told nothing for so long opens the screen. */
const LATEST_MS = 48 * 3_600_000

/** The Monday of the week that a store's calendar shows. */
export function mondayOf(now: Date, zone: string): Day {
  const today = localTime(now, zone).toPlainDate()
  return today.subtract({ days: today.dayOfWeek - 1 }).toString()
}

export function reportAt(monday: Day, zone: string): Date {
  const wallClock = Temporal.PlainDate.from(monday).toPlainDateTime({ hour: HOUR })
  return new Date(instantOf(wallClock, zoneOf(zone)).epochMilliseconds)
}

export function nextReportAt(now: Date, zone: string): Date {
  const monday = mondayOf(now, zone)
  const thisWeek = reportAt(monday, zone)
  return thisWeek > now ? thisWeek : reportAt(addDays(monday, 7), zone)
}

export const isInTime = (now: Date, at: Date): boolean => now >= at && now.getTime() - at.getTime() < LATEST_MS
