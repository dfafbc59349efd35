import type { AccountDb, StoreDb } from '../db.ts'

// Stores: SQL and nothing else.

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
