import { formatMinuteOfDay } from '../../../shared/access/store-settings.ts'
import { findQuietEnd, listZones, type Place } from '../../core/common/public.ts'

// Quiet hours of a recipient (T2). Pure.

export interface QuietSettings {
  /** Minutes of the recipient's day. */
  fromMinute: number
  untilMinute: number
  timeZone: string
}

export interface QuietFinding {
  /** End of the quiet hours in all possible zones; null: no quiet hours now. */
  until: Date | null
  /** Whose time zones were used. */
  zones: 'recipient' | 'store'
}

/**
 * The recipient's quiet hours at an instant. In a country with several zones it is quiet while one of them has quiet
 * hours. In the United States, state and area code narrow the zones. Without a country the store's zone decides.
 */
export function findQuietHours(now: Date, place: Place, store: QuietSettings): QuietFinding {
  const countryZones = listZones(place)
  const zones = countryZones.length > 0 ? countryZones : [store.timeZone]
  const hours = { from: formatMinuteOfDay(store.fromMinute), to: formatMinuteOfDay(store.untilMinute) }
  const findEnd = (at: Date): Date | null => {
    const ends = zones.flatMap((zone) => {
      const end = findQuietEnd(Temporal.Instant.fromEpochMilliseconds(at.getTime()), zone, hours)
      return end ? [end.epochMilliseconds] : []
    })
    return ends.length > 0 ? new Date(Math.max(...ends)) : null
  }
  // When quiet hours end in the east, they may go on in the west.
  let until = findEnd(now)
  for (let hops = 0; until && hops < 24; hops++) {
    const next = findEnd(until)
    if (!next) break
    until = next
  }
  return { until, zones: countryZones.length > 0 ? 'recipient' : 'store' }
}

/** Messages held until the same morning are spread over this time. */
const SPREAD_MS = 20 * 60_000

/** Returns the message's delay in ms; stable per message, so that a new decision does not move it. */
export function computeSpread(messageId: string): number {
  return (Number.parseInt(messageId.replaceAll('-', '').slice(-8), 16) / 0xffff_ffff) * SPREAD_MS
}
