import { timeOfMinute } from '../../../shared/store-settings.ts'
import { quietUntil } from '../../core/common/time.ts'
import { type Place, zonesAt } from '../../core/common/zones.ts'

// When somebody is not to be disturbed by a text (T2). Pure.

export interface QuietStore {
  /** Minutes of the recipient's day. */
  fromMinute: number
  untilMinute: number
  timeZone: string
}

export interface QuietFinding {
  /** When it ends, also where the recipient may be furthest west; null: nobody is disturbed now. */
  until: Date | null
  /** Whose clock was read. */
  zones: 'recipient' | 'store'
}

/**
 * The recipient's quiet hours at an instant. Of a country with several zones the recipient may live in any, so that it is quiet
 * while it is in one of them; in the United States the state and the number's area code say which it can be. Without a country the
 * store's zone decides.
 */
export function quietHours(now: Date, place: Place, store: QuietStore): QuietFinding {
  const ofCountry = zonesAt(place)
  const zones = ofCountry.length > 0 ? ofCountry : [store.timeZone]
  const hours = { from: timeOfMinute(store.fromMinute), to: timeOfMinute(store.untilMinute) }
  const step = (at: Date): Date | null => {
    const ends = zones.flatMap((zone) => {
      const end = quietUntil(Temporal.Instant.fromEpochMilliseconds(at.getTime()), zone, hours)
      return end ? [end.epochMilliseconds] : []
    })
    return ends.length > 0 ? new Date(Math.max(...ends)) : null
  }
  // Where it ends in the east, it may go on in the west: followed until it is over everywhere.
  let until = step(now)
  for (let hops = 0; until && hops < 24; hops++) {
    const next = step(until)
    if (!next) break
    until = next
  }
  return { until, zones: ofCountry.length > 0 ? 'recipient' : 'store' }
}

/** Messages that waited for the same morning are not all sent in its first second: a part of this many milliseconds each. */
const SPREAD_MS = 20 * 60_000

/** Always the same for a message, so that deciding again moves nothing. */
export function spreadOf(messageId: string): number {
  return (Number.parseInt(messageId.replaceAll('-', '').slice(-8), 16) / 0xffff_ffff) * SPREAD_MS
}
