import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js'

// One spelling per person. Shops accept almost anything as an email (WooCommerce's draft stores "nope" with status 200), so what is
// not deliverable as written becomes null here and never reaches a channel.

const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/

/** Carriers in Japan gave out addresses with dots side by side and before the @. */
const DOTTED_LOCAL_PART = /^[a-z0-9][a-z0-9._-]*$/
const DOTTED_DOMAINS = new Set(['docomo.ne.jp', 'ezweb.ne.jp', 'au.com'])

/**
 * Trimmed and lower-case, the domain as ASCII (IDNA), without what was plainly typed or pasted along: brackets with or without a name before
 * them, signs at its ends, marks nobody sees. null when it is no address one could send to.
 */
export function normalizeEmail(input: unknown): string | null {
  if (typeof input !== 'string' || input.length > 1_000) return null
  const text = bareAddress(input.toLowerCase())
  if (text.length > 254) return null
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at)
  if (at < 1 || local.length > 64) return null
  const domain = asciiDomain(text.slice(at + 1))
  if (!domain || domain.length > 253) return null
  const isLocalPart = LOCAL_PART.test(local) || (DOTTED_DOMAINS.has(domain) && DOTTED_LOCAL_PART.test(local))
  return isLocalPart ? `${local}@${domain}` : null
}

function bareAddress(text: string): string {
  const visible = text.replace(/[\p{Cf}\p{Cc}]/gu, ' ').trim()
  const inBrackets = /^[^<>@]{0,200}<([^<>\s]+)>[.,;]?$/.exec(visible)?.[1] ?? visible
  const begun = inBrackets.replace(/^(?:mailto:|[<("'[,;:\s])+/, '')
  // Bounded: a thousand characters.
  return begun.replace(/[>)"'\],;:.!\s]+$/, '')
}

/** Of a field of a shop or a file, where somebody may have written two: the first one. */
export const firstEmail = (input: unknown): string | null => allEmails(input)[0] ?? null

export function allEmails(input: unknown): string[] {
  const whole = normalizeEmail(input)
  if (whole !== null || typeof input !== 'string') return whole === null ? [] : [whole]
  const parts = input.slice(0, 1_000).split(/[\s,;/|]+/)
  return [...new Set(parts.map(normalizeEmail).filter((address) => address !== null))]
}

/** The same for numbers, in which a space or a slash separates nothing. */
export function allPhones(input: unknown, country: string | null): string[] {
  if (typeof input !== 'string') return []
  const parts = input.slice(0, 1_000).split(/[,;|\n]+| \/ /)
  return [...new Set(parts.map((part) => normalizePhone(part.trim(), country)).filter((number) => number !== null))]
}

/** Many still write the 1 that Mexican mobile numbers had then; it is the same phone, called without it. */
const MEXICAN_MOBILE_UNTIL_2019 = /^\+521(\d{10})$/

/** E.164. `country` (alpha-2) reads national numbers; null when the number is not valid there. */
export function normalizePhone(input: unknown, country: string | null): string | null {
  if (typeof input !== 'string' || input.length > 40) return null
  const region = country?.toUpperCase()
  const defaultCountry = region && isSupportedCountry(region) ? (region as CountryCode) : undefined
  const number = parsePhoneNumberFromString(input, { ...(defaultCountry ? { defaultCountry } : {}), extract: false })
  if (number?.isValid()) return number.number
  const old = number?.number.match(MEXICAN_MOBILE_UNTIL_2019)
  return old ? normalizePhone(`+52${old[1]}`, null) : null
}

function asciiDomain(domain: string): string | null {
  if (DOMAIN.test(domain)) return domain
  // Only letters beyond ASCII are worth a URL parse; it would also accept ports, paths and numeric hosts.
  if (!/^[\p{L}\p{N}.-]+$/u.test(domain) || !URL.canParse(`http://${domain}`)) return null
  const ascii = new URL(`http://${domain}`).hostname
  return DOMAIN.test(ascii) ? ascii : null
}
