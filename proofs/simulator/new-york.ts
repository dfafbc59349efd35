// The store's time zone, written independently of the engine: in 2026 New York skips from 2:00 to 3:00 on March 8, and
// goes from 2:00 back to 1:00 on November 1.

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const SPRING = Date.UTC(2026, 2, 8, 7)
const AUTUMN = Date.UTC(2026, 10, 1, 6)
const SUMMER_OFFSET_MS = -4 * HOUR_MS
const WINTER_OFFSET_MS = -5 * HOUR_MS

const findOffset = (at: number) => (at >= SPRING && at < AUTUMN ? SUMMER_OFFSET_MS : WINTER_OFFSET_MS)

/** YYYY-MM-DD. */
export const formatDay = (at: number, later = 0): string =>
  new Date(at + findOffset(at) + later * DAY_MS).toISOString().slice(0, 10)

/** T3: of two instants the first; of none, the first minute after the gap. */
export function findInstants(day: string, time: string): number {
  const wall = Date.parse(`${day}T${time}:00Z`)
  for (const offset of [SUMMER_OFFSET_MS, WINTER_OFFSET_MS]) {
    if (findOffset(wall - offset) === offset) return wall - offset
  }
  return SPRING
}

export interface Schedule {
  startDate: string
  timeOfDay: string
  frequency: 'once' | 'daily' | 'weekly' | 'monthly'
}

/** Times of runs up to `until`. */
export function listSlots({ startDate, timeOfDay, frequency }: Schedule, until: number): number[] {
  const slots: number[] = []
  for (let count = 0; ; count++) {
    const day = frequency === 'once' && count > 0 ? null : addPeriods(startDate, frequency, count)
    if (day === null) return slots
    const at = findInstants(day, timeOfDay)
    if (at > until) return slots
    slots.push(at)
  }
}

/** Adds days, weeks or months; a short month ends on its last day. */
function addPeriods(first: string, frequency: Schedule['frequency'], count: number): string {
  if (frequency !== 'monthly') {
    const days = count * (frequency === 'weekly' ? 7 : 1)
    return new Date(Date.parse(first) + days * DAY_MS).toISOString().slice(0, 10)
  }
  const [year, month, day] = first.split('-').map(Number) as [number, number, number]
  // The last day of the month.
  const last = new Date(Date.UTC(year, month + count, 0)).getUTCDate()
  return new Date(Date.UTC(year, month - 1 + count, Math.min(day, last))).toISOString().slice(0, 10)
}
