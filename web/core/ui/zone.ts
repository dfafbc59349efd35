// Converts between instants and local times of a zone (`2026-11-30T09:00`). Pure.

/** The zone, or UTC if the browser does not know it. */
export function toKnownZone(zone: string): string {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: zone })
    return zone
  } catch {
    return 'UTC'
  }
}

/** Value of a `datetime-local` input for this instant. */
export function toLocal(instant: string | number, zone: string): string {
  const ms = new Date(instant).getTime()
  return new Date(ms + computeOffsetMs(ms, zone)).toISOString().slice(0, 16)
}

/**
 * Instant of a local time; null if invalid. An ambiguous hour gives the first instant; a skipped time moves forward, as
 * in `Temporal`.
 */
export function toInstant(local: string, zone: string): string | null {
  const wallMs = Date.parse(`${local}Z`)
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(local) || Number.isNaN(wallMs)) return null
  const [before, after] = [computeOffsetMs(wallMs - DAY_MS, zone), computeOffsetMs(wallMs + DAY_MS, zone)]
  const isValidOffset = (offset: number) => computeOffsetMs(wallMs - offset, zone) === offset
  const offset = isValidOffset(before) || !isValidOffset(after) ? before : after
  return new Date(wallMs - offset).toISOString()
}

/** The same local time a number of days later, across clock changes. */
export function addDays(local: string, days: number): string {
  return new Date(Date.parse(`${local}Z`) + days * DAY_MS).toISOString().slice(0, 16)
}

const DAY_MS = 86_400_000
const clocks = new Map<string, Intl.DateTimeFormat>()

/** The zone's UTC offset at that instant. */
function computeOffsetMs(ms: number, zone: string): number {
  const parts = Object.fromEntries(
    getClockFormat(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1_000) * 1_000
}

function getClockFormat(zone: string): Intl.DateTimeFormat {
  const cached = clocks.get(zone)
  if (cached) return cached
  const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric' } as const
  const clock = new Intl.DateTimeFormat('en-US', {
    ...numeric,
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
    timeZone: zone,
  })
  clocks.set(zone, clock)
  return clock
}
