import type { Db } from './db.ts'

// The few look-ups made before a store or an account is known. Nothing else may use the bare database.

export async function sessionByToken(db: Db, hash: Buffer, now: Date) {
  const row = await db
    .selectFrom('sessions as s')
    .innerJoin('members as m', (on) =>
      on.onRef('m.account_id', '=', 's.account_id').onRef('m.user_id', '=', 's.user_id'),
    )
    .innerJoin('accounts as a', 'a.id', 's.account_id')
    .select(['s.id', 's.user_id', 's.account_id', 's.store_id', 'm.role', 'a.is_demo'])
    .where('s.token_hash', '=', hash)
    .where('s.expires_at', '>', now)
    .executeTakeFirst()
  if (!row) return undefined
  return {
    sessionId: row.id,
    userId: row.user_id,
    accountId: row.account_id,
    storeId: row.store_id,
    role: row.role,
    isDemo: row.is_demo,
  }
}

export function storeByCaptureKey(db: Db, captureKey: string) {
  return db
    .selectFrom('stores')
    .select(['id', 'account_id', 'url', 'home_url', 'is_active'])
    .where('capture_key', '=', captureKey)
    .executeTakeFirst()
}

/** A link's token, whatever store it belongs to; the purpose must fit (X1). */
export function linkToken(db: Db, hash: Buffer, purpose: 'restore' | 'click' | 'unsubscribe', now: Date) {
  return db
    .selectFrom('link_tokens')
    .selectAll()
    .where('token_hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Leases last seconds: one that ends later was given out before the clock stepped back. */
const LONGEST_LEASE_MS = 2 * 60_000

/** Stores with something to send by now that no process is sending for, the longest waiting first. */
export function dueStores(db: Db, now: Date, limit: number) {
  return db
    .selectFrom('store_send')
    .select('store_id')
    .where('next_due_at', '<=', now)
    .where((eb) =>
      eb.or([
        eb('lease_until', 'is', null),
        eb('lease_until', '<=', now),
        eb('lease_until', '>', new Date(now.getTime() + LONGEST_LEASE_MS)),
      ]),
    )
    .orderBy('next_due_at')
    .limit(limit)
    .execute()
}
