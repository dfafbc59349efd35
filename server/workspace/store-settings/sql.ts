import type { Insertable, Updateable } from 'kysely'
import type { DisconnectedBy } from '../../../shared/stores.ts'
import type { AccountTx, StoreDb, StoreTx } from '../../core/db/db.ts'
import type { StoresTable } from '../../core/schema/stores.ts'

// Statements for connection, settings and deletion of a store.

/** Serializes concurrent connections, so that both see the correct count. */
export function lockAccount({ db, accountId }: AccountTx) {
  return db
    .selectFrom('accounts')
    .select(['id', 'is_demo'])
    .where('id', '=', accountId)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

/** Replaces the owner's name, which an account has until it gets its own. */
export function nameAccount({ db, accountId }: AccountTx, name: string) {
  return db
    .updateTable('accounts')
    .set({ name })
    .where('id', '=', accountId)
    .where('name', 'in', (eb) =>
      eb
        .selectFrom('members as m')
        .innerJoin('users as u', 'u.id', 'm.user_id')
        .select('u.name')
        .where('m.account_id', '=', accountId),
    )
    .execute()
}

export function insertStore({ db, accountId }: AccountTx, store: Omit<Insertable<StoresTable>, 'account_id'>) {
  return db
    .insertInto('stores')
    .values({ ...store, account_id: accountId })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export function insertSendSchedule({ db, storeId }: StoreTx) {
  return db
    .insertInto('send_schedule')
    .values({ store_id: storeId })
    .onConflict((conflict) => conflict.column('store_id').doNothing())
    .execute()
}

/** undefined if already disconnected. */
export function deactivate({ db, storeId }: StoreTx, now: Date, by: DisconnectedBy) {
  return db
    .updateTable('stores')
    .set({ is_active: false, disconnected_at: now, disconnected_by: by, rests_since: null })
    .where('id', '=', storeId)
    .where('is_active', '=', true)
    .returning('account_id')
    .executeTakeFirst()
}

/** The caller updates the effective timeout in the same transaction (`refreshTimeout` of the flows). */
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
    .where('kind', '=', 'flow')
    .where('is_on', '=', true)
    .executeTakeFirst()
}

/**
 * Blocks a reconnection until the data is deleted; undefined if the store is connected again or was disconnected only
 * recently.
 */
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

/**
 * Steps and campaigns reference templates, which the cascade of the store's row deletes first, so they must be deleted
 * before.
 */
export async function deleteFlowSteps({ db, storeId }: StoreTx) {
  await db.deleteFrom('flow_steps').where('store_id', '=', storeId).execute()
  await db.deleteFrom('campaigns').where('store_id', '=', storeId).execute()
}

/** The row's cascade deletes the rest. */
export function deleteStore({ db, storeId }: StoreTx) {
  return db.deleteFrom('stores').where('id', '=', storeId).execute()
}
