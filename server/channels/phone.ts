import { parsePhoneNumberFromString } from 'libphonenumber-js'

/** The country an E.164 number belongs to; null when it cannot be told. */
export const phoneCountry = (phone: string): string | null => parsePhoneNumberFromString(phone)?.country ?? null

const GERMAN = ['DE', 'AT', 'CH', 'LI']

/** Whom we write to in German where nobody has chosen words. */
export const isGermanSpeaking = (country: string | null): boolean => country !== null && GERMAN.includes(country)
