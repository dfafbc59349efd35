import { notifyAccount } from '../../access/notifications/notifications.ts'
import type { AccountTx } from '../../core/db/db.ts'
import { wakeMessagesOf } from '../../messages/messages/messages.ts'
import * as sql from './suspension-sql.ts'

// An operator suspends the sending of an account and resumes it (decision 90). Both run in the caller's transaction,
// which also logs the operator.

/** Returns false if it is already suspended. Its members see the reason and the contact. */
export async function suspendAccount(
  tx: AccountTx,
  { reason, operatorId, support, now }: { reason: string; operatorId: string; support: string; now: Date },
): Promise<boolean> {
  if (!(await sql.suspend(tx, { reason, operatorId, now }))) return false
  await notifyAccount(tx, { type: 'account_suspended', data: { reason, support }, at: now })
  return true
}

/** Returns false if it is not suspended. Wakes held messages. */
export async function resumeAccount(tx: AccountTx, now: Date): Promise<boolean> {
  if (!(await sql.resume(tx))) return false
  await wakeMessagesOf(tx.db, tx.accountId, ['account_suspended'], now)
  await notifyAccount(tx, { type: 'account_resumed', data: {}, at: now })
  return true
}
