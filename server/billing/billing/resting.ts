import type { AccountDb, AccountTx } from '../../core/db/db.ts'
import { AppError } from '../../core/common/errors.ts'
import { wakeMessagesOf } from '../../messages/messages/messages.ts'
import { entitlementsOf } from './entitlements.ts'
import { restingOf } from './resting-rules.ts'
import * as sql from './resting-sql.ts'
import { planLimitsOf } from './rules.ts'

// Stores that rest (decision 85): connected, and more than the plan has room for. They capture and sync, and hold what they would send.

export interface StoreRest {
  id: string
  name: string
  url: string
  isResting: boolean
  /** As the owner has chosen, for when the plan has room for fewer. */
  restsFirst: boolean
}

/**
 * The first statement of whatever changes the plan of an account or the number of its stores: `fitStores` of two such transactions would
 * not know of each other. Locks the account's row.
 */
export const lockStores = sql.lockAccount

/**
 * Lets rest what the plan has no room for, and wakes what it has room for again. In the transaction that changes either, after it; before
 * the plan is chosen nothing rests. What is overdue changes nothing: the stores are those the account comes back to.
 */
export async function fitStores(tx: AccountTx, now: Date): Promise<void> {
  const stores = await sql.connectedStores(tx)
  const entitlements = await entitlementsOf(tx, now)
  const resting = restingOf(stores, entitlements.plan ? planLimitsOf(entitlements).maxStores : -1)
  if (stores.every(({ id, restsSince }) => resting.has(id) === (restsSince !== null))) return
  await sql.saveResting(tx, [...resting], now)
  const isWoken = stores.some(({ id, restsSince }) => restsSince !== null && !resting.has(id))
  if (isWoken) await wakeMessagesOf(tx.db, tx.accountId, ['store_resting'], now)
}

/** Exactly these rest before all others from now on. Nothing rests as long as the plan has room for all. */
export async function chooseResting(tx: AccountTx, storeIds: readonly string[], now: Date): Promise<void> {
  await lockStores(tx)
  const known = new Set((await sql.connectedStores(tx)).map(({ id }) => id))
  if (!storeIds.every((id) => known.has(id))) throw new AppError('not_found', 'Store not found')
  await sql.saveRestsFirst(tx, storeIds)
  await fitStores(tx, now)
}

/** The connected stores, the oldest first. */
export async function restsOf(account: AccountDb): Promise<StoreRest[]> {
  const stores = await sql.connectedStores(account)
  return stores.map(({ id, name, url, restsFirst, restsSince }) => {
    return { id, name, url, isResting: restsSince !== null, restsFirst }
  })
}
