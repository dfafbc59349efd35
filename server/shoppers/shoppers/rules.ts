import crypto from 'node:crypto'
import type { Contact } from '../../core/schema/public.ts'

// Shoppers: pure rules of identity.

export type KeyKind = 'email' | 'phone' | 'customer' | 'cart' | 'order' | 'device'
export interface ShopperKey {
  kind: KeyKind
  value: string
}

/** Merging keys define one shopper; a device token only matches (engine: Identity). */
export const isMergingKey = (key: ShopperKey): boolean => key.kind !== 'device'

const PLACEHOLDER_LOCALS =
  /^(no-?reply|no-?mail|no-?email|none|guest|customer|walk-?in|pos|test|na|n\.a|anonymous|unknown)\d*$/
const PLACEHOLDER_DOMAINS = /(^|\.)(invalid|localhost|local)$|^(none|noemail|nomail|email|test)\.(com|net|org)$/

/** Shared addresses identify nobody: they neither match nor merge. The store's own domain counts as shared. */
export function isSharedAddress(email: string, storeHost: string): boolean {
  const [local = '', domain = ''] = email.split('@')
  if (domain === storeHost.replace(/^www\./, '')) return true
  return PLACEHOLDER_DOMAINS.test(domain) || PLACEHOLDER_LOCALS.test(local)
}

/** Key of a normalized email address or phone number. */
export const buildAddressKey = (address: string): ShopperKey => ({
  kind: address.includes('@') ? 'email' : 'phone',
  value: address,
})

/** Identifies an erased shopper without an address. It is hashed like addresses. */
export const buildCustomerMark = (storeId: string, customerId: string): string => `customer ${customerId} of ${storeId}`

export function buildContactKeys(contact: Contact, storeHost: string): ShopperKey[] {
  const keys: ShopperKey[] = []
  if (contact.email && !isSharedAddress(contact.email, storeHost)) keys.push({ kind: 'email', value: contact.email })
  if (contact.phone) keys.push({ kind: 'phone', value: contact.phone })
  if (contact.customerId) keys.push({ kind: 'customer', value: contact.customerId })
  return keys
}

interface Tokens {
  checkoutToken?: string | null
  cartToken?: string | null
}

/** Keys of a platform's checkout and cart; the capture script posts the same cart token. */
export const listTokenKeys = ({ checkoutToken, cartToken }: Tokens): ShopperKey[] => [
  ...(checkoutToken ? [{ kind: 'cart' as const, value: `checkout:${checkoutToken}` }] : []),
  ...(cartToken ? [{ kind: 'cart' as const, value: cartToken }] : []),
]

/**
 * Short hashes of the cart and device tokens. They show whether two reports came from one browser, without revealing
 * its tokens, which are keys.
 */
export const hashBrowserTokens = ({
  cart,
  device,
}: {
  cart?: string | undefined
  device?: string | undefined
}): string[] =>
  [...(cart ? [`cart:${cart}`] : []), ...(device ? [`device:${device}`] : [])].map((token) =>
    crypto.hash('sha256', token, 'base64url').slice(0, 16),
  )

/** One order for all transactions, so that two with the same keys never deadlock. */
export function sortKeys(keys: readonly ShopperKey[]): ShopperKey[] {
  const unique = new Map(keys.map((key) => [`${key.kind}:${key.value}`, key]))
  return [...unique.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key)
}

interface Owner {
  id: string
  created_at: Date
}

export interface KeyGroup<Shopper extends Owner> {
  /** Indexes of the lists that belong together. */
  lists: number[]
  /** Owners of their keys, first the one that stays: the earliest, then by id (S6). Empty: a new shopper. */
  shoppers: Shopper[]
}

/** Groups lists of merging keys by shopper: they share a key or an owner, directly or through others. */
export function groupKeys<Shopper extends Owner>(
  keyLists: readonly (readonly ShopperKey[])[],
  owned: readonly (ShopperKey & { shopper: Shopper })[],
): KeyGroup<Shopper>[] {
  const ownerOf = new Map(owned.map((key) => [`${key.kind}:${key.value}`, key.shopper.id]))
  const sets = createDisjointSets()
  for (const [index, keys] of keyLists.entries()) {
    for (const key of keys.map(({ kind, value }) => `${kind}:${value}`)) {
      const owner = ownerOf.get(key)
      sets.join(`list:${index}`, owner ? `shopper:${owner}` : `key:${key}`)
    }
  }
  const groups = new Map<string, KeyGroup<Shopper>>()
  const getGroup = (name: string) => {
    const root = sets.rootOf(name)
    if (!groups.has(root)) groups.set(root, { lists: [], shoppers: [] })
    return groups.get(root)!
  }
  for (const index of keyLists.keys()) getGroup(`list:${index}`).lists.push(index)
  const shoppers = new Map(owned.map((key) => [key.shopper.id, key.shopper]))
  for (const shopper of shoppers.values()) getGroup(`shopper:${shopper.id}`).shoppers.push(shopper)
  for (const group of groups.values()) group.shoppers.sort(compareAge)
  return [...groups.values()]
}

const compareAge = (a: Owner, b: Owner) => a.created_at.getTime() - b.created_at.getTime() || (a.id < b.id ? -1 : 1)

function createDisjointSets() {
  const parents = new Map<string, string>()
  const findRoot = (name: string): string => {
    let root = name
    while (parents.has(root)) root = parents.get(root)!
    if (root !== name) parents.set(name, root)
    return root
  }
  const join = (a: string, b: string) => {
    const [from, to] = [findRoot(a), findRoot(b)]
    if (from !== to) parents.set(from, to)
  }
  return { rootOf: findRoot, join }
}
