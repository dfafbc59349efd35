import type { AccountTx, StoreTx } from '../../core/db/db.ts'
import { newId } from '../../core/common/ids.ts'
import { mergeShopperMessages } from '../../messages/messages/messages.ts'
import { refreshRegistered } from './registered-sql.ts'
import { contactKeys, groupKeys, isMerging, type ShopperKey, sortKeys } from './rules.ts'
import * as sql from './sql.ts'

// Shoppers: who is the same person. A shopper is everything its merging keys hold together; keys are only ever added.

/** Rows of shoppers, for transactions that lock or change them with their carts. */
export {
  keyOwners,
  lockingShoppers,
  lockShoppers,
  lockShoppersOf,
  matchedEmails,
  type ShopperContact,
  updateShoppers,
} from './sql.ts'

export interface ResolvedShoppers {
  /** One for each list of keys, in their order. */
  shopperIds: string[]
  /** Shoppers another one was joined to: their carts have to be folded anew (S6). */
  merged: ReadonlySet<string>
}

/**
 * The shoppers these lists of keys belong to, locked until the transaction ends; made where there is none, joined where keys
 * name several. The caller must hold the keys' locks (`lockAllKeys`).
 */
export async function resolveShoppers(
  tx: StoreTx,
  keyLists: readonly (readonly ShopperKey[])[],
  now: Date,
): Promise<ResolvedShoppers> {
  const owned = await lockOwners(tx, keyLists.flat())
  const groups = groupKeys(
    keyLists.map((keys) => keys.filter(isMerging)),
    owned,
  )
  const ids = groups.map((group) => group.shoppers[0]?.id ?? newId())
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
  if (merged.size > 0) await refreshRegistered(tx, [...merged])
  const shopperIds: string[] = []
  for (const [index, { lists }] of groups.entries()) for (const list of lists) shopperIds[list] = ids[index]!
  const isOwned = new Set(owned.map(nameOf))
  const keys = keyLists.flatMap((list, index) =>
    list.filter((key) => !isOwned.has(nameOf(key))).map((key) => ({ ...key, shopper_id: shopperIds[index]! })),
  )
  await sql.insertKeys(tx, keys)
  await sql.resumeShoppers(tx, endedAmong(owned))
  return { shopperIds, merged }
}

/** What is heard of somebody who was erased may tell who it is again. */
const endedAmong = (owned: readonly { shopper: { id: string; ended_at: Date | null } }[]): string[] => [
  ...new Set(owned.filter(({ shopper }) => shopper.ended_at !== null).map(({ shopper }) => shopper.id)),
]

export async function lockAllKeys(tx: StoreTx, keys: readonly ShopperKey[]): Promise<void> {
  const merging = sortKeys(keys.filter(isMerging))
  if (merging.length > 0) await sql.lockKeys(tx, merging)
}

/** Every merging key that is somebody's, with its owner. */
async function lockOwners(tx: StoreTx, keys: readonly ShopperKey[]) {
  const merging = sortKeys(keys.filter(isMerging))
  for (;;) {
    const owners = merging.length > 0 ? await sql.keyOwners(tx, merging) : []
    if (owners.length === 0) return []
    const ids = [...new Set(owners.map((owner) => owner.shopper_id))]
    const locked = new Map((await sql.lockShoppers(tx, ids)).map((shopper) => [shopper.id, shopper]))
    // One is missing that was joined to another while we waited: ask again who owns the keys.
    if (locked.size < ids.length) continue
    return owners.map(({ kind, value, shopper_id }) => ({ kind, value, shopper: locked.get(shopper_id)! }))
  }
}

/** A customer record of the store, as far as it says who it is. */
export interface Registered {
  customerId: string
  email: string | null
  phone: string | null
}

/**
 * Customer records that were just copied become shoppers (decision 40): each the one that has its number, email or phone, in this order,
 * else a new one. Nobody is joined to anybody here. The caller must hold the keys' locks (`registeredKeys`).
 */
export async function linkRegistered(
  tx: StoreTx,
  records: readonly Registered[],
  { storeHost, now }: { storeHost: string; now: Date },
): Promise<void> {
  const keyLists = records.map((record) => registeredKeys(record, storeHost))
  const owned = await lockOwners(tx, keyLists.flat())
  const ownerOf = new Map(owned.map((key) => [nameOf(key), key.shopper.id]))
  const fresh: string[] = []
  const news: (ShopperKey & { shopper_id: string })[] = []
  const shopperIds = keyLists.map((keys) => {
    const known = keys.map((key) => ownerOf.get(nameOf(key))).find((id) => id !== undefined)
    const id = known ?? newId()
    if (known === undefined) fresh.push(id)
    for (const key of keys.filter((each) => !ownerOf.has(nameOf(each)))) {
      ownerOf.set(nameOf(key), id)
      news.push({ ...key, shopper_id: id })
    }
    return id
  })
  await sql.insertShoppers(tx, fresh, now)
  await sql.insertKeys(tx, news)
  await sql.resumeShoppers(tx, endedAmong(owned))
  await refreshRegistered(tx, [...new Set(shopperIds)])
}

/** The strongest first. */
export function registeredKeys({ customerId, email, phone }: Registered, storeHost: string): ShopperKey[] {
  const addresses = contactKeys({ ...(email ? { email } : {}), ...(phone ? { phone } : {}) }, storeHost)
  return [{ kind: 'customer', value: customerId }, ...addresses]
}

const nameOf = ({ kind, value }: ShopperKey) => `${kind}:${value}`

/**
 * F1: people of the account are never held out and never counted. Brings the mark of these addresses in line with who is a member
 * now, in all of the account's stores; for whoever changes the members, in the same transaction.
 */
export async function refreshMembers(tx: AccountTx, emails: readonly string[]): Promise<void> {
  await sql.markMembers(tx, emails)
}
