import type { Db, Tx } from '../../core/db/db.ts'

// Statements for a user's name and address.

export function setName(db: Db, userId: string, name: string) {
  return db.updateTable('users').set({ name }).where('id', '=', userId).execute()
}

/** undefined if no change is requested, or the request has expired. */
export function openEmailChange(db: Db | Tx, userId: string, now: Date) {
  return db
    .selectFrom('email_changes')
    .select(['email', 'expires_at'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Replaces an earlier request and invalidates its link. */
export function saveEmailChange(db: Tx, change: { userId: string; email: string; now: Date; expiresAt: Date }) {
  const { email, now, expiresAt } = change
  const news = { email, token_hash: null, created_at: now, expires_at: expiresAt }
  return db
    .insertInto('email_changes')
    .values({ user_id: change.userId, ...news })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(news))
    .execute()
}

/** Stores the token of the link and returns the new address; undefined if the request is gone. */
export function saveEmailToken(db: Db, userId: string, tokenHash: Buffer, now: Date) {
  return db
    .updateTable('email_changes')
    .set({ token_hash: tokenHash })
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .returning('email')
    .executeTakeFirst()
}

export function deleteEmailChange(db: Db | Tx, userId: string) {
  return db.deleteFrom('email_changes').where('user_id', '=', userId).execute()
}

/** The user of the token, even if it has expired. */
export function findEmailChangeUser(tx: Tx, tokenHash: Buffer) {
  return tx.selectFrom('email_changes').select('user_id').where('token_hash', '=', tokenHash).executeTakeFirst()
}

/** Consumes the token; of two concurrent requests, one gets it. */
export function consumeEmailChange(tx: Tx, tokenHash: Buffer, now: Date) {
  return tx
    .deleteFrom('email_changes')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .returning(['user_id', 'email'])
    .executeTakeFirst()
}

/** Only for an address confirmed by mail. */
export function setEmail(tx: Tx, userId: string, email: string, now: Date) {
  return tx.updateTable('users').set({ email, email_confirmed_at: now }).where('id', '=', userId).execute()
}

export function deleteOldEmailChanges(db: Db, now: Date) {
  return db.deleteFrom('email_changes').where('expires_at', '<=', now).execute()
}
