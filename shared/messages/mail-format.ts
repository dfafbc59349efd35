import { getCurrencyExponent } from '../core/money.ts'
import { getCopy } from './copy/copy.ts'

// Amounts, numbers and dates of messages, by the full language tag (`de-AT`). Pure.

/**
 * Creating a format is about a hundred times slower than formatting. Bounded, because tags come from shops and browsers.
 */
const MAX_FORMATS = 500
const formats = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>()

function getFormat<Format extends Intl.NumberFormat | Intl.DateTimeFormat>(key: string, create: () => Format): Format {
  const known = formats.get(key)
  if (known) return known as Format
  if (formats.size >= MAX_FORMATS) formats.clear()
  const format = create()
  formats.set(key, format)
  return format
}

const tags = new Map<string, string>()

/** A canonical tag; English for what is no tag. */
export function normalizeTag(tag: string): string {
  const known = tags.get(tag)
  if (known) return known
  if (tags.size >= MAX_FORMATS) tags.clear()
  const normal = canonicalize(tag.slice(0, 35).replaceAll('_', '-'))
  tags.set(tag, normal)
  return normal
}

function canonicalize(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? 'en-US'
  } catch {
    return 'en-US'
  }
}

const RIGHT_TO_LEFT = new Set(['ar', 'arc', 'ckb', 'dv', 'fa', 'he', 'ku', 'ps', 'sd', 'ug', 'ur', 'yi'])

export const getDirection = (tag: string): 'ltr' | 'rtl' =>
  RIGHT_TO_LEFT.has(tag.split('-', 1)[0]!.toLowerCase()) ? 'rtl' : 'ltr'

export function formatMoney(amountMinor: number, currency: string, tag: string): string {
  const exponent = getCurrencyExponent(currency)
  const locale = normalizeTag(tag)
  const digits = { minimumFractionDigits: exponent, maximumFractionDigits: exponent }
  return getFormat(
    `${locale}/${currency}`,
    () => new Intl.NumberFormat(locale, { style: 'currency', currency, ...digits }),
  ).format(amountMinor / 10 ** exponent)
}

/** Formats hundredths of a percent: `10%`, `12.5 %`. */
export function formatPercent(hundredths: number, tag: string): string {
  const locale = normalizeTag(tag)
  return getFormat(
    `${locale}/%`,
    () => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 }),
  ).format(hundredths / 10_000)
}

/** "10% off"; a phrase that replaces "a discount". */
export const formatOffer = (amount: string, tag: string): string =>
  amount ? getCopy('amountOff', tag, { amount }) : getCopy('aDiscount', tag)

/**
 * The last valid day in the store's zone, with time and zone unless it is the end of the day. An end at midnight shows
 * the day before, so that the message promises no day too many.
 */
export function formatExpiry(end: Date, timeZone: string, tag: string): string {
  const locale = normalizeTag(tag)
  const last = new Date(end.getTime() - 1)
  const day = getFormat(
    `${locale}/${timeZone}/day`,
    () => new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone }),
  ).format(last)
  const clock = getFormat(
    `${timeZone}/clock`,
    () => new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone }),
  ).format(last)
  if (clock === '23:59') return day
  const time = getFormat(
    `${locale}/${timeZone}/time`,
    () => new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit', timeZoneName: 'short', timeZone }),
  ).format(end)
  // Intl has narrow spaces, which some mail programs show as boxes.
  return `${day}, ${time}`.replaceAll('\u202f', ' ')
}
