import { AppError } from '../../core/common/public.ts'
import { type AccountDb, type AccountTx, sql } from '../../core/db/public.ts'
import { wakeMessagesOf } from '../../messages/messages/public.ts'
import { loadEntitlements } from './entitlements.ts'
import { computePlanLimits } from './rules.ts'

// SQL for resting stores.

interface FittedStore {
  id: string
  name: string
  url: string
  restsFirst: boolean
  restsSince: Date | null
  connectedAt: Date
}

/** Locks the account's plan and number of stores until the transaction ends. */
function lockAccount({ db, accountId }: AccountTx) {
  return db.selectFrom('accounts').select('id').where('id', '=', accountId).forNoKeyUpdate().executeTakeFirst()
}

/** Connected stores, oldest first. */
function selectConnectedStores({ db, accountId }: AccountDb): Promise<FittedStore[]> {
  return db
    .selectFrom('stores')
    .select(['id', 'name', 'url', 'rests_first as restsFirst', 'rests_since as restsSince'])
    .select('connected_at as connectedAt')
    .where('account_id', '=', accountId)
    .where('is_active', '=', true)
    .orderBy('connected_at')
    .orderBy('id')
    .execute()
}

/** Sets exactly these of the account's connected stores to rest. */
export async function saveResting({ db, accountId }: AccountTx, ids: readonly string[], now: Date): Promise<void> {
  await sql`update stores set rests_since = case when id = any(${[...ids]}::uuid[]) then ${now}::timestamptz end
    where account_id = ${accountId} and is_active and (rests_since is not null) <> (id = any(${[...ids]}::uuid[]))`.execute(
    db,
  )
}

/** Marks exactly these as resting first, including disconnected ones. */
async function saveRestsFirst({ db, accountId }: AccountTx, ids: readonly string[]): Promise<void> {
  await sql`update stores set rests_first = not rests_first
    where account_id = ${accountId} and rests_first <> (id = any(${[...ids]}::uuid[]))`.execute(db)
}

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
export const lockStores = lockAccount

/**
 * Makes stores beyond the plan's limit rest and wakes others. Call after the change of either, in its transaction.
 * Without a plan no store rests. An overdue payment changes nothing: the account returns to the same stores.
 */
export async function updateResting(tx: AccountTx, now: Date): Promise<void> {
  const stores = await selectConnectedStores(tx)
  const entitlements = await loadEntitlements(tx, now)
  const resting = chooseRestingStores(stores, entitlements.plan ? computePlanLimits(entitlements).maxStores : -1)
  if (stores.every(({ id, restsSince }) => resting.has(id) === (restsSince !== null))) return
  await saveResting(tx, [...resting], now)
  const isWoken = stores.some(({ id, restsSince }) => restsSince !== null && !resting.has(id))
  if (isWoken) await wakeMessagesOf(tx.db, tx.accountId, ['store_resting'], now)
}

/** Sets exactly these stores to rest before others. No store rests while the plan has room for all. */
export async function saveRestingOrder(tx: AccountTx, storeIds: readonly string[], now: Date): Promise<void> {
  await lockStores(tx)
  const known = new Set((await selectConnectedStores(tx)).map(({ id }) => id))
  if (!storeIds.every((id) => known.has(id))) throw new AppError('not_found', 'Store not found')
  await saveRestsFirst(tx, storeIds)
  await updateResting(tx, now)
}

/** Connected stores, oldest first. */
export async function listStoreRests(account: AccountDb): Promise<StoreRest[]> {
  const stores = await selectConnectedStores(account)
  return stores.map(({ id, name, url, restsFirst, restsSince }) => {
    return { id, name, url, isResting: restsSince !== null, restsFirst }
  })
}

// Chooses the stores that rest if the plan has too little room (decision 85). Pure.

export interface StoreOrder {
  id: string
  restsFirst: boolean
  connectedAt: Date
}

/** Ids of resting stores: first those chosen by the owner, then the newest. A limit of -1 has room for all. */
export function chooseRestingStores(stores: readonly StoreOrder[], limit: number): Set<string> {
  if (limit < 0) return new Set()
  const byStay = stores.toSorted(
    (a, b) =>
      Number(a.restsFirst) - Number(b.restsFirst) ||
      a.connectedAt.getTime() - b.connectedAt.getTime() ||
      (a.id < b.id ? -1 : 1),
  )
  return new Set(byStay.slice(limit).map(({ id }) => id))
}
