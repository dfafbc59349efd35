import crypto from 'node:crypto'
import { authTexts } from '../../shared/auth.ts'
import { normalizeEmail } from '../../shared/contact.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { tokenHash } from '../secrets.ts'
import { mailReset } from './jobs.ts'
import { forgive, limits, take } from './limits.ts'
import { hashPassword } from './passwords.ts'
import { clientNetwork } from './rules.ts'
import * as sql from './sql.ts'

// A forgotten password. The link is made and mailed by a job (mails.ts), so the answer takes the same time for every address.

export async function requestReset(deps: Deps, asked: { email: string; ip: string }): Promise<void> {
  // What is no address is a slip of the fingers and nobody's: saying so tells nothing about anybody.
  const email = normalizeEmail(asked.email)
  if (!email) throw new AppError('invalid', authTexts.emailInvalid, { fields: { email: authTexts.emailInvalid } })
  await take(deps, limits.forgotPerClient, clientNetwork(asked.ip))
  await take(deps, limits.forgotPerAddress, email)
  const user = await sql.userByEmail(deps.db, email)
  await deps.jobs.enqueue(deps.db, mailReset, { userId: user?.id ?? crypto.randomUUID() })
}

/** Ends every session of the user, wherever they are signed in, and every other link still open. */
export async function resetPassword(deps: Deps, asked: { token: string; password: string; ip: string }): Promise<void> {
  await take(deps, limits.resetPerClient, clientNetwork(asked.ip))
  const passwordHash = await hashPassword(asked.password)
  const now = deps.now()
  const email = await deps.db.transaction().execute(async (tx) => {
    const reset = await sql.useReset(tx, tokenHash(asked.token), now)
    if (!reset) throw new AppError('invalid', authTexts.invalidResetLink)
    await sql.useOtherResets(tx, reset.user_id, now)
    await sql.deleteSessionsOf(tx, reset.user_id)
    return (await sql.setPassword(tx, reset.user_id, passwordHash))?.email
  })
  // Whoever was locked out by somebody else's guesses gets in with the new password.
  if (email) await forgive(deps, limits.signInPerAddress, email)
}
