import type { Db, Tx } from '../../core/db/public.ts'

// SQL for a user's name and address.

export function deleteEmailChange(db: Db | Tx, userId: string) {
  return db.deleteFrom('email_changes').where('user_id', '=', userId).execute()
}

/** Only for an address confirmed by mail. */
export function setEmail(tx: Tx, userId: string, email: string, now: Date) {
  return tx.updateTable('users').set({ email, email_confirmed_at: now }).where('id', '=', userId).execute()
}
