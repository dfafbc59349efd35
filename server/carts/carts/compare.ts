import type { Contact, FoldItem } from '../../core/schema/public.ts'

// Compares and merges contacts and cart contents. Pure.

/** Newer values replace older ones per field; missing values keep the old. */
export function mergeContact(before: Contact, news: Contact): Contact {
  const changed = Object.fromEntries(Object.entries(news).filter(([, value]) => value !== undefined && value !== ''))
  const { unconfirmedEmail, unconfirmedPhone, ...merged }: Contact = { ...before, ...changed }
  const isEmailOpen = unconfirmedEmail && !news.email && unconfirmedEmail !== merged.email
  const isPhoneOpen = unconfirmedPhone && !news.phone && unconfirmedPhone !== merged.phone
  return {
    ...merged,
    ...(isEmailOpen ? { unconfirmedEmail } : {}),
    ...(isPhoneOpen ? { unconfirmedPhone } : {}),
  }
}

export const buildLineKey = (item: FoldItem) => `${item.productId}:${item.variationId ?? ''}`

/** Same products, choices and quantities, in any order. Choices are compared only if both sides have them. */
export function hasSameItems(a: readonly FoldItem[], b: readonly FoldItem[]): boolean {
  const hasChoices = [a, b].every((items) => items.some((item) => item.choices))
  const nameOf = hasChoices ? toLineText : buildLineKey
  const [quantities, others] = [a, b].map((items) => sumQuantities(items, nameOf)) as [Quantities, Quantities]
  return quantities.size === others.size && [...others].every(([line, quantity]) => quantities.get(line) === quantity)
}

type Quantities = Map<string, number>

function sumQuantities(items: readonly FoldItem[], nameOf: (item: FoldItem) => string): Quantities {
  const quantities: Quantities = new Map()
  for (const item of items) quantities.set(nameOf(item), (quantities.get(nameOf(item)) ?? 0) + item.quantity)
  return quantities
}

/** One variation with two sizes left open makes two lines. */
export const toLineText = (item: FoldItem) => `${buildLineKey(item)}:${JSON.stringify(item.choices ?? [])}`

export const hasSameCoupons = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && [...a].sort().join('\n') === [...b].sort().join('\n')

/** The latest values, confirmed or not: a draft that confirms a contact changes nothing. */
const latestValues = (contact: Contact) => [
  contact.unconfirmedEmail ?? contact.email,
  contact.unconfirmedPhone ?? contact.phone,
  contact.firstName,
  contact.lastName,
]

export function hasSameContact(a: Contact, b: Contact): boolean {
  const before = latestValues(b)
  return latestValues(a).every((value, index) => value === before[index])
}
