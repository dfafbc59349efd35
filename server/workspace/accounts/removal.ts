import type { z } from 'zod'
import { DELETE_WORD } from '../../../shared/workspace/account.ts'
import { assertPassword, refuseDemo, type Session } from '../../access/members/public.ts'

import { endPayments } from '../../billing/payments/public.ts'
import { AppError } from '../../core/common/public.ts'
import { type AccountDb, type AccountTx, transactAccount, withRetry } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { removeAccountStores, stopAccountStores } from '../store-settings/public.ts'
import { removeAccount } from './jobs.ts'
import { notifyAccountDeleted } from './mails.ts'
import * as sql from './removal-sql.ts'
import { lockTeam } from './team-sql.ts'

// Deletes an account, immediately and permanently. One commit stops sending, ends the subscription, and deletes API
// keys and members; a job then deletes the stores' data, which may be millions of rows.
// There is no grace period: a copy kept "just in case" would contain what the user asked to delete.

export async function deleteAccount(
  deps: Deps,
  account: AccountDb,
  session: Session,
  confirmed: { confirmation: string; password: string },
): Promise<void> {
  refuseDemo(session)
  if (confirmed.confirmation.trim().toLowerCase() !== DELETE_WORD) {
    const message = `Type “${DELETE_WORD}” to confirm.`
    throw new AppError('invalid', message, { fields: { confirmation: message } })
  }
  const user = await assertPassword(deps, session, { password: confirmed.password, field: 'password' })
  // Locks every store of the account, which can deadlock with incoming mail replies.
  const { name, removeHooks } = await withRetry(() => transactAccount(account, (tx) => endAccount(deps, tx)))
  // Failures at stores or mail server no longer matter.
  await Promise.allSettled([removeHooks(), notifyAccountDeleted(deps, user, name)])
}

async function endAccount(deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now' | 'secrets' | 'storeClient'>, tx: AccountTx) {
  const { accountId } = tx
  await lockTeam(tx)
  const marked = await sql.markDeleted(tx, deps.now())
  if (!marked) throw new AppError('conflict', 'This account is already being deleted.')
  const removeHooks = await stopAccountStores(deps, tx)
  await sql.deleteSubscription(tx)
  await endPayments(deps, tx)
  await sql.deleteUsersWithoutAccount(tx.db, await sql.deleteMembers(tx))
  await deps.jobs.enqueue(tx.db, removeAccount, { accountId }, accountId)
  return { name: marked.name, removeHooks }
}

/** The job; may run again. */
export async function removeAccountData(deps: Pick<Deps, 'db'>, { accountId }: z.infer<typeof removeAccount.payload>) {
  const account = { accountId, db: deps.db }
  if (!(await sql.isDeleted(deps.db, accountId))) return
  await removeAccountStores(account)
  await sql.deleteAccount(account)
}
