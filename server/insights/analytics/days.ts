import { validZone } from '../../core/common/public.ts'

// Days of a store's calendar. Pure: no clock, no database.

/** `2026-03-01` in the store's time zone. */
export type Day = string

/** [since, until) of one day. */
export interface DayBounds {
  day: Day
  since: Date
  until: Date
}

/** A day begins with the store's calendar day, also where clocks skip midnight. */
export function getDayBounds(day: Day, zone: string): DayBounds {
  const date = Temporal.PlainDate.from(day)
  const toDayStart = (each: Temporal.PlainDate) => toDate(each.toZonedDateTime(validZone(zone)))
  return { day, since: toDayStart(date), until: toDayStart(date.add({ days: 1 })) }
}

export const toDay = (at: Date, zone: string): Day => toLocalTime(at, zone).toPlainDate().toString()

export const addDays = (day: Day, days: number): Day => Temporal.PlainDate.from(day).add({ days }).toString()

export const toDate = (instant: Temporal.ZonedDateTime) => new Date(instant.epochMilliseconds)

export const toLocalTime = (now: Date, zone: string) =>
  Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(validZone(zone))
