import { parsePhoneNumberFromString } from 'libphonenumber-js'

/** The country an E.164 number belongs to; null when it cannot be told. */
export const phoneCountry = (phone: string): string | null => parsePhoneNumberFromString(phone)?.country ?? null
