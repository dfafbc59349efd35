// The three people of a history, and what is written down here about where they live: by hand, so that it is not the engine's own
// answer that the engine is measured by.

export type Country = 'US' | 'DE' | 'GB' | 'MX' | 'AU'

export interface Person {
  email: string
  /** As the phone's number is typed, by themselves and by the owner. */
  typedPhone: string
  /** E.164: the number they are called at, then the other one the same phone answers from, where there is one. */
  phones: readonly string[]
  customerId: string
  country: Country
}

const NAMES = ['ada', 'grace', 'mary'] as const
const PHONES: Record<Country, readonly (readonly string[])[]> = {
  // Of Washington, San Francisco and Honolulu.
  US: [['+12025550101'], ['+14155550102'], ['+18085550103']],
  DE: [['+4915112345601'], ['+4915112345602'], ['+4915112345603']],
  GB: [['+447400123451'], ['+447400123452'], ['+447400123453']],
  // Many Mexicans write the 1 of old, and WhatsApp names them by it.
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

/** Who leaves a cart early and buys nothing, where there are campaigns: all in the US, each in a browser of their own. */
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

/** Every number the same phone has. */
export const listNumbers = (address: string): readonly string[] =>
  Object.values(PHONES)
    .flat()
    .find((phones) => phones.includes(address)) ?? [address]

/** Where the people of a country live; of each clock one. */
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

/** In the US where area code and state are, and where they differ in both. */
function zonesOf({ country, state, phone }: Home): readonly string[] {
  const known = [US_PLACES[phone.slice(0, 5)], US_PLACES[state ?? '']].filter((zone) => zone !== undefined)
  if (country === 'US' && known.length > 0) return known
  return ZONES[country as Country] ?? ['America/New_York']
}

const clocks = new Map<string, Intl.DateTimeFormat>()

/** 21:00 to 08:00 in one of the zones they may live in; without a country the store's. */
export function isNight(atMs: number, home: Home): boolean {
  const zones = zonesOf(home)
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

/** Of all its parts. */
export const findSmsPrice = (phone: string, words: string): number => Math.ceil(words.length / 153) * findPrice(phone)
