import { usZones } from './us-zones.ts'

// In which time zones somebody may be. Pure.

/** Where somebody is, as far as known: alpha-2, a US state's two letters, E.164. */
export interface Place {
  country: string | null
  state?: string | null
  phone?: string | null
}

/** All they may live in; none where no country is known. */
export const zonesAt = ({ country, state, phone }: Place): string[] =>
  country === null ? [] : ((country === 'US' ? usZones(state, phone) : null) ?? zonesOf(country))

/** The one whose clock is read where one is needed: the store's, where they may live in it or nothing is known, else the first they may live in. */
export function zoneAt(place: Place, storeZone: string): string {
  const zones = zonesAt(place)
  const ofStore = clockOf(storeZone)
  return zones.length === 0 || zones.some((zone) => clockOf(zone) === ofStore) ? storeZone : zones[0]!
}

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
