import { authTexts } from '../../../shared/access/auth.ts'
import { hashPassword, limits, lockUser, mailNotice } from '../../access/members/public.ts'

import { AppError, hashToken } from '../../core/common/public.ts'

import { clientNetwork, type Tx, takePoint } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { refreshMembers } from '../../shoppers/shoppers/public.ts'

import { resetFailures } from './login-throttle.ts'
import { deleteEmailChange, setEmail } from './profile-sql.ts'
import * as users from './sql.ts'
import { listUserAccounts } from './team-sql.ts'

// The old address can undo a change of address for 72 hours. Whoever made the change knew the password and had a
// session, so the undo sets a new password and ends every session.

/** Returns the restored address. */
export async function undoEmailChange(
  deps: Pick<Deps, 'db' | 'jobs' | 'now' | 'pool' | 'secrets'>,
  request: { token: string; password: string; ip: string },
): Promise<string> {
  await takePoint(deps, limits.emailUndoPerClient, clientNetwork(request.ip))
  const passwordHash = await hashPassword(request.password)
  const email = await deps.db
    .transaction()
    .execute((tx) => applyUndo(deps, tx, { hash: hashToken(request.token), passwordHash }))
  await resetFailures(deps, { email, ip: request.ip })
  return email
}

async function applyUndo(
  deps: Pick<Deps, 'jobs' | 'now'>,
  tx: Tx,
  change: { hash: Buffer; passwordHash: string },
): Promise<string> {
  const now = deps.now()
  const owner = await findUndoUser(tx, change.hash)
  const user = owner && (await lockUser(tx, owner.user_id))
  const undo = await consumeUndo(tx, change.hash, now)
  if (!user || !undo) throw new AppError('invalid', authTexts.invalidUndoLink)
  await setEmail(tx, user.id, undo.email, now)
  await users.setPassword(tx, user.id, change.passwordHash)
  await deleteEmailChange(tx, user.id)
  await deleteUndosSince(tx, user.id, undo.created_at)
  await users.consumeOtherResets(tx, user.id, now)
  await users.deleteUserSessions(tx, user.id)
  await deps.jobs.enqueue(tx, mailNotice, { userId: user.id, about: 'password-changed' })
  for (const { id } of await listUserAccounts(tx, user.id)) {
    await refreshMembers({ accountId: id, db: tx }, [user.email, undo.email])
  }
  return undo.email
}

/** The user of the token, even if it has expired. */
function findUndoUser(tx: Tx, tokenHash: Buffer) {
  return tx.selectFrom('email_undos').select('user_id').where('token_hash', '=', tokenHash).executeTakeFirst()
}

/** Consumes the token; of two concurrent requests, one gets it. */
function consumeUndo(tx: Tx, tokenHash: Buffer, now: Date) {
  return tx
    .deleteFrom('email_undos')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .returning(['user_id', 'email', 'created_at'])
    .executeTakeFirst()
}

/** Later changes were made by the same intruder. */
function deleteUndosSince(tx: Tx, userId: string, since: Date) {
  return tx.deleteFrom('email_undos').where('user_id', '=', userId).where('created_at', '>=', since).execute()
}
