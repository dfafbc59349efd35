import type { Insertable, Selectable, Updateable } from 'kysely'
import type { AccountDb, AccountTx, Db, StoreDb, StoreTx } from '../db.ts'
import type { StoresTable } from '../schema.ts'

// Stores: SQL and nothing else. What syncs and webhooks keep is in sync-sql.ts and webhook-sql.ts.

export type StoreRow = Selectable<StoresTable>

export function storesOf({ db, accountId }: AccountDb) {
  return db
    .selectFrom('stores')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('is_active', 'desc')
    .orderBy('connected_at', 'desc')
    .execute()
}

export function readStore({ db, storeId }: StoreDb) {
  return db.selectFrom('stores').selectAll().where('id', '=', storeId).executeTakeFirst()
}

/** Two connections at once count one after the other. */
export function lockAccount({ db, accountId }: AccountTx) {
  return db
    .selectFrom('accounts')
    .select(['id', 'is_demo'])
    .where('id', '=', accountId)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

export function isDemoAccount({ db, accountId }: AccountDb) {
  return db
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', accountId)
    .where('is_demo', '=', true)
    .executeTakeFirst()
}

export function insertStore({ db, accountId }: AccountTx, store: Omit<Insertable<StoresTable>, 'account_id'>) {
  return db
    .insertInto('stores')
    .values({ ...store, account_id: accountId })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export function updateStore({ db, accountId }: AccountDb, storeId: string, change: Updateable<StoresTable>) {
  return db
    .updateTable('stores')
    .set(change)
    .where('account_id', '=', accountId)
    .where('id', '=', storeId)
    .returningAll()
    .executeTakeFirst()
}

export function saveCredentials({ db, accountId }: AccountTx, storeId: string, sealed: Buffer, now: Date) {
  return db
    .insertInto('store_credentials')
    .values({ account_id: accountId, store_id: storeId, sealed, updated_at: now })
    .onConflict((conflict) => conflict.columns(['account_id', 'store_id']).doUpdateSet({ sealed, updated_at: now }))
    .execute()
}

export function readAccess({ db, storeId }: StoreDb) {
  return db
    .selectFrom('stores as s')
    .leftJoin('store_credentials as c', (on) =>
      on.onRef('c.account_id', '=', 's.account_id').onRef('c.store_id', '=', 's.id'),
    )
    .select(['s.id', 's.account_id', 's.platform', 's.url', 's.home_url', 's.is_active', 'c.sealed'])
    .where('s.id', '=', storeId)
    .executeTakeFirst()
}

export function deleteCredentials({ db, storeId }: StoreTx, accountId: string) {
  return db
    .deleteFrom('store_credentials')
    .where('account_id', '=', accountId)
    .where('store_id', '=', storeId)
    .execute()
}

export function insertStoreSend({ db, storeId }: StoreTx) {
  return db
    .insertInto('store_send')
    .values({ store_id: storeId })
    .onConflict((conflict) => conflict.column('store_id').doNothing())
    .execute()
}

/** undefined when it was disconnected already. */
export function deactivate({ db, storeId }: StoreTx, now: Date) {
  return db
    .updateTable('stores')
    .set({ is_active: false, disconnected_at: now })
    .where('id', '=', storeId)
    .where('is_active', '=', true)
    .returning('account_id')
    .executeTakeFirst()
}

/** Two who save at once come one after the other. */
export function lockStore({ db, storeId }: StoreTx) {
  return db.selectFrom('stores').selectAll().where('id', '=', storeId).forNoKeyUpdate().executeTakeFirst()
}

/** The effective timeout follows in the same transaction (`refreshTimeout` of the flows). */
export function saveSettings({ db, storeId }: StoreTx, change: Updateable<StoresTable>) {
  return db
    .updateTable('stores')
    .set((set) => ({ ...change, settings_version: set('settings_version', '+', 1) }))
    .where('id', '=', storeId)
    .execute()
}

export function flowThatIsOn({ db, storeId }: StoreDb) {
  return db
    .selectFrom('flows')
    .select(['id', 'name'])
    .where('store_id', '=', storeId)
    .where('is_on', '=', true)
    .executeTakeFirst()
}

/** Holds off a reconnection until its data is gone; undefined when the store is connected again or was only just disconnected. */
export function lockPurgeable({ db, storeId }: StoreTx, disconnectedBefore: Date) {
  return db
    .selectFrom('stores')
    .select('id')
    .where('id', '=', storeId)
    .where('is_active', '=', false)
    .where('disconnected_at', '<', disconnectedBefore)
    .forUpdate()
    .executeTakeFirst()
}

/** Steps name their template, which the store's row takes along before it takes the flows: they have to go first. */
export function deleteFlowSteps({ db, storeId }: StoreTx) {
  return db.deleteFrom('flow_steps').where('store_id', '=', storeId).execute()
}

/** Everything else of the store goes with its row. */
export function deleteStore({ db, storeId }: StoreTx) {
  return db.deleteFrom('stores').where('id', '=', storeId).execute()
}

/** Scan over all stores: whose data has been kept long enough. */
export function storesToPurge(db: Db, disconnectedBefore: Date) {
  return db
    .selectFrom('stores')
    .select('id')
    .where('is_active', '=', false)
    .where('disconnected_at', '<', disconnectedBefore)
    .limit(100)
    .execute()
}
