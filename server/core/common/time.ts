// Wall-clock intent and instants (T2, T3). Pure; zones are IANA names or fixed offsets such as `+02:00`.

/**
 * The instant a wall clock in a zone shows this date and time. A time that a clock change leaves out: the first valid minute
 * after it. A time that comes twice: the first. Throws a RangeError for a zone that does not exist.
 */
export function instantOf(wallClock: Temporal.PlainDateTime, zone: string): Temporal.Instant {
  const earlier = wallClock.toZonedDateTime(zone, { disambiguation: 'earlier' })
  if (earlier.toPlainDateTime().equals(wallClock)) return earlier.toInstant()
  // In a gap `earlier` lies before the change; what follows it is the change itself.
  const change = earlier.getTimeZoneTransition('next')
  return (change ?? wallClock.toZonedDateTime(zone, { disambiguation: 'later' })).toInstant()
}

/** Wall-clock bounds of the hours in which nobody is disturbed, e.g. 21:00 to 08:00; equal bounds: never quiet. */
export interface QuietHours {
  from: string
  to: string
}

/** When quiet hours end that hold at this instant; null when none do. Elapsed time knows nothing of them. */
export function quietUntil(now: Temporal.Instant, zone: string, hours: QuietHours): Temporal.Instant | null {
  const from = Temporal.PlainTime.from(hours.from)
  const to = Temporal.PlainTime.from(hours.to)
  if (from.equals(to)) return null
  const here = now.toZonedDateTimeISO(zone)
  const today = here.toPlainDate()
  const isOverMidnight = Temporal.PlainTime.compare(from, to) > 0
  const nights = isOverMidnight ? [today.subtract({ days: 1 }), today] : [today]
  for (const night of nights) {
    const start = instantOf(night.toPlainDateTime(from), zone)
    const end = instantOf((isOverMidnight ? night.add({ days: 1 }) : night).toPlainDateTime(to), zone)
    const isInside = Temporal.Instant.compare(now, start) >= 0 && Temporal.Instant.compare(now, end) < 0
    if (isInside) return end
  }
  return null
}

/** A zone nobody knows counts as UTC. */
export function zoneOf(zone: string): string {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone)
    return zone
  } catch {
    return 'UTC'
  }
}
