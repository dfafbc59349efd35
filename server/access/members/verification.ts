import { authTexts } from '../../../shared/access/auth.ts'
import { AppError, isSameSecret, requireFound } from '../../core/common/public.ts'
import { type AccountDb, type AccountTx, clientNetwork, takeMany, takePoint } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { chooseMailRoute, NO_MAIL_SERVER } from '../../messages/channels/public.ts'
import { mailVerification } from './jobs.ts'
import { limits } from './limits.ts'
import { addMs, customTextLimit, VERIFICATION_MS } from './rules.ts'
import type { Session } from './session.ts'
import { findUserById } from './users-sql.ts'
import * as sql from './verification-sql.ts'

// Registering does not prove an address. Until its owner follows a mailed link, the account sends no mail with its own
// text: no messages, test mails or invitations. The link contains its own proof, for this address only.

export function createVerificationToken(
  { secrets, now }: Pick<Deps, 'now' | 'secrets'>,
  user: { id: string; email: string },
): string {
  const subject = `${user.id}.${addMs(now(), VERIFICATION_MS).getTime()}`
  return `${subject}.${secrets.token('verify-email', `${subject}.${user.email}`)}`
}

export async function verifyEmail(
  deps: Pick<Deps, 'db' | 'now' | 'pool' | 'secrets'>,
  input: { token: string; ip: string },
): Promise<void> {
  await takePoint(deps, limits.emailConfirmPerClient, clientNetwork(input.ip))
  const [userId = '', expires = '', mac = ''] = input.token.split('.')
  const isShaped = /^[\da-f-]{36}$/.test(userId) && /^\d{13}$/.test(expires) && Number(expires) > deps.now().getTime()
  const user = isShaped ? await findUserById(deps.db, userId) : undefined
  const expected = deps.secrets.token('verify-email', `${userId}.${expires}.${user?.email}`)
  const isProven = user && isSameSecret(mac, expected)
  if (!isProven || !(await sql.confirmAddress(deps.db, user.id, user.email, deps.now()))) {
    throw new AppError('invalid', authTexts.invalidVerification)
  }
}

export async function resendVerification(
  deps: Pick<Deps, 'config' | 'db' | 'jobs' | 'pool' | 'secrets'>,
  session: Session,
): Promise<string> {
  const user = requireFound(await findUserById(deps.db, session.userId), 'User')
  if (session.isDemo || user.email_confirmed_at) return 'Your email address is already confirmed.'
  const route = chooseMailRoute(deps.config)
  if (route === 'none') throw new AppError('unprocessable', NO_MAIL_SERVER)
  await takePoint(deps, limits.verificationPerUser, session.userId)
  await takePoint(deps, limits.linkPerAddress, user.email)
  await deps.jobs.enqueue(deps.db, mailVerification, { userId: session.userId })
  return route === 'mailbox' ? authTexts.verificationInMailbox : `We have sent a link to ${user.email}.`
}

/** Call before our domain sends mail with the account's text. */
export async function assertVerified(account: AccountDb | AccountTx): Promise<void> {
  const verification = requireFound(await sql.readVerification(account), 'Account')
  assertNotSuspended(verification)
  assertConfirmed(verification)
}

/** The same check for messages, which an account with its own mail server sends from its own domain. */
export async function assertMayMail(account: AccountDb | AccountTx): Promise<void> {
  const verification = requireFound(await sql.readVerification(account), 'Account')
  assertNotSuspended(verification)
  if (isUnconfirmed(verification)) throw new AppError('forbidden', authTexts.verifyFirst)
}

/** Whether the account cannot send messages until an address is confirmed. */
export async function needsConfirmedAddress(account: AccountDb | AccountTx): Promise<boolean> {
  return isUnconfirmed(requireFound(await sql.readVerification(account), 'Account'))
}

type Verification = NonNullable<Awaited<ReturnType<typeof sql.readVerification>>>

const isUnconfirmed = ({ has_own_server, is_demo, is_confirmed }: Verification) =>
  !has_own_server && !is_demo && !is_confirmed

/** An operator suspended the account: test mails and invitations are blocked too (decision 90). */
function assertNotSuspended({ suspended_reason: reason }: Verification): void {
  if (reason !== null) throw new AppError('forbidden', `Sending of your account is suspended: ${reason}`)
}

function assertConfirmed({ is_demo, is_confirmed }: { is_demo: boolean; is_confirmed: unknown }): void {
  if (!is_demo && !is_confirmed) throw new AppError('forbidden', authTexts.verifyFirst)
}

/** Counts mails with custom text, whose limit grows with the account's age. The count is part of the transaction. */
export async function takeOwnText(
  deps: Pick<Deps, 'config' | 'now' | 'secrets'>,
  account: AccountTx,
  count: number,
): Promise<void> {
  const verification = requireFound(await sql.readVerification(account), 'Account')
  const maxEmails = customTextLimit(verification.created_at, deps.now())
  // Only this machine reaches an instance in local mode, and the demo's mail stays in its own mailbox.
  if (maxEmails === null || verification.is_demo || verification.has_own_server || deps.config.isLocal) return
  const limit = { ...limits.ownTextPerAccount, points: maxEmails }
  const waitS = await takeMany(deps, limit, { db: account.db, subject: account.accountId, count })
  if (waitS === 0) return
  const message = `A new account can send ${maxEmails} emails with custom text in 24 hours. Use the default text, or try again later: the limit rises after a day, a week and a month.`
  throw new AppError('rate_limited', message, { retryAfterS: waitS })
}
