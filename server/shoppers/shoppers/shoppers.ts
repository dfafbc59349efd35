import { createId } from '../../core/common/public.ts'
import type { AccountTx, StoreTx } from '../../core/db/public.ts'
import { mergeShopperMessages } from '../../messages/messages/public.ts'
import { updateFromCustomers } from './registered-sql.ts'
import { buildContactKeys, groupKeys, isMergingKey, type ShopperKey, sortKeys } from './rules.ts'
import * as sql from './sql.ts'

// Identity of shoppers. A shopper is everything that its merging keys connect. Keys are only ever added.

export interface ResolvedShoppers {
  /** One per list of keys, in order. */
  shopperIds: string[]
  /** Shoppers into which another was merged: their carts must be folded from scratch (S6). */
  merged: ReadonlySet<string>
}

/**
 * Finds or creates the shoppers of these lists of keys, locks them until the transaction ends, and merges shoppers that
 * share a list. The caller must hold the locks of the keys (`lockAllKeys`).
 */
export async function resolveShoppers(
  tx: StoreTx,
  keyLists: readonly (readonly ShopperKey[])[],
  now: Date,
): Promise<ResolvedShoppers> {
  const owned = await lockOwners(tx, keyLists.flat())
  const groups = groupKeys(
    keyLists.map((keys) => keys.filter(isMergingKey)),
    owned,
  )
  const ids = groups.map((group) => group.shoppers[0]?.id ?? createId())
  const fresh = ids.filter((_, index) => groups[index]!.shoppers.length === 0)
  await sql.insertShoppers(tx, fresh, now)
  const merged = new Set<string>()
  for (const [index, { shoppers }] of groups.entries()) {
    for (const other of shoppers.slice(1)) {
      merged.add(ids[index]!)
      await mergeShopperMessages(tx, other.id, ids[index]!, now)
      await sql.moveShopper(tx, other.id, ids[index]!)
    }
  }
  if (merged.size > 0) await updateFromCustomers(tx, [...merged])
  const shopperIds: string[] = []
  for (const [index, { lists }] of groups.entries()) for (const list of lists) shopperIds[list] = ids[index]!
  const ownedKeys = new Set(owned.map(toKeyText))
  const keys = keyLists.flatMap((list, index) =>
    list.filter((key) => !ownedKeys.has(toKeyText(key))).map((key) => ({ ...key, shopper_id: shopperIds[index]! })),
  )
  await sql.insertKeys(tx, keys)
  await sql.resumeShoppers(tx, filterEnded(owned))
  return { shopperIds, merged }
}

/** An erased shopper may be identified again by new reports, so their end is cleared. */
const filterEnded = (owned: readonly { shopper: { id: string; ended_at: Date | null } }[]): string[] => [
  ...new Set(owned.filter(({ shopper }) => shopper.ended_at !== null).map(({ shopper }) => shopper.id)),
]

export async function lockAllKeys(tx: StoreTx, keys: readonly ShopperKey[]): Promise<void> {
  const merging = sortKeys(keys.filter(isMergingKey))
  if (merging.length > 0) await sql.lockKeys(tx, merging)
}

/** All merging keys with an owner. */
async function lockOwners(tx: StoreTx, keys: readonly ShopperKey[]) {
  const merging = sortKeys(keys.filter(isMergingKey))
  for (;;) {
    const owners = merging.length > 0 ? await sql.selectKeyOwners(tx, merging) : []
    if (owners.length === 0) return []
    const ids = [...new Set(owners.map((owner) => owner.shopper_id))]
    const locked = new Map((await sql.lockShoppers(tx, ids)).map((shopper) => [shopper.id, shopper]))
    // A missing shopper was merged while we waited, so read the owners again.
    if (locked.size < ids.length) continue
    return owners.map(({ kind, value, shopper_id }) => ({ kind, value, shopper: locked.get(shopper_id)! }))
  }
}

/** Identity in a customer record of the store. */
export interface CustomerIdentity {
  customerId: string
  email: string | null
  phone: string | null
}

/**
 * Links copied customer records to shoppers (decision 40): to the owner of the customer id, email or phone, in this
 * order, else to a new one. Merges nobody. The caller must hold the locks of the keys (`listCustomerKeys`).
 */
export async function linkCustomers(
  tx: StoreTx,
  records: readonly CustomerIdentity[],
  { storeHost, now }: { storeHost: string; now: Date },
): Promise<void> {
  const keyLists = records.map((record) => listCustomerKeys(record, storeHost))
  const owned = await lockOwners(tx, keyLists.flat())
  const ownerOf = new Map(owned.map((key) => [toKeyText(key), key.shopper.id]))
  const fresh: string[] = []
  const news: (ShopperKey & { shopper_id: string })[] = []
  const shopperIds = keyLists.map((keys) => {
    const known = keys.map((key) => ownerOf.get(toKeyText(key))).find((id) => id !== undefined)
    const id = known ?? createId()
    if (known === undefined) fresh.push(id)
    for (const key of keys.filter((each) => !ownerOf.has(toKeyText(each)))) {
      ownerOf.set(toKeyText(key), id)
      news.push({ ...key, shopper_id: id })
    }
    return id
  })
  await sql.insertShoppers(tx, fresh, now)
  await sql.insertKeys(tx, news)
  await sql.resumeShoppers(tx, filterEnded(owned))
  await updateFromCustomers(tx, [...new Set(shopperIds)])
}

/** Strongest key first. */
export function listCustomerKeys({ customerId, email, phone }: CustomerIdentity, storeHost: string): ShopperKey[] {
  const addresses = buildContactKeys({ ...(email ? { email } : {}), ...(phone ? { phone } : {}) }, storeHost)
  return [{ kind: 'customer', value: customerId }, ...addresses]
}

const toKeyText = ({ kind, value }: ShopperKey) => `${kind}:${value}`

/**
 * F1: members of the account are never held out and never counted. Updates the mark for these addresses in all of the
 * account's stores. Call in the transaction that changes the members.
 */
export async function refreshMembers(tx: AccountTx, emails: readonly string[]): Promise<void> {
  await sql.markMembers(tx, emails)
}
