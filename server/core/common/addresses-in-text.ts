import { decode } from 'html-entities'
import { LinkifyIt } from 'linkify-it'
import tlds from 'tlds' with { type: 'json' }

// Mail programs make links of what looks like an address. A name, a shop's or a product's, must bring none into a message of ours. Pure.

const links = new LinkifyIt().set({ fuzzyLink: true, fuzzyEmail: true, fuzzyIP: true }).tlds(tlds)

/** Without one of these nothing is an address. */
const SIGNS = /[.:@/\\\u3002\uff61]/
/** RFC 2047: a mail program decodes it wherever it stands in a header. */
const ENCODED_WORD = /=\?[^?\s]+\?[bq]\?/i
/** Made a link whatever comes after it. */
const WEB = /(?<![\p{L}\p{N}])www\d?\.[\p{L}\p{N}][^\s,;]*/giu

/** Whether a mail program finds a web or email address in it. `ownHosts`: a shop may be called by its own. */
export function hasAddress(text: string, ownHosts: readonly string[] = []): boolean {
  if (ENCODED_WORD.test(text)) return true
  const own = ownHosts.map(bare)
  return spellings(text).some(
    (each) => SIGNS.test(each) && addressesIn(each).some((found) => !own.includes(bare(found))),
  )
}

const addressesIn = (text: string): string[] => [
  ...(links.match(text) ?? []).map((found) => found.text),
  ...(text.match(WEB) ?? []),
]

/**
 * As mail programs may read it: wide letters and dots are narrow ones, and what is not seen, or is neither letter nor sign of an address,
 * joins two words or parts them.
 */
function spellings(text: string): string[] {
  const narrow = narrowed(text)
  return ['', ' '].map((gap) => narrow.replace(/\p{Cf}/gu, gap).replace(/[^\p{L}\p{M}\p{N}\x21-\x7e]/gu, ' '))
}

const narrowed = (text: string) =>
  decode(text)
    .normalize('NFKC')
    .replace(/[\u3002\uff61]/g, '.')

const PARTING = /[.:@/\\=?]+/g

/** The same words without an address of somebody else: its dots and signs become spaces. Empty where that does not help. */
export function withoutAddresses(text: string, ownHosts: readonly string[] = []): string {
  if (!hasAddress(text, ownHosts)) return text
  const parted = narrowed(text)
    .replace(/\p{Cf}/gu, '')
    .replace(PARTING, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return hasAddress(parted, ownHosts) ? '' : parted
}

const IP = /\b\d{1,3}(?:\.\d{1,3}){3}\b/g

/** As withoutAddresses, for what a server answers: only the addresses change, so status codes and IP addresses stay readable. */
export function withoutLinks(text: string): string {
  const ips: string[] = text.match(IP) ?? []
  const found = addressesIn(text).filter((each) => !ips.includes(each))
  const longestFirst = found.toSorted((one, other) => other.length - one.length)
  const parted = longestFirst.reduce((rest, each) => rest.replaceAll(each, each.replace(PARTING, ' ').trim()), text)
  return withoutAddresses(parted, ips)
}

/** Signs of addresses, prices and markup, and what controls a line or turns its direction. */
const IN_NO_NAME = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\u2027@/\\<>[\]{}=:|$€£%#*~^_]/u
const MOST_DIGITS = 2

/** What somebody typed as a first name, where it can be one; else empty. Anybody may type anything for anybody at a checkout. */
export function personName(typed: string): string {
  const name = decode(typed).normalize('NFKC').trim()
  const digits = name.match(/\p{Nd}/gu)?.length ?? 0
  return IN_NO_NAME.test(name) || digits > MOST_DIGITS || hasAddress(name) ? '' : typed.trim()
}

const bare = (host: string) => host.toLowerCase().replace(/^www\./, '')
