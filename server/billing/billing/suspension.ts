import { notifyAccount } from '../../access/notifications/public.ts'
import type { AccountTx } from '../../core/db/public.ts'
import { wakeMessagesOf } from '../../messages/messages/public.ts'

// An operator suspends the sending of an account and resumes it (decision 90). Both run in the caller's transaction,
// which also logs the operator.

/** Returns false if it is already suspended. Its members see the reason and the contact. */
export async function suspendAccount(
  tx: AccountTx,
  { reason, operatorId, support, now }: { reason: string; operatorId: string; support: string; now: Date },
): Promise<boolean> {
  if (!(await suspend(tx, { reason, operatorId, now }))) return false
  await notifyAccount(tx, { type: 'account_suspended', data: { reason, support }, at: now })
  return true
}

/** Returns false if it is not suspended. Wakes held messages. */
export async function resumeAccount(tx: AccountTx, now: Date): Promise<boolean> {
  if (!(await resume(tx))) return false
  await wakeMessagesOf(tx.db, tx.accountId, ['account_suspended'], now)
  await notifyAccount(tx, { type: 'account_resumed', data: {}, at: now })
  return true
}

// SQL for suspended accounts.

/** Returns undefined if the account is suspended already, or gone. */
function suspend(
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
function resume({ db, accountId }: AccountTx) {
  return db
    .updateTable('accounts')
    .set({ suspended_at: null, suspended_reason: null, suspended_by: null })
    .where('id', '=', accountId)
    .where('suspended_at', 'is not', null)
    .returning('id')
    .executeTakeFirst()
}
