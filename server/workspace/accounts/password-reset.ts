import crypto from 'node:crypto'
import { authTexts } from '../../../shared/access/auth.ts'
import { normalizeEmail } from '../../../shared/core/contact.ts'
import { confirmAddress, findUserByEmail, hashPassword, limits, lockUser } from '../../access/members/public.ts'
import { removeSecondFactor } from '../../access/second-factor/public.ts'
import { AppError, hashToken } from '../../core/common/public.ts'
import { clientNetwork, type Tx, takePoint, tryTakePoint } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { chooseMailRoute } from '../../messages/channels/public.ts'
import { mailReset } from './jobs.ts'
import { resetFailures } from './login-throttle.ts'
import { deleteEmailChange } from './profile-sql.ts'
import * as sql from './sql.ts'

// Password reset. A job creates and mails the link (mails.ts), so the answer takes the same time for every address.

/**
 * Returns where the link goes, for known and unknown addresses. Without a mail server there is no link, and the answer
 * says so.
 */
export async function requestReset(
  deps: Pick<Deps, 'config' | 'db' | 'jobs' | 'pool' | 'secrets'>,
  request: { email: string; ip: string },
): Promise<string> {
  // Reporting an invalid address reveals nothing about users.
  const email = normalizeEmail(request.email)
  if (!email) throw new AppError('invalid', authTexts.emailInvalid, { fields: { email: authTexts.emailInvalid } })
  const route = chooseMailRoute(deps.config)
  if (route === 'none') throw new AppError('unprocessable', `${authTexts.resetUnsendable}: ${deps.config.supportEmail}`)
  await takePoint(deps, limits.forgotPerClient, clientNetwork(request.ip))
  await takePoint(deps, limits.forgotPerPair, `${email}\0${clientNetwork(request.ip)}`)
  // At the limit, the answer is unchanged and earlier links still work, so that requests by others do not block the
  // user.
  const isEnough = (await tryTakePoint(deps, limits.forgotPerAddress, email)) > 0
  const user = await findUserByEmail(deps.db, email)
  await deps.jobs.enqueue(deps.db, mailReset, {
    userId: (isEnough ? undefined : user?.id) ?? crypto.randomUUID(),
  })
  return route === 'mailbox' ? authTexts.resetInMailbox : authTexts.resetSent
}

/**
 * Ends all sessions, other open links and unconfirmed changes of address of the user: they may have been requested by
 * someone who knew the old password.
 */
export async function resetPassword(
  deps: Pick<Deps, 'db' | 'now' | 'pool' | 'secrets'>,
  input: { token: string; password: string; ip: string },
): Promise<void> {
  await takePoint(deps, limits.resetPerClient, clientNetwork(input.ip))
  const passwordHash = await hashPassword(input.password)
  const now = deps.now()
  const email = await deps.db.transaction().execute(async (tx) => {
    const reset = await lockResetUser(tx, hashToken(input.token), now)
    await sql.consumeOtherResets(tx, reset.user_id, now)
    await deleteEmailChange(tx, reset.user_id)
    await sql.deleteUserSessions(tx, reset.user_id)
    // A factor set before the address was confirmed may not belong to its owner.
    if (!reset.isProven) await removeSecondFactor(tx, reset.user_id)
    const user = await sql.setPassword(tx, reset.user_id, passwordHash)
    // The link proves access to this address.
    if (user) await confirmAddress(tx, reset.user_id, user.email, now)
    return user?.email
  })
  // A user locked out by others' guesses gets in with the new password.
  if (email) await resetFailures(deps, { email, ip: input.ip })
}

async function lockResetUser(tx: Tx, hash: Buffer, now: Date) {
  const owner = await findResetUser(tx, hash)
  const user = owner && (await lockUser(tx, owner.user_id))
  const reset = await consumeReset(tx, hash, now)
  if (!reset) throw new AppError('invalid', authTexts.invalidResetLink)
  return { ...reset, isProven: Boolean(user?.email_confirmed_at) }
}

/** The user of the token, even if it has expired. */
function findResetUser(tx: Tx, tokenHash: Buffer) {
  return tx.selectFrom('password_resets').select('user_id').where('token_hash', '=', tokenHash).executeTakeFirst()
}

/**
 * Consumes the token and returns its user; undefined if unknown, used or expired. One of two concurrent callers gets
 * it.
 */
function consumeReset(tx: Tx, tokenHash: Buffer, now: Date) {
  return tx
    .updateTable('password_resets')
    .set({ used_at: now })
    .where('token_hash', '=', tokenHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('user_id')
    .executeTakeFirst()
}
