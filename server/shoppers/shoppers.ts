import type { StoreTx } from '../db.ts'
import { newId } from '../ids.ts'
import { isMerging, type ShopperKey, sortKeys } from './rules.ts'
import * as sql from './sql.ts'

// Shoppers: who is the same person. A shopper is everything its merging keys hold together; keys are only ever added.

export interface ResolvedShopper {
  shopperId: string
  /** Another shopper was joined to this one: its carts have to be folded anew (S6). */
  isMerged: boolean
  isNew: boolean
}

/**
 * The shopper these keys belong to, locked until the transaction ends; made when there is none, joined when they name several.
 * The caller must hold the keys' locks (`lockAllKeys`).
 */
export async function resolveShopper(tx: StoreTx, keys: readonly ShopperKey[], now: Date): Promise<ResolvedShopper> {
  const merging = sortKeys(keys.filter(isMerging))
  for (;;) {
    const owners = merging.length > 0 ? await sql.keyOwners(tx, merging) : []
    const ids = [...new Set(owners.map((owner) => owner.shopper_id))]
    if (ids.length === 0) return makeShopper(tx, keys, now)
    const locked = await sql.lockShoppers(tx, ids)
    if (locked.length < ids.length) continue // joined to another one while we waited: ask again who owns the keys
    const [kept, ...others] = locked.sort(
      (a, b) => a.created_at.getTime() - b.created_at.getTime() || (a.id < b.id ? -1 : 1),
    )
    for (const other of others) {
      await sql.moveShopper(tx, other.id, kept!.id)
      if (other.arm) await sql.keepEarlierArm(tx, kept!.id, other.arm)
    }
    await sql.insertKeys(tx, kept!.id, keys)
    return { shopperId: kept!.id, isMerged: others.length > 0, isNew: false }
  }
}

export async function lockAllKeys(tx: StoreTx, keys: readonly ShopperKey[]): Promise<void> {
  const merging = sortKeys(keys.filter(isMerging))
  if (merging.length > 0) await sql.lockKeys(tx, merging)
}

async function makeShopper(tx: StoreTx, keys: readonly ShopperKey[], now: Date): Promise<ResolvedShopper> {
  const shopperId = newId()
  await sql.insertShopper(tx, shopperId, now)
  await sql.insertKeys(tx, shopperId, keys)
  return { shopperId, isMerged: false, isNew: true }
}
