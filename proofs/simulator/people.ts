// The three people of a scenario, and facts about their countries. They are written independently, so that the engine
// is not checked against its own data.

export type Country = 'US' | 'DE' | 'GB' | 'MX' | 'AU'

export interface Person {
  email: string
  /** The phone's number as the person and the owner type it. */
  typedPhone: string
  /** E.164: the number that is called first, then another number that the same phone answers from, if any. */
  phones: readonly string[]
  customerId: string
  country: Country
}

const NAMES = ['ada', 'grace', 'mary'] as const
const PHONES: Record<Country, readonly (readonly string[])[]> = {
  // Area codes of Washington, San Francisco and Honolulu.
  US: [['+12025550101'], ['+14155550102'], ['+18085550103']],
  DE: [['+4915112345601'], ['+4915112345602'], ['+4915112345603']],
  GB: [['+447400123451'], ['+447400123452'], ['+447400123453']],
  // Many Mexicans write the former mobile prefix 1, and WhatsApp uses it in their ids.
  MX: [
    ['+525512345671', '+5215512345671'],
    ['+525512345672', '+5215512345672'],
    ['+525512345673', '+5215512345673'],
  ],
  AU: [['+61412345671'], ['+61412345672'], ['+61412345673']],
}

export const createPeople = (countries: readonly Country[]): Person[] =>
  NAMES.map((name, index) => {
    const country = countries[index]!
    const phones = PHONES[country][index]!
    const typedPhone = phones.at(-1)!
    return { email: `${name}@shoppers.example`, typedPhone, phones, customerId: String(71 + index), country }
  })

/** People who abandon a cart early and buy nothing, for scenarios with campaigns: in the US, each with a browser. */
export const LEAVERS: readonly Person[] = ['rosa', 'lise', 'emmy', 'ida'].map((name, index) => {
  const phone = `+1202555011${index}`
  return {
    email: `${name}@shoppers.example`,
    typedPhone: phone,
    phones: [phone],
    customerId: String(81 + index),
    country: 'US',
  }
})

const PREFIXES: [string, Country][] = [
  ['+1', 'US'],
  ['+49', 'DE'],
  ['+44', 'GB'],
  ['+52', 'MX'],
  ['+61', 'AU'],
]

export const findPhoneCountry = (phone: string | null): Country | null =>
  PREFIXES.find(([prefix]) => phone?.startsWith(prefix))?.[1] ?? null

/** Returns every number of the same phone. */
export const listNumbers = (address: string): readonly string[] =>
  Object.values(PHONES)
    .flat()
    .find((phones) => phones.includes(address)) ?? [address]

/** Time zones of a country's people, one for each offset. */
const ZONES: Record<Country, readonly string[]> = {
  US: [
    'America/New_York',
    'America/Chicago',
    'America/Denver',
    'America/Los_Angeles',
    'America/Anchorage',
    'Pacific/Honolulu',
  ],
  DE: ['Europe/Berlin'],
  GB: ['Europe/London'],
  MX: ['America/Mexico_City', 'America/Cancun', 'America/Tijuana'],
  AU: ['Australia/Sydney', 'Australia/Perth', 'Australia/Darwin'],
}

const US_PLACES: Record<string, string> = {
  '+1202': 'America/New_York',
  '+1415': 'America/Los_Angeles',
  '+1808': 'Pacific/Honolulu',
  NY: 'America/New_York',
  HI: 'Pacific/Honolulu',
}

export interface Home {
  country: string | null
  /** Of an address in the US. */
  state: string | null
  phone: string
}

/** Zones in the US by area code and state, or by both if they differ. */
function listZones({ country, state, phone }: Home): readonly string[] {
  const known = [US_PLACES[phone.slice(0, 5)], US_PLACES[state ?? '']].filter((zone) => zone !== undefined)
  if (country === 'US' && known.length > 0) return known
  return ZONES[country as Country] ?? ['America/New_York']
}

const clocks = new Map<string, Intl.DateTimeFormat>()

/** 21:00 to 08:00 in one of the zones they may live in; without a country in the store's. */
export function isNight(atMs: number, home: Home): boolean {
  const zones = listZones(home)
  return zones.some((zone) => {
    const clock =
      clocks.get(zone) ?? new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', hourCycle: 'h23' })
    clocks.set(zone, clock)
    const hour = Number(clock.format(atMs))
    return hour >= 21 || hour < 8
  })
}

/** Millionths of a dollar for each segment. */
const PRICES: Record<Country, number> = { US: 8_000, DE: 100_000, GB: 50_000, MX: 40_000, AU: 60_000 }

export const findPrice = (phone: string): number => PRICES[findPhoneCountry(phone) ?? 'DE']

/** The price of all segments. */
export const findSmsPrice = (phone: string, text: string): number => Math.ceil(text.length / 153) * findPrice(phone)
