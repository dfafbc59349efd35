import { type Db, type StoreDb, type StoreTx, sql } from '../../core/db/db.ts'

// Statements for idempotent requests (D9).

export interface StoredRequest {
  body_hash: Buffer
  made: string
  answer: unknown
  expires_at: Date
}

/**
 * Stores the request under its key. Returns false if the key already has a valid request; a concurrent second request
 * waits for the first commit.
 */
export async function storeRequest(
  { db, storeId }: StoreTx,
  wanted: { userId: string; key: string; bodyHash: Buffer; made: string; now: Date; until: Date },
): Promise<boolean> {
  const { userId, key, bodyHash, made, now, until } = wanted
  const rows = await sql`
    insert into idempotency_keys as r (store_id, user_id, key, body_hash, made, created_at, expires_at)
    values (${storeId}, ${userId}, ${key}, ${bodyHash}, ${made}, ${now}, ${until})
    on conflict (store_id, user_id, key) do update set body_hash = excluded.body_hash, made = excluded.made, answer = null,
      created_at = excluded.created_at, expires_at = excluded.expires_at
      where r.expires_at <= ${now} returning 1`.execute(db)
  return rows.rows.length > 0
}

export function readRequest({ db, storeId }: StoreDb, userId: string, key: string): Promise<StoredRequest | undefined> {
  return db
    .selectFrom('idempotency_keys')
    .select(['body_hash', 'made', 'answer', 'expires_at'])
    .where('store_id', '=', storeId)
    .where('user_id', '=', userId)
    .where('key', '=', key)
    .executeTakeFirst()
}

/** Keeps an existing answer. */
export async function storeReply(
  { db, storeId }: StoreDb,
  made: string,
  userId: string,
  answer: unknown,
): Promise<void> {
  await sql`update idempotency_keys set answer = ${JSON.stringify(answer)}::jsonb
    where store_id = ${storeId} and user_id = ${userId} and made = ${made} and answer is null`.execute(db)
}

export async function deleteRequest(
  { db, storeId }: StoreDb,
  userId: string,
  key: string,
  made: string,
): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where('store_id', '=', storeId)
    .where('user_id', '=', userId)
    .where('key', '=', key)
    .where('made', '=', made)
    .execute()
}

export async function deleteOldRequests(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('idempotency_keys').where('expires_at', '<=', now).execute()
}
