import type { Db, Tx } from '../../core/db/db.ts'

// Statements for undoing a change of address.

export function insertUndo(tx: Tx, undo: { id: string; userId: string; email: string; now: Date; expiresAt: Date }) {
  const { id, userId, email, now, expiresAt } = undo
  return tx
    .insertInto('email_undos')
    .values({ id, user_id: userId, email, created_at: now, expires_at: expiresAt })
    .execute()
}

/** Another user who can still reclaim this address. */
export function findEmailHolder(tx: Tx, email: string, now: Date) {
  return tx
    .selectFrom('email_undos')
    .select('user_id')
    .where('email', '=', email)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Stores the token of the link and returns the mail's data; undefined if the undo is used or expired. */
export async function saveUndoToken(db: Db, undoId: string, tokenHash: Buffer, now: Date) {
  return db
    .updateTable('email_undos as e')
    .from('users as u')
    .set({ token_hash: tokenHash })
    .where('e.id', '=', undoId)
    .where('e.expires_at', '>', now)
    .whereRef('u.id', '=', 'e.user_id')
    .returning(['e.user_id', 'e.email', 'u.name', 'u.email as new_email'])
    .executeTakeFirst()
}

/** The user of the token, even if it has expired. */
export function findUndoUser(tx: Tx, tokenHash: Buffer) {
  return tx.selectFrom('email_undos').select('user_id').where('token_hash', '=', tokenHash).executeTakeFirst()
}

/** Consumes the token; of two concurrent requests, one gets it. */
export function consumeUndo(tx: Tx, tokenHash: Buffer, now: Date) {
  return tx
    .deleteFrom('email_undos')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .returning(['user_id', 'email', 'created_at'])
    .executeTakeFirst()
}

/** Later changes were made by the same intruder. */
export function deleteUndosSince(tx: Tx, userId: string, since: Date) {
  return tx.deleteFrom('email_undos').where('user_id', '=', userId).where('created_at', '>=', since).execute()
}

export function deleteOldUndos(db: Db, now: Date) {
  return db.deleteFrom('email_undos').where('expires_at', '<=', now).execute()
}
