// Cleans texts and addresses of stores, shoppers and owners for messages. Pure.

const NEVER_IN_TEXT = /[\p{Cc}\p{Co}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu

/** Matches nearly every text: ASCII words with single spaces and no `{`. */
const HARMLESS = /^[!-z|}~]+(?: [!-z|}~]+)*$/

/**
 * One line of foreign text, safe anywhere after escaping: no control or bidi characters (a name must not reverse a
 * subject), none of our marks (U+E000…), no Liquid, well-formed, at most `max` characters.
 */
export function cleanText(text: string, max: number): string {
  if (text.length <= max && HARMLESS.test(text)) return text
  const line = text
    .slice(0, max * 4)
    .toWellFormed()
    .replace(/\s+/g, ' ')
    .replace(NEVER_IN_TEXT, '')
    .trim()
  const safe = line.replace(/\{(?=[{%])/g, '{ ')
  const characters = [...safe]
  return characters.length <= max
    ? safe
    : `${characters
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`
}

/** A normalised absolute http(s) URL without credentials; null for everything else. */
export function parseWebAddress(text: string): string | null {
  const url = text.length <= 2_000 ? URL.parse(text) : null
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password) return null
  // A query may contain raw braces and quotes, which a mail must not contain.
  return url.href.replace(/[{}"'<>`\\]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** For text and for quoted attributes. */
export const escapeHtml = (text: string): string =>
  /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (character) => ENTITIES[character]!) : text

/** Removes the sender's name from the start of an address, because the name stands above it. */
export function removeSenderName([first = '', ...others]: readonly string[], name: string): string[] {
  const isNamed = first.slice(0, name.length).toLowerCase() === name.toLowerCase()
  const rest = isNamed ? first.slice(name.length) : first
  // "Maple" is not part of "Maple Street 1".
  if (!isNamed || !/^\s*([,;:|·–—-]|$)/.test(rest)) return [first, ...others]
  const addressParts = [rest.replace(/^[\s,;:|·–—-]+/, ''), ...others].filter(Boolean)
  return addressParts.length > 0 ? addressParts : [first]
}
