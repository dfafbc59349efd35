import { LRUCache } from 'lru-cache'
import { formatMoney } from '../../../shared/messages/mail-format.ts'

// Formats amounts for messages.

/** Formatting is about a hundred times slower than a lookup. */
const formatted = new LRUCache<string, string>({ max: 5_000 })

/** Formats minor units (decision 21). */
export function formatMinor(amountMinor: number, currency: string, locale: string): string {
  const key = `${locale}/${currency}${amountMinor}`
  const known = formatted.get(key)
  if (known !== undefined) return known
  const text = formatMoney(amountMinor, currency, locale)
  formatted.set(key, text)
  return text
}
