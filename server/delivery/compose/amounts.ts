import { LRUCache } from 'lru-cache'
import { getCurrencyExponent } from '../../../shared/core/money.ts'

// Formats amounts for messages.

/**
 * Creating a format is about a hundred times slower than formatting, and formatting a hundred times slower than a
 * lookup.
 */
const formats = new Map<string, Intl.NumberFormat>()
const formatted = new LRUCache<string, string>({ max: 5_000 })

/** Formats minor units for en-US (decision 21). */
export function formatMinor(amountMinor: number, currency: string): string {
  const key = `${currency}${amountMinor}`
  const known = formatted.get(key)
  if (known !== undefined) return known
  const exponent = getCurrencyExponent(currency)
  const text = getFormat(currency, exponent).format(amountMinor / 10 ** exponent)
  formatted.set(key, text)
  return text
}

function getFormat(currency: string, exponent: number): Intl.NumberFormat {
  const known = formats.get(currency)
  if (known) return known
  const digits = { minimumFractionDigits: exponent, maximumFractionDigits: exponent }
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency, ...digits })
  formats.set(currency, format)
  return format
}
