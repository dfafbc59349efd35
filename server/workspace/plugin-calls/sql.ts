import { type AccountDb, type Db, type StoreDb, sql } from '../../core/db/db.ts'

// Statements for connection codes.

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

/** Whether it was still unused. */
export async function claimCode({ db, accountId }: AccountDb, id: string, now: Date): Promise<boolean> {
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

/** Frees the code after an error of ours, so that the plugin can retry. */
export async function releaseCode({ db, accountId }: AccountDb, id: string): Promise<void> {
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

/** Marks the address as proven; the unique index rejects a second store. */
export async function proveAddress({ db, storeId }: StoreDb): Promise<void> {
  await sql`update stores set is_address_proven = true where id = ${storeId} and not is_address_proven`.execute(db)
}
