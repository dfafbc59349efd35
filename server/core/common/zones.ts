import { listUsZones } from './us-zones.ts'

// The possible time zones of a person. Pure.

/** A person's known location: alpha-2 country, two-letter US state, E.164 phone. */
export interface Place {
  country: string | null
  state?: string | null
  phone?: string | null
}

/** All possible zones; empty when no country is known. */
export const listZones = ({ country, state, phone }: Place): string[] =>
  country === null ? [] : ((country === 'US' ? listUsZones(state, phone) : null) ?? listInhabitedZones(country))

/**
 * The zone to use where one is needed: the store's if it is possible or nothing is known, else the first possible one.
 */
export function chooseZone(place: Place, storeZone: string): string {
  const zones = listZones(place)
  const storeOffsets = zoneOffsets(storeZone)
  return zones.length === 0 || zones.some((zone) => zoneOffsets(zone) === storeOffsets) ? storeZone : zones[0]!
}

const zonesByCountry = new Map<string, string[]>()

/** A country's inhabited zones, one per distinct clock, without research stations. */
function listInhabitedZones(country: string): string[] {
  const known = zonesByCountry.get(country)
  if (known) return known
  const zones = /^[A-Z]{2}$/.test(country) ? localeZones(country).filter((zone) => !zone.startsWith('Antarctica/')) : []
  const byClock = new Map(zones.map((zone) => [zoneOffsets(zone), zone]))
  zonesByCountry.set(country, [...byClock.values()])
  return zonesByCountry.get(country)!
}

/** Older runtimes have a property instead of `getTimeZones`. */
function localeZones(country: string): string[] {
  const locale = new Intl.Locale(`und-${country}`) as Intl.Locale & {
    getTimeZones?: () => string[] | undefined
    timeZones?: string[]
  }
  return locale.getTimeZones?.() ?? locale.timeZones ?? []
}

/** A zone's offsets in winter and summer of a recent year. */
function zoneOffsets(zone: string): string {
  const offsets = ['2026-01-15T12:00:00Z', '2026-07-15T12:00:00Z'].map(
    (text) => Temporal.Instant.from(text).toZonedDateTimeISO(zone).offset,
  )
  return offsets.join(' ')
}
