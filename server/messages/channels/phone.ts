import { parsePhoneNumberFromString } from 'libphonenumber-js/max'

// Facts about a phone number without a look-up. The full metadata also contain the line type. Pure.

/** The country of an E.164 number; null when unknown, as for satellite phones. */
export const findPhoneCountry = (phone: string): string | null => parsePhoneNumberFromString(phone)?.country ?? null

const TAKES_TEXTS = ['MOBILE', 'FIXED_LINE_OR_MOBILE']
/** The 1 that mobile numbers of Mexico had until 2019, and that many still write. */
const OLD_MEXICAN = /^\+521(?=\d{10}$)/
/** Numbers with a mobile format that belong to machines (the Netherlands) or satellite phones (Indonesia). */
const NON_PERSONAL = /^\+(?:3197|62868)/

/** The country of a number that receives texts; null for landlines, premium, toll-free and satellite numbers. */
export function findTextCountry(phone: string): string | null {
  if (NON_PERSONAL.test(phone)) return null
  const number = parsePhoneNumberFromString(phone.replace(OLD_MEXICAN, '+52'))
  return number?.country && TAKES_TEXTS.includes(number.getType() ?? '') ? number.country : null
}

/**
 * Global networks such as Iridium (+881) have no country, so that the rule of a country named by a page would apply.
 */
export function isSatelliteOrPremium(phone: string): boolean {
  const number = parsePhoneNumberFromString(phone)
  return number !== undefined && (number.isNonGeographic() || number.getType() === 'PREMIUM_RATE')
}

const GERMAN = ['DE', 'AT', 'CH', 'LI']

/** Countries where default texts are in German. */
export const isGermanSpeaking = (country: string | null): boolean => country !== null && GERMAN.includes(country)
