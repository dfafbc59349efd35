import type { Contact } from '../carts/fold.ts'

// Shoppers: pure rules of identity.

export type KeyKind = 'email' | 'phone' | 'customer' | 'cart' | 'order' | 'device'
export interface ShopperKey {
  kind: KeyKind
  value: string
}

/** Merging keys hold one shopper together; a device token only matches (engine: Identity). */
export const isMerging = (key: ShopperKey): boolean => key.kind !== 'device'

const PLACEHOLDER_LOCALS =
  /^(no-?reply|no-?mail|no-?email|none|guest|customer|walk-?in|pos|test|na|n\.a|anonymous|unknown)\d*$/
const PLACEHOLDER_DOMAINS = /(^|\.)(invalid|localhost|local)$|^(none|noemail|nomail|email|test)\.(com|net|org)$/

/**
 * Addresses many people share stand for nobody: they neither match nor merge. The store's own domain counts as such.
 */
export function isSharedAddress(email: string, storeHost: string): boolean {
  const [local = '', domain = ''] = email.split('@')
  if (domain === storeHost.replace(/^www\./, '')) return true
  return PLACEHOLDER_DOMAINS.test(domain) || PLACEHOLDER_LOCALS.test(local)
}

export function contactKeys(contact: Contact, storeHost: string): ShopperKey[] {
  const keys: ShopperKey[] = []
  if (contact.email && !isSharedAddress(contact.email, storeHost)) keys.push({ kind: 'email', value: contact.email })
  if (contact.phone) keys.push({ kind: 'phone', value: contact.phone })
  if (contact.customerId) keys.push({ kind: 'customer', value: contact.customerId })
  return keys
}

/** One fixed order for all, so that two transactions taking the same keys never wait for each other in a circle. */
export function sortKeys(keys: readonly ShopperKey[]): ShopperKey[] {
  const unique = new Map(keys.map((key) => [`${key.kind}:${key.value}`, key]))
  return [...unique.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key)
}
