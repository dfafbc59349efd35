import type { z } from 'zod'
import type { DisconnectedBy } from '../../../shared/access/stores.ts'
import { type Session, setSessionStore } from '../../access/members/public.ts'
import { endPlugin } from '../../access/plugin/public.ts'
import {
  chooseStore,
  deleteCredentials,
  isDemoAccount,
  listStores,
  openStoreClient,
  RETENTION_MS,
  type RequestedStore,
  readStore,
  type StoreRow,
  subtractMs,
} from '../../access/stores/public.ts'
import { lockStores, updateResting } from '../../billing/billing/public.ts'
import { deleteWebhooks, endLeases, type purgeJob, removeWebhooks } from '../../carts/sync/public.ts'
import { AppError, requireFound } from '../../core/common/public.ts'
import {
  type AccountDb,
  type AccountTx,
  type Db,
  type StoreDb,
  type StoreTx,
  transact,
  transactAccount,
} from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { cancelOpenMessages } from '../../messages/messages/public.ts'

// Stores: connected (connect.ts) · disconnected, with data kept for 30 days · deleted. Reading is in sync.ts and
// order-check.ts.

/** Decision 7, but having no store is a valid result. A store of another account is a 404. */
export async function currentStore(db: Db, session: Session, requested: RequestedStore) {
  const isNamed = requested.storeId !== undefined && requested.storeId !== '' && requested.storeId !== 'default'
  try {
    const store = await chooseStore(db, session, requested)
    return store.is_active ? store : null
  } catch (error) {
    if (!isNamed && error instanceof AppError && error.code === 'not_found') return null
    throw error
  }
}

export async function switchStore(account: AccountDb, session: Session, storeId: string): Promise<StoreRow> {
  const stores = await listStores(account)
  const store = requireFound(
    stores.find((each) => each.id === storeId && each.is_active),
    'Store',
  )
  await setSessionStore(account, session.sessionId, store.id)
  return store
}

/**
 * Y4: sending stops with this commit, which also deletes the keys. Returns the number of cancelled messages. For a
 * disconnect requested by the shop, the shop removes its own part.
 */
export async function disconnectStore(
  deps: Pick<Deps, 'db' | 'log' | 'now' | 'secrets' | 'storeClient'>,
  store: StoreDb<Db>,
  by: DisconnectedBy = 'recoup',
): Promise<number> {
  const row = requireFound(await readStore(store), 'Store')
  if (row.is_demo && (await isDemoAccount({ accountId: row.account_id, db: deps.db }))) {
    throw new AppError('forbidden', 'The demo account can only use the demo store.')
  }
  // Opened before the keys are deleted, and used afterwards.
  const client = row.is_active ? await openStoreClient(deps, store).catch(() => null) : null
  const account = { accountId: row.account_id, db: deps.db }
  const { cancelled, webhookIds, notifyPlugin } = await transactAccount(account, async (tx) => {
    await lockStores(tx)
    const inside = { storeId: store.storeId, db: tx.db }
    const stopped = await stopStore(inside, deps.now(), by)
    const notifyPlugin = await endPlugin(deps, inside, client)
    // The plan may now have room for a store that rests.
    await updateResting(tx, deps.now())
    return { ...stopped, notifyPlugin }
  })
  if (client && by !== 'shop' && by !== 'uninstall')
    await Promise.all([removeWebhooks(deps, client, webhookIds), notifyPlugin()])
  return cancelled
}

async function stopStore(
  tx: StoreTx,
  now: Date,
  by: DisconnectedBy,
): Promise<{ cancelled: number; webhookIds: string[] }> {
  const moved = await deactivate(tx, now, by)
  if (!moved) return { cancelled: 0, webhookIds: [] }
  await deleteCredentials(tx, moved.account_id)
  await endLeases(tx)
  const hooks = await deleteWebhooks(tx)
  return {
    cancelled: await cancelOpenMessages(tx, 'disconnected', now),
    webhookIds: hooks.map((hook) => hook.webhook_id),
  }
}

/**
 * For the deletion of an account: stops sending in all of its stores with the caller's commit. The returned function
 * removes our webhooks afterwards, with keys that are deleted by then.
 */
export async function stopAccountStores(
  deps: Pick<Deps, 'db' | 'log' | 'now' | 'secrets' | 'storeClient'>,
  tx: AccountTx,
): Promise<() => Promise<unknown>> {
  const removals: (() => Promise<unknown>)[] = []
  for (const { id, is_active } of await listStores(tx)) {
    if (!is_active) continue
    const store = { storeId: id, db: tx.db }
    const client = await openStoreClient(deps, store).catch(() => null)
    const { webhookIds } = await stopStore(store, deps.now(), 'recoup')
    const notifyPlugin = await endPlugin(deps, store, client)
    if (client) removals.push(() => removeWebhooks(deps, client, webhookIds), notifyPlugin)
  }
  return () => Promise.all(removals.map((remove) => remove()))
}

/** Deletes the account's stores, with one commit each, as they may have much data. */
export async function removeAccountStores(account: AccountDb<Db>): Promise<void> {
  for (const { id } of await listStores(account)) {
    await transact({ storeId: id, db: account.db }, async (tx) => {
      await deleteFlowSteps(tx)
      await deleteStore(tx)
    })
  }
}

/** The shop requested its deletion (C8). Skips a store that is connected again. */
export async function purgeNow(store: StoreDb<Db>): Promise<void> {
  await transact(store, async (tx) => {
    const row = await readStore(tx)
    if (!row || row.is_active) return
    await deleteFlowSteps(tx)
    await deleteStore(tx)
  })
}

/** Decision 24, by a job. Skips a reconnected store. */
export async function purgeStore(
  deps: Pick<Deps, 'db' | 'now'>,
  { storeId }: z.infer<typeof purgeJob.payload>,
): Promise<void> {
  await transact({ storeId, db: deps.db }, async (tx) => {
    if (!(await lockPurgeable(tx, subtractMs(deps.now(), RETENTION_MS)))) return
    await deleteFlowSteps(tx)
    await deleteStore(tx)
  })
}

/** undefined if already disconnected. */
function deactivate({ db, storeId }: StoreTx, now: Date, by: DisconnectedBy) {
  return db
    .updateTable('stores')
    .set({ is_active: false, disconnected_at: now, disconnected_by: by, rests_since: null })
    .where('id', '=', storeId)
    .where('is_active', '=', true)
    .returning('account_id')
    .executeTakeFirst()
}

/**
 * Blocks a reconnection until the data is deleted; undefined if the store is connected again or was disconnected only
 * recently.
 */
function lockPurgeable({ db, storeId }: StoreTx, disconnectedBefore: Date) {
  return db
    .selectFrom('stores')
    .select('id')
    .where('id', '=', storeId)
    .where('is_active', '=', false)
    .where('disconnected_at', '<', disconnectedBefore)
    .forUpdate()
    .executeTakeFirst()
}

/**
 * Steps and campaigns reference templates, which the cascade of the store's row deletes first, so they must be deleted
 * before.
 */
async function deleteFlowSteps({ db, storeId }: StoreTx) {
  await db.deleteFrom('flow_steps').where('store_id', '=', storeId).execute()
  await db.deleteFrom('campaigns').where('store_id', '=', storeId).execute()
}

/** The row's cascade deletes the rest. */
function deleteStore({ db, storeId }: StoreTx) {
  return db.deleteFrom('stores').where('id', '=', storeId).execute()
}
