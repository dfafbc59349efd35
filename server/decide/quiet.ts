import { timeOfMinute } from '../../shared/store-settings.ts'
import { quietUntil } from '../core/time.ts'
import { usZones } from './us-zones.ts'

// When somebody is not to be disturbed by a text (T2). Pure.

export interface QuietStore {
  /** Minutes of the recipient's day. */
  fromMinute: number
  untilMinute: number
  timeZone: string
}

/** Where the recipient is, as far as known: alpha-2, a US state's two letters, E.164. */
export interface Place {
  country: string | null
  state?: string | null
  phone?: string | null
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
  const ofCountry = place.country ? zonesAt(place, place.country) : []
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

const zonesAt = ({ state, phone }: Place, country: string): string[] =>
  (country === 'US' ? usZones(state, phone) : null) ?? zonesOf(country)

const zonesByCountry = new Map<string, string[]>()

/** The zones people live in. Of two with the same clock one is enough, and what is only a station is nobody's home. */
function zonesOf(country: string): string[] {
  const known = zonesByCountry.get(country)
  if (known) return known
  const zones = /^[A-Z]{2}$/.test(country) ? localeZones(country).filter((zone) => !zone.startsWith('Antarctica/')) : []
  const byClock = new Map(zones.map((zone) => [clockOf(zone), zone]))
  zonesByCountry.set(country, [...byClock.values()])
  return zonesByCountry.get(country)!
}

/** `getTimeZones` is how it is called now; runtimes before it had a property. */
function localeZones(country: string): string[] {
  const locale = new Intl.Locale(`und-${country}`) as Intl.Locale & {
    getTimeZones?: () => string[] | undefined
    timeZones?: string[]
  }
  return locale.getTimeZones?.() ?? locale.timeZones ?? []
}

/** What a zone's clock shows in winter and in summer of a recent year. */
function clockOf(zone: string): string {
  const offsets = ['2026-01-15T12:00:00Z', '2026-07-15T12:00:00Z'].map(
    (text) => Temporal.Instant.from(text).toZonedDateTimeISO(zone).offset,
  )
  return offsets.join(' ')
}

/** Messages that waited for the same morning do not all leave in its first second: a part of this many milliseconds each. */
const SPREAD_MS = 20 * 60_000

/** Always the same for a message, so that deciding again moves nothing. */
export function spreadOf(messageId: string): number {
  return (Number.parseInt(messageId.replaceAll('-', '').slice(-8), 16) / 0xffff_ffff) * SPREAD_MS
}
