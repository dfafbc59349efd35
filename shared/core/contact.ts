import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js'

// Normalizes emails and phone numbers. Shops accept almost anything as an email (WooCommerce's draft stores "nope" with
// status 200), so undeliverable input becomes null and never reaches a channel.

const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/

/** Japanese carriers issued addresses with consecutive dots and with a dot before the @. */
const DOTTED_LOCAL_PART = /^[a-z0-9][a-z0-9._-]*$/
const DOTTED_DOMAINS = new Set(['docomo.ne.jp', 'ezweb.ne.jp', 'au.com'])

/**
 * Trims, lower-cases and converts the domain to ASCII (IDNA). Removes pasted extras: angle brackets with or without a
 * name, punctuation at the ends, invisible characters. null if the result is not deliverable.
 */
export function normalizeEmail(input: unknown): string | null {
  if (typeof input !== 'string' || input.length > 1_000) return null
  const text = extractAddress(input.toLowerCase())
  if (text.length > 254) return null
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at)
  if (at < 1 || local.length > 64) return null
  const domain = toAsciiDomain(text.slice(at + 1))
  if (!domain || domain.length > 253) return null
  const isLocalPart = LOCAL_PART.test(local) || (DOTTED_DOMAINS.has(domain) && DOTTED_LOCAL_PART.test(local))
  return isLocalPart ? `${local}@${domain}` : null
}

function extractAddress(text: string): string {
  const visible = text.replace(/[\p{Cf}\p{Cc}]/gu, ' ').trim()
  const inBrackets = /^[^<>@]{0,200}<([^<>\s]+)>[.,;]?$/.exec(visible)?.[1] ?? visible
  const opened = inBrackets.replace(/^(?:mailto:|[<("'[,;:\s])+/, '')
  // Bounded: the input has at most a thousand characters.
  return opened.replace(/[>)"'\],;:.!\s]+$/, '')
}

/** For a field of a shop or file that may contain two addresses: returns the first. */
export const findFirstEmail = (input: unknown): string | null => findEmails(input)[0] ?? null

export function findEmails(input: unknown): string[] {
  const whole = normalizeEmail(input)
  if (whole !== null || typeof input !== 'string') return whole === null ? [] : [whole]
  const parts = input.slice(0, 1_000).split(/[\s,;/|]+/)
  return [...new Set(parts.map(normalizeEmail).filter((address) => address !== null))]
}

/** The same for phone numbers, in which spaces and slashes do not separate. */
export function findPhones(input: unknown, country: string | null): string[] {
  if (typeof input !== 'string') return []
  const parts = input.slice(0, 1_000).split(/[,;|\n]+| \/ /)
  return [...new Set(parts.map((part) => normalizePhone(part.trim(), country)).filter((number) => number !== null))]
}

/**
 * Until 2019 Mexican mobile numbers had a 1 after +52, and many people still write it. The number is dialled without
 * it.
 */
const MEXICAN_MOBILE_UNTIL_2019 = /^\+521(\d{10})$/

/** E.164. `country` (alpha-2) interprets national numbers; null if the number is invalid there. */
export function normalizePhone(input: unknown, country: string | null): string | null {
  if (typeof input !== 'string' || input.length > 40) return null
  const region = country?.toUpperCase()
  const defaultCountry = region && isSupportedCountry(region) ? (region as CountryCode) : undefined
  const number = parsePhoneNumberFromString(input, { ...(defaultCountry ? { defaultCountry } : {}), extract: false })
  if (number?.isValid()) return number.number
  const old = number?.number.match(MEXICAN_MOBILE_UNTIL_2019)
  return old ? normalizePhone(`+52${old[1]}`, null) : null
}

function toAsciiDomain(domain: string): string | null {
  if (DOMAIN.test(domain)) return domain
  // Parses only domains with letters beyond ASCII: the URL parser would also accept ports, paths and numeric hosts.
  if (!/^[\p{L}\p{N}.-]+$/u.test(domain) || !URL.canParse(`http://${domain}`)) return null
  const ascii = new URL(`http://${domain}`).hostname
  return DOMAIN.test(ascii) ? ascii : null
}
