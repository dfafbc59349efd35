import { type AccountDb, type Db, type StoreDb, sql } from '../../core/db/db.ts'

// Codes by which plugins are connected, and ways back: SQL and nothing else.

export function insertCode(
  { db, accountId }: AccountDb,
  code: {
    id: string
    user_id: string
    session_id: string
    encrypted_key: Buffer
    home_url: string
    created_at: Date
    expires_at: Date
  },
) {
  return db
    .insertInto('plugin_codes')
    .values({ account_id: accountId, ...code })
    .execute()
}

/** Whether it was free. */
export async function takeCode({ db, accountId }: AccountDb, id: string, now: Date): Promise<boolean> {
  const row = await db
    .updateTable('plugin_codes')
    .set({ used_at: now })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** The mistake was ours: the plugin may try again. */
export async function freeCode({ db, accountId }: AccountDb, id: string): Promise<void> {
  await db
    .updateTable('plugin_codes')
    .set({ used_at: null })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute()
}

export async function accountName(db: Db, accountId: string): Promise<string> {
  const row = await db.selectFrom('accounts').select('name').where('id', '=', accountId).executeTakeFirst()
  return row?.name ?? ''
}

/** Ours to prove from now on; the unique index refuses a second. */
export async function proveAddress({ db, storeId }: StoreDb): Promise<void> {
  await sql`update stores set is_address_proven = true where id = ${storeId} and not is_address_proven`.execute(db)
}
