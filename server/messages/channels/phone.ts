import { parsePhoneNumberFromString } from 'libphonenumber-js/max'

// What a number tells by itself. The full metadata also say which kind of line it is. Pure.

/** The country an E.164 number belongs to; null when it cannot be told, as for satellite phones. */
export const phoneCountry = (phone: string): string | null => parsePhoneNumberFromString(phone)?.country ?? null

const TAKES_TEXTS = ['MOBILE', 'FIXED_LINE_OR_MOBILE']
/** The 1 that mobile numbers of Mexico had until 2019; many still write it. */
const OLD_MEXICAN = /^\+521(?=\d{10}$)/
/** Mobile numbers by their form, of machines (the Netherlands) and of satellite phones (Indonesia). */
const NO_PERSONS = /^\+(?:3197|62868)/

/** The country of a number that takes texts; null for landlines, premium, toll-free and satellite numbers, and those of no country. */
export function textCountry(phone: string): string | null {
  if (NO_PERSONS.test(phone)) return null
  const number = parsePhoneNumberFromString(phone.replace(OLD_MEXICAN, '+52'))
  return number?.country && TAKES_TEXTS.includes(number.getType() ?? '') ? number.country : null
}

/** Global networks such as Iridium (+881) have no country, so the rule of the country that a page names would apply. */
export function isSatelliteOrPremium(phone: string): boolean {
  const number = parsePhoneNumberFromString(phone)
  return number !== undefined && (number.isNonGeographic() || number.getType() === 'PREMIUM_RATE')
}

const GERMAN = ['DE', 'AT', 'CH', 'LI']

/** Whom we write to in German where nobody has chosen words. */
export const isGermanSpeaking = (country: string | null): boolean => country !== null && GERMAN.includes(country)
