import type { AccountTx, Db, Tx } from '../../core/db/db.ts'

// Statements for a user's sessions, which may belong to several accounts.

export function sessionsOf(db: Db, userId: string, now: Date) {
  return db
    .selectFrom('sessions as s')
    .innerJoin('members as m', (on) =>
      on.onRef('m.account_id', '=', 's.account_id').onRef('m.user_id', '=', 's.user_id'),
    )
    .innerJoin('accounts as a', 'a.id', 's.account_id')
    .select(['s.id', 's.device', 's.created_at', 's.last_seen_at', 'a.name as account_name'])
    .where('s.user_id', '=', userId)
    .where('s.expires_at', '>', now)
    .orderBy('s.last_seen_at', 'desc')
    .orderBy('s.id', 'desc')
    .limit(200)
    .execute()
}

/** undefined if it is no session of this user. */
export function deleteSessionOf(db: Db, userId: string, sessionId: string) {
  return db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id', '=', sessionId)
    .returning('id')
    .executeTakeFirst()
}

/** Returns how many ended. `exceptId` null: all of them. */
export async function deleteSessionsExcept(db: Db | Tx, userId: string, exceptId: string | null): Promise<number> {
  let ended = db.deleteFrom('sessions').where('user_id', '=', userId)
  if (exceptId !== null) ended = ended.where('id', '<>', exceptId)
  return Number((await ended.executeTakeFirst()).numDeletedRows)
}

export function deleteSessionsIn({ db, accountId }: AccountTx, userId: string) {
  return db.deleteFrom('sessions').where('account_id', '=', accountId).where('user_id', '=', userId).execute()
}

/** Moves the session to another account and one of its stores. */
export function moveSession({ db, accountId }: AccountTx, sessionId: string, toAccountId: string) {
  return db
    .updateTable('sessions')
    .set({ account_id: toAccountId, store_id: null })
    .where('account_id', '=', accountId)
    .where('id', '=', sessionId)
    .execute()
}
