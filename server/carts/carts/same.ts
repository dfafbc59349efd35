import type { Contact, FoldItem } from '../../core/schema/facts.ts'

// Contacts and contents compared and put together. Pure.

/** Newer words win field by field; what is not said stays. */
export function mergeContact(before: Contact, news: Contact): Contact {
  const said = Object.fromEntries(Object.entries(news).filter(([, value]) => value !== undefined && value !== ''))
  const { unconfirmedEmail, unconfirmedPhone, ...merged }: Contact = { ...before, ...said }
  const isEmailOpen = unconfirmedEmail && !news.email && unconfirmedEmail !== merged.email
  const isPhoneOpen = unconfirmedPhone && !news.phone && unconfirmedPhone !== merged.phone
  return {
    ...merged,
    ...(isEmailOpen ? { unconfirmedEmail } : {}),
    ...(isPhoneOpen ? { unconfirmedPhone } : {}),
  }
}

export const lineKey = (item: FoldItem) => `${item.productId}:${item.variationId ?? ''}`

/** Same products, choices and quantities, in any order. Choices count where both sides tell them: not every source does. */
export function sameItems(a: readonly FoldItem[], b: readonly FoldItem[]): boolean {
  const hasChoices = [a, b].every((items) => items.some((item) => item.choices))
  const nameOf = hasChoices ? lineOf : lineKey
  const [quantities, others] = [a, b].map((items) => quantitiesBy(items, nameOf)) as [Quantities, Quantities]
  return quantities.size === others.size && [...others].every(([line, quantity]) => quantities.get(line) === quantity)
}

type Quantities = Map<string, number>

function quantitiesBy(items: readonly FoldItem[], nameOf: (item: FoldItem) => string): Quantities {
  const quantities: Quantities = new Map()
  for (const item of items) quantities.set(nameOf(item), (quantities.get(nameOf(item)) ?? 0) + item.quantity)
  return quantities
}

/** A variation in two sizes that are left open is two lines. */
export const lineOf = (item: FoldItem) => `${lineKey(item)}:${JSON.stringify(item.choices ?? [])}`

export const sameCoupons = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && [...a].sort().join('\n') === [...b].sort().join('\n')

/** The last contact, confirmed or not: a draft that only confirms it is not news. */
const lastSaid = (contact: Contact) => [
  contact.unconfirmedEmail ?? contact.email,
  contact.unconfirmedPhone ?? contact.phone,
  contact.firstName,
  contact.lastName,
]

export function sameContact(a: Contact, b: Contact): boolean {
  const before = lastSaid(b)
  return lastSaid(a).every((value, index) => value === before[index])
}
