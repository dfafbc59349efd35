import type { AccountTx } from '../../core/db/db.ts'
import { wakeMessagesOf } from '../../messages/messages/messages.ts'
import { notifyAccount } from '../../access/notifications/notifications.ts'
import * as sql from './suspension-sql.ts'

// An operator suspends the sending of an account, and lets it go on (decision 90). Both in the caller's transaction, which also writes down
// who did it.

/** False: it is suspended already. Its members read the reason, and whom to write to. */
export async function suspendAccount(
  tx: AccountTx,
  { reason, operatorId, support, now }: { reason: string; operatorId: string; support: string; now: Date },
): Promise<boolean> {
  if (!(await sql.suspend(tx, { reason, operatorId, now }))) return false
  await notifyAccount(tx, { type: 'account_suspended', data: { reason, support }, at: now })
  return true
}

/** False: it is not suspended. What was held for it is looked at again. */
export async function resumeAccount(tx: AccountTx, now: Date): Promise<boolean> {
  if (!(await sql.resume(tx))) return false
  await wakeMessagesOf(tx.db, tx.accountId, ['account_suspended'], now)
  await notifyAccount(tx, { type: 'account_resumed', data: {}, at: now })
  return true
}
