import type { AccountTx } from '../../core/db/db.ts'

// Statements on suspended accounts.

/** Returns undefined if the account is suspended already, or gone. */
export function suspend(
  { db, accountId }: AccountTx,
  { reason, operatorId, now }: { reason: string; operatorId: string; now: Date },
) {
  return db
    .updateTable('accounts')
    .set({ suspended_at: now, suspended_reason: reason, suspended_by: operatorId })
    .where('id', '=', accountId)
    .where('suspended_at', 'is', null)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
}

/** Returns undefined if it is not suspended. */
export function resume({ db, accountId }: AccountTx) {
  return db
    .updateTable('accounts')
    .set({ suspended_at: null, suspended_reason: null, suspended_by: null })
    .where('id', '=', accountId)
    .where('suspended_at', 'is not', null)
    .returning('id')
    .executeTakeFirst()
}
