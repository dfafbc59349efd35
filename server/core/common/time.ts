// Converts wall-clock times and instants (T2, T3). Pure; zones are IANA names or fixed offsets such as `+02:00`.

/**
 * The instant at which a zone's wall clock shows this date and time. A skipped time becomes the first valid minute
 * after it; of a repeated time the first counts. Throws a RangeError for an unknown zone.
 */
export function toInstant(wallClock: Temporal.PlainDateTime, zone: string): Temporal.Instant {
  const earlier = wallClock.toZonedDateTime(zone, { disambiguation: 'earlier' })
  if (earlier.toPlainDateTime().equals(wallClock)) return earlier.toInstant()
  // In a gap `earlier` lies before the change, so its next transition is the change itself.
  const change = earlier.getTimeZoneTransition('next')
  return (change ?? wallClock.toZonedDateTime(zone, { disambiguation: 'later' })).toInstant()
}

/** Wall-clock bounds in which no messages are sent, e.g. 21:00 to 08:00. Equal bounds mean no quiet hours. */
export interface QuietHours {
  from: string
  to: string
}

/**
 * The end of the quiet hours at this instant, or null outside of them. Delays measured in elapsed time ignore quiet
 * hours.
 */
export function findQuietEnd(now: Temporal.Instant, zone: string, hours: QuietHours): Temporal.Instant | null {
  const from = Temporal.PlainTime.from(hours.from)
  const to = Temporal.PlainTime.from(hours.to)
  if (from.equals(to)) return null
  const here = now.toZonedDateTimeISO(zone)
  const today = here.toPlainDate()
  const isOverMidnight = Temporal.PlainTime.compare(from, to) > 0
  const nights = isOverMidnight ? [today.subtract({ days: 1 }), today] : [today]
  for (const night of nights) {
    const start = toInstant(night.toPlainDateTime(from), zone)
    const end = toInstant((isOverMidnight ? night.add({ days: 1 }) : night).toPlainDateTime(to), zone)
    const isInside = Temporal.Instant.compare(now, start) >= 0 && Temporal.Instant.compare(now, end) < 0
    if (isInside) return end
  }
  return null
}

/** Returns UTC for an unknown zone. */
export function validZone(zone: string): string {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone)
    return zone
  } catch {
    return 'UTC'
  }
}
