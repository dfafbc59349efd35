// The clocks of the history's store, written down here by hand: in 2026 New York goes from 2:00 to 3:00 on March 8, and from 2:00 back to
// 1:00 on November 1.

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const SPRING = Date.UTC(2026, 2, 8, 7)
const AUTUMN = Date.UTC(2026, 10, 1, 6)
const SUMMER_OFFSET_MS = -4 * HOUR_MS
const WINTER_OFFSET_MS = -5 * HOUR_MS

const offsetAt = (at: number) => (at >= SPRING && at < AUTUMN ? SUMMER_OFFSET_MS : WINTER_OFFSET_MS)

/** YYYY-MM-DD. */
export const dayAt = (at: number, later = 0): string =>
  new Date(at + offsetAt(at) + later * DAY_MS).toISOString().slice(0, 10)

/** T3: the first of two such times; where there is none, the first minute after. */
export function instantOf(day: string, time: string): number {
  const wall = Date.parse(`${day}T${time}:00Z`)
  for (const offset of [SUMMER_OFFSET_MS, WINTER_OFFSET_MS]) {
    if (offsetAt(wall - offset) === offset) return wall - offset
  }
  return SPRING
}

export interface Schedule {
  startDate: string
  timeOfDay: string
  frequency: 'once' | 'daily' | 'weekly'
}

/** The times of the runs up to `until`. */
export function slotsOf({ startDate, timeOfDay, frequency }: Schedule, until: number): number[] {
  const slots: number[] = []
  const days = { once: Number.POSITIVE_INFINITY, daily: 1, weekly: 7 }[frequency]
  for (let ahead = 0; ; ahead += days) {
    const day = new Date(Date.parse(startDate) + (ahead || 0) * DAY_MS)
    if (Number.isNaN(day.getTime())) return slots
    const at = instantOf(day.toISOString().slice(0, 10), timeOfDay)
    if (at > until) return slots
    slots.push(at)
  }
}
