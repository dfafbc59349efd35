import { decode } from 'html-entities'
import { LinkifyIt } from 'linkify-it'
import tlds from 'tlds' with { type: 'json' }

// Mail programs turn text that looks like an address into a link. Names of people, shops and products must add no link
// to our messages. Pure.

const links = new LinkifyIt().set({ fuzzyLink: true, fuzzyEmail: true, fuzzyIP: true }).tlds(tlds)

/** Every address contains one of these characters. */
const SIGNS = /[.:@/\\\u3002\uff61]/
/** RFC 2047 encoded word. Mail programs decode it anywhere in a header. */
const ENCODED_WORD = /=\?[^?\s]+\?[bq]\?/i
/** Mail programs link these schemes regardless of the text after them. */
const WEB = /(?<![\p{L}\p{N}])www\d?\.[\p{L}\p{N}][^\s,;]*/giu

/**
 * Whether a mail program finds a web or email address in the text. `ownHosts`: the shop's own hosts, which its name may
 * contain.
 */
export function hasAddress(text: string, ownHosts: readonly string[] = []): boolean {
  if (ENCODED_WORD.test(text)) return true
  const own = ownHosts.map(removeWww)
  return listSpellings(text).some(
    (each) => SIGNS.test(each) && findAddresses(each).some((found) => !own.includes(removeWww(found))),
  )
}

const findAddresses = (text: string): string[] => [
  ...(links.match(text) ?? []).map((found) => found.text),
  ...(text.match(WEB) ?? []),
]

/**
 * Variants as mail programs may read them: full-width letters and dots become narrow ones; invisible and other
 * characters join or separate words.
 */
function listSpellings(text: string): string[] {
  const narrow = narrowLetters(text)
  return ['', ' '].map((gap) => narrow.replace(/\p{Cf}/gu, gap).replace(/[^\p{L}\p{M}\p{N}\x21-\x7e]/gu, ' '))
}

const narrowLetters = (text: string) =>
  decode(text)
    .normalize('NFKC')
    .replace(/[\u3002\uff61]/g, '.')

const PARTING = /[.:@/\\=?]+/g

/** Replaces dots and signs of foreign addresses with spaces. Returns '' when an address remains. */
export function removeAddresses(text: string, ownHosts: readonly string[] = []): string {
  if (!hasAddress(text, ownHosts)) return text
  const separated = narrowLetters(text)
    .replace(/\p{Cf}/gu, '')
    .replace(PARTING, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return hasAddress(separated, ownHosts) ? '' : separated
}

const IP = /\b\d{1,3}(?:\.\d{1,3}){3}\b/g

/**
 * Like `removeAddresses`, for server responses: changes only the addresses, so status codes and IP addresses stay
 * readable.
 */
export function removeLinks(text: string): string {
  const ips: string[] = text.match(IP) ?? []
  const found = findAddresses(text).filter((each) => !ips.includes(each))
  const longestFirst = found.toSorted((one, other) => other.length - one.length)
  const separated = longestFirst.reduce((rest, each) => rest.replaceAll(each, each.replace(PARTING, ' ').trim()), text)
  return removeAddresses(separated, ips)
}

/** Characters of addresses, prices and markup, and control and direction characters. */
const NOT_IN_NAMES = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\u2027@/\\<>[\]{}=:|$€£%#*~^_]/u
const MAX_DIGITS = 2

/** Returns a typed first name when it is plausible, else ''. Anybody can type anything at a checkout. */
export function cleanPersonName(typed: string): string {
  const name = decode(typed).normalize('NFKC').trim()
  const digits = name.match(/\p{Nd}/gu)?.length ?? 0
  return NOT_IN_NAMES.test(name) || digits > MAX_DIGITS || hasAddress(name) ? '' : typed.trim()
}

const removeWww = (host: string) => host.toLowerCase().replace(/^www\./, '')
