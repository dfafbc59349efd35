import { decode } from 'html-entities'

// Readers for values in a store's responses. All values are untrusted: missing, of another type, or enormous.

/**
 * Plain text: without tags, entities decoded, control characters as spaces, trimmed and bounded. null when nothing
 * remains.
 */
export function toPlainText(input: unknown, maxLength = 300): string | null {
  if (typeof input !== 'string' && typeof input !== 'number') return null
  const bounded = String(input).slice(0, maxLength * 10)
  // Removes only real tags; "&lt;b&gt;" is a name that shows <b> and stays.
  const untagged = bounded.replace(/<\/?[a-z][^<>]{0,300}>/gi, ' ')
  const text = decode(untagged)
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
  return text === '' ? null : sliceText(text, maxLength)
}

/** A store's error message: like `toPlainText`, without anything that looks like a key or an OAuth parameter. */
export function removeSecrets(input: unknown, secrets: readonly string[]): string | null {
  let text = toPlainText(input, 300)
  if (text === null) return null
  for (const secret of secrets) if (secret.length >= 4) text = text.replaceAll(secret, '…')
  return text.replace(/\b(?:ck|cs)_[A-Za-z0-9]+/g, '…').replace(/\b(oauth_\w+|consumer_\w+)=[^\s&]+/g, '$1=…')
}

/** A positive whole number as digits: ids arrive as 12 or "12"; 0 means "none". */
export function parseId(input: unknown): string | null {
  if (typeof input === 'number') return Number.isSafeInteger(input) && input > 0 ? String(input) : null
  if (typeof input !== 'string' || !/^[1-9]\d{0,18}$/.test(input)) return null
  return input
}

/** `2026-11-21T00:59:27` of a `…_gmt` field → `2026-11-21T00:59:27Z`. null for an invalid or implausible instant. */
export function parseGmt(input: unknown): string | null {
  if (typeof input !== 'string') return null
  const match = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.\d+)?Z?$/.exec(input)
  if (!match) return null
  const year = Number(match[1])
  const instant = new Date(`${match[1]}-${match[2]}-${match[3]}T${match[4]}:${match[5]}:${match[6]}Z`)
  if (year < 1990 || year > 2200 || Number.isNaN(instant.getTime())) return null
  const text = `${instant.toISOString().slice(0, 19)}Z`
  // 31 February would have become a day in March.
  return text.slice(8, 10) === match[3] ? text : null
}

/** Unix seconds, stored as text in user meta; null for an invalid or implausible instant. */
export function parseUnixTime(input: unknown): string | null {
  const text = typeof input === 'number' ? String(input) : input
  if (typeof text !== 'string' || !/^[1-9]\d{8,9}$/.test(text)) return null
  return `${new Date(Number(text) * 1000).toISOString().slice(0, 19)}Z`
}

/** An http(s) URL without a user name, or null. */
export function parseWebAddress(input: unknown): string | null {
  if (typeof input !== 'string' || input.length > 2000) return null
  const text = decode(input.trim())
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return null
  const url = new URL(text)
  return url.username || url.password ? null : url.href
}

export function parseCountryCode(input: unknown): string | null {
  if (typeof input !== 'string') return null
  const code = input.trim().toUpperCase()
  return /^[A-Z]{2}$/.test(code) ? code : null
}

export function isRecord(input: unknown): input is Record<string, unknown> {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
}

function sliceText(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : text.slice(0, maxLength).toWellFormed().trim()
}

/**
 * Adds choices to a variation's name. A variation may leave a choice open, such as the size, which its name then lacks.
 * `T-Shirt - Blue` and `L` become `T-Shirt - Blue, L`, as in WooCommerce.
 */
export function addChoices(name: string, choices: readonly { value: string }[]): string {
  const place = name.lastIndexOf(' - ')
  const splitTerms = (text: string) =>
    ` ${text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()} `
  const known = place < 0 ? '' : splitTerms(name.slice(place + 3))
  const missing = choices
    .map(({ value }) => value)
    .filter((value) => splitTerms(value).trim() && !known.includes(splitTerms(value)))
  if (missing.length === 0) return name
  return sliceText(`${name}${place < 0 ? ' - ' : ', '}${[...new Set(missing)].join(', ')}`, 300)
}
