import type { Updateable } from 'kysely'

import type { StoreDb, StoreTx } from '../../core/db/public.ts'
import type { StoresTable } from '../../core/schema/public.ts'

// SQL for connection, settings and deletion of a store.

/** The caller updates the effective timeout in the same transaction (`refreshTimeout` of the flows). */
export function saveSettings({ db, storeId }: StoreTx, change: Updateable<StoresTable>) {
  return db
    .updateTable('stores')
    .set((set) => ({ ...change, settings_version: set('settings_version', '+', 1) }))
    .where('id', '=', storeId)
    .execute()
}

export function findActiveFlow({ db, storeId }: StoreDb) {
  return db
    .selectFrom('flows')
    .select(['id', 'name'])
    .where('store_id', '=', storeId)
    .where('kind', '=', 'flow')
    .where('is_on', '=', true)
    .executeTakeFirst()
}
