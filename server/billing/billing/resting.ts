import { AppError } from '../../core/common/errors.ts'
import type { AccountDb, AccountTx } from '../../core/db/db.ts'
import { wakeMessagesOf } from '../../messages/messages/messages.ts'
import { loadEntitlements } from './entitlements.ts'
import { chooseRestingStores } from './resting-rules.ts'
import * as sql from './resting-sql.ts'
import { computePlanLimits } from './rules.ts'

// Resting stores (decision 85): connected, but beyond the plan's limit. They capture and sync, and hold their messages.

export interface StoreRest {
  id: string
  name: string
  url: string
  isResting: boolean
  /** The owner's choice, for a plan with less room. */
  restsFirst: boolean
}

/**
 * Must be the first statement of a transaction that changes the plan or the number of stores: two concurrent
 * `updateResting` would not see each other. Locks the account's row.
 */
export const lockStores = sql.lockAccount

/**
 * Makes stores beyond the plan's limit rest and wakes others. Call after the change of either, in its transaction.
 * Without a plan no store rests. An overdue payment changes nothing: the account returns to the same stores.
 */
export async function updateResting(tx: AccountTx, now: Date): Promise<void> {
  const stores = await sql.selectConnectedStores(tx)
  const entitlements = await loadEntitlements(tx, now)
  const resting = chooseRestingStores(stores, entitlements.plan ? computePlanLimits(entitlements).maxStores : -1)
  if (stores.every(({ id, restsSince }) => resting.has(id) === (restsSince !== null))) return
  await sql.saveResting(tx, [...resting], now)
  const isWoken = stores.some(({ id, restsSince }) => restsSince !== null && !resting.has(id))
  if (isWoken) await wakeMessagesOf(tx.db, tx.accountId, ['store_resting'], now)
}

/** Sets exactly these stores to rest before others. No store rests while the plan has room for all. */
export async function saveRestingOrder(tx: AccountTx, storeIds: readonly string[], now: Date): Promise<void> {
  await lockStores(tx)
  const known = new Set((await sql.selectConnectedStores(tx)).map(({ id }) => id))
  if (!storeIds.every((id) => known.has(id))) throw new AppError('not_found', 'Store not found')
  await sql.saveRestsFirst(tx, storeIds)
  await updateResting(tx, now)
}

/** Connected stores, oldest first. */
export async function listStoreRests(account: AccountDb): Promise<StoreRest[]> {
  const stores = await sql.selectConnectedStores(account)
  return stores.map(({ id, name, url, restsFirst, restsSince }) => {
    return { id, name, url, isResting: restsSince !== null, restsFirst }
  })
}
