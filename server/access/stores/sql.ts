import type { Selectable, Updateable } from 'kysely'
import { type AccountDb, type AccountTx, type Db, type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'
import type { StoresTable } from '../../core/schema/public.ts'

// SQL for stores. Those for syncs and webhooks are in sync-sql.ts and webhook-sql.ts.

export type StoreRow = Selectable<StoresTable>

export function listStores({ db, accountId }: AccountDb) {
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

/** Locks the store as connected until the transaction ends; false when disconnected or being changed. */
export async function lockConnected({ db, storeId }: StoreTx): Promise<boolean> {
  const { rows } =
    await sql`select 1 from stores s where s.id = ${storeId} and s.is_active for share skip locked`.execute(db)
  return rows.length > 0
}

export function isDemoAccount({ db, accountId }: AccountDb) {
  return db
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', accountId)
    .where('is_demo', '=', true)
    .executeTakeFirst()
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

/** How long a platform signs with the previous secret after a change. */
const PREVIOUS_KEYS_MS = 3_600_000

export function saveCredentials({ db, accountId }: AccountTx, storeId: string, encrypted: Buffer, now: Date) {
  return db
    .insertInto('store_credentials')
    .values({ account_id: accountId, store_id: storeId, encrypted, updated_at: now })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'store_id']).doUpdateSet((eb) => ({
        encrypted,
        encrypted_token: null,
        previous_encrypted: eb.ref('store_credentials.encrypted'),
        previous_until: new Date(now.getTime() + PREVIOUS_KEYS_MS),
        updated_at: now,
      })),
    )
    .execute()
}

export function readEncryptedKeys({ db, storeId }: StoreDb) {
  return db
    .selectFrom('stores as s')
    .leftJoin('store_credentials as c', (on) =>
      on.onRef('c.account_id', '=', 's.account_id').onRef('c.store_id', '=', 's.id'),
    )
    .select([
      ...(['s.id', 's.account_id', 's.platform', 's.url', 's.home_url', 's.is_active'] as const),
      ...(['c.encrypted', 'c.previous_encrypted', 'c.previous_until'] as const),
    ])
    .where('s.id', '=', storeId)
    .executeTakeFirst()
}

export async function readToken({ db, storeId }: StoreDb): Promise<Buffer | null> {
  const row = await db
    .selectFrom('store_credentials')
    .select('encrypted_token')
    .where('store_id', '=', storeId)
    .executeTakeFirst()
  return row?.encrypted_token ?? null
}

/** Locks keys and token until the transaction ends. undefined: the store has none any more. */
export function lockCredentials({ db, storeId }: StoreTx) {
  return db
    .selectFrom('store_credentials')
    .select(['account_id', 'encrypted', 'encrypted_token'])
    .where('store_id', '=', storeId)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

export function saveToken({ db, storeId }: StoreTx, encryptedToken: Buffer) {
  return db
    .updateTable('store_credentials')
    .set({ encrypted_token: encryptedToken })
    .where('store_id', '=', storeId)
    .execute()
}

/** Deletes replaced keys once they no longer sign. */
export function forgetPreviousKeys({ db, storeId }: StoreDb, now: Date) {
  return db
    .updateTable('store_credentials')
    .set({ previous_encrypted: null, previous_until: null })
    .where('store_id', '=', storeId)
    .where('previous_until', '<=', now)
    .execute()
}

export function deleteCredentials({ db, storeId }: StoreTx, accountId: string) {
  return db
    .deleteFrom('store_credentials')
    .where('account_id', '=', accountId)
    .where('store_id', '=', storeId)
    .execute()
}

/** Serialises concurrent saves. */
export function lockStore({ db, storeId }: StoreTx) {
  return db.selectFrom('stores').selectAll().where('id', '=', storeId).forNoKeyUpdate().executeTakeFirst()
}

/** Scans all stores for data past its retention. */
export function listStoresToPurge(db: Db, disconnectedBefore: Date) {
  return db
    .selectFrom('stores')
    .select('id')
    .where('is_active', '=', false)
    .where('disconnected_at', '<', disconnectedBefore)
    .limit(100)
    .execute()
}
