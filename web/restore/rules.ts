import type { z } from 'zod'
import { type Language, languages } from '../../shared/preferences.ts'
import type { restoreCart } from '../../shared/restore.ts'
import { formatMoney } from '../ui/format.ts'

// Words of the shopper's pages. Pure.

type Item = z.infer<typeof restoreCart.reply>['items'][number]

/** What became of an item between leaving and coming back; null when nothing did. */
export function outcomeText(item: Pick<Item, 'outcome' | 'quantity' | 'price' | 'before'>, currency: string) {
  if (item.outcome === 'gone') return 'No longer available, so it is not in your cart.'
  const words = [
    ...(item.outcome === 'quantity_clamped' ? [clamped(item.quantity)] : []),
    ...(item.price === item.before.price ? [] : [`It was ${formatMoney(item.before.price, currency)} before.`]),
  ]
  return words.join(' ') || null
}

const clamped = (left: number) =>
  left === 1 ? 'Only 1 is left, so we put 1 in your cart.' : `Only ${left} are left, so we put ${left} in your cart.`

/** What a browser asks for, before the server has said what the person chose. */
export function browserLanguage(wanted: readonly string[]): Language {
  const tags = wanted.map((tag) => tag.toLowerCase().split('-')[0])
  return languages.find((language) => language === tags.find((tag) => tag === 'en' || tag === 'de')) ?? 'en'
}
