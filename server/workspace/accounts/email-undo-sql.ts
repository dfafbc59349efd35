import type { Db, Tx } from '../../core/db/db.ts'

// Changes of address that the old one can take back: SQL and nothing else.

export function insertUndo(tx: Tx, undo: { id: string; userId: string; email: string; now: Date; expiresAt: Date }) {
  const { id, userId, email, now, expiresAt } = undo
  return tx
    .insertInto('email_undos')
    .values({ id, user_id: userId, email, created_at: now, expires_at: expiresAt })
    .execute()
}

/** Who else may take this address back. */
export function holderOfEmail(tx: Tx, email: string, now: Date) {
  return tx
    .selectFrom('email_undos')
    .select('user_id')
    .where('email', '=', email)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** What the mail says, once the token of its link is kept; undefined when it is used or too old. */
export async function keepUndoToken(db: Db, undoId: string, tokenHash: Buffer, now: Date) {
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

/** Whose token this is, whether or not it is still good. */
export function userOfUndo(tx: Tx, tokenHash: Buffer) {
  return tx.selectFrom('email_undos').select('user_id').where('token_hash', '=', tokenHash).executeTakeFirst()
}

/** Used up: of two at once one gets it. */
export function spendUndo(tx: Tx, tokenHash: Buffer, now: Date) {
  return tx
    .deleteFrom('email_undos')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .returning(['user_id', 'email', 'created_at'])
    .executeTakeFirst()
}

/** Later changes were made by whoever made this one. */
export function deleteUndosSince(tx: Tx, userId: string, since: Date) {
  return tx.deleteFrom('email_undos').where('user_id', '=', userId).where('created_at', '>=', since).execute()
}

export function deleteOldUndos(db: Db, now: Date) {
  return db.deleteFrom('email_undos').where('expires_at', '<=', now).execute()
}
