import type { z } from 'zod'
import type { mailNotice, mailVerification } from '../../access/members/jobs.ts'
import { INVITATION_MS, later, RESET_MS, readSender } from '../../access/members/rules.ts'
import { findUserById } from '../../access/members/users.ts'
import { createVerificationToken } from '../../access/members/verification.ts'
import { hasAddress } from '../../core/common/addresses-in-text.ts'
import { newId } from '../../core/common/ids.ts'
import { randomToken, tokenHash } from '../../core/common/secrets.ts'
import type { Deps } from '../../deps.ts'
import type { Outcome } from '../../messages/channels/channel.ts'
import { authorizeAccountMail } from '../../messages/channels/send-authorization.ts'
import { type AccountMail, renderAccountMail } from './account-mail.ts'
import { saveUndoToken } from './email-undo-sql.ts'
import * as invitations from './invitation-sql.ts'
import type { mailEmailChange, mailEmailUndo, mailInvitation, mailRegistration, mailReset } from './jobs.ts'
import * as words from './mail-copy.ts'
import { saveEmailToken } from './profile-sql.ts'
import * as sql from './sql.ts'

// Sends account mail (texts: mail-copy.ts). It is no marketing: plan volume and suppressions do not apply.

/** The token exists only in the mail; the job that creates it carries just an id. */
export async function mailResetLink(deps: Deps, { userId }: z.infer<typeof mailReset.payload>): Promise<void> {
  const user = await findRealUser(deps, userId)
  if (!user) return
  const token = randomToken()
  const now = deps.now()
  await sql.insertReset(deps.db, { tokenHash: tokenHash(token), userId, now, expiresAt: later(now, RESET_MS) })
  await send(deps, user, words.resetMail({ name: user.name, url: urlOf(deps, 'reset-password', token) }))
}

export async function mailVerificationLink(deps: Deps, { userId }: z.infer<typeof mailVerification.payload>) {
  const user = await findRealUser(deps, userId)
  if (!user || user.email_confirmed_at) return
  const url = urlOf(deps, 'verify-email', createVerificationToken(deps, user))
  await send(deps, user, words.verificationMail({ url }))
}

/** Notifies the owner of the address, because the person who typed it learns nothing. */
export async function mailRegistrationAttempt(
  deps: Deps,
  { userId }: z.infer<typeof mailRegistration.payload>,
): Promise<void> {
  const user = await findRealUser(deps, userId)
  if (user) await send(deps, user, words.registrationMail({ name: user.name, url: urlOf(deps, 'login') }))
}

/** Each mail has a token of its own, so only the newest link works. */
export async function mailInvitationLink(
  deps: Deps,
  { accountId, invitationId }: z.infer<typeof mailInvitation.payload>,
): Promise<void> {
  const account = { accountId, db: deps.db }
  const asked = await invitations.invitationToMail(account, invitationId)
  if (!asked) return
  const token = randomToken()
  const now = deps.now()
  const expiresAt = later(now, INVITATION_MS)
  await invitations.saveInvitationToken(account, invitationId, { hash: tokenHash(token), expiresAt })
  const mail = words.invitationMail({
    inviter: nameOr(asked.invited_by, 'Someone'),
    team: nameOr(asked.account_name, 'a team'),
    role: asked.role,
    url: urlOf(deps, 'invite', token),
  })
  const outcome = await submitMail(deps, asked.email, mail)
  const isOut = outcome.kind === 'accepted' || outcome.kind === 'unknown'
  await invitations.markMailed(account, invitationId, {
    at: isOut ? deps.now() : null,
    problem: isOut ? null : outcome.reason,
  })
  throwIfRejected(outcome)
}

export async function mailEmailChangeLink(deps: Deps, { userId }: z.infer<typeof mailEmailChange.payload>) {
  const user = await findRealUser(deps, userId)
  const token = randomToken()
  const change = user && (await saveEmailToken(deps.db, userId, tokenHash(token), deps.now()))
  if (!user || !change) return
  const { name, email } = user
  const mail = words.emailChangeMail({ name, email, url: urlOf(deps, 'confirm-email', token) })
  await send(deps, { id: userId, email: change.email }, mail)
}

export async function mailSecurityNotice(deps: Deps, { userId, about }: z.infer<typeof mailNotice.payload>) {
  const user = await findRealUser(deps, userId)
  if (user)
    await send(
      deps,
      user,
      words.notices[about]({ name: user.name, url: urlOf(deps, 'login'), support: deps.config.supportEmail }),
    )
}

/** Sends mail about an account event to a confirmed address. */
export async function mailMember(deps: Deps, userId: string, mailFor: (name: string) => AccountMail): Promise<void> {
  const user = await findRealUser(deps, userId)
  if (user?.email_confirmed_at) await send(deps, user, mailFor(user.name))
}

/** To the user's previous address: the link undoes the change, whatever was changed since. */
export async function mailEmailUndoLink(deps: Deps, { undoId }: z.infer<typeof mailEmailUndo.payload>) {
  const token = randomToken()
  const undo = await saveUndoToken(deps.db, undoId, tokenHash(token), deps.now())
  if (!undo) return
  const { name, new_email: newEmail } = undo
  const mail = words.emailChangedMail({ name, newEmail, url: urlOf(deps, 'undo-email', token) })
  await send(deps, { id: undo.user_id, email: undo.email }, mail)
}

/** To a person whose address may be deleted by now, so a failed mail is not retried. */
export async function notifyRemoved(
  deps: Deps,
  user: { id: string; name: string; email: string; account_name: string },
): Promise<void> {
  const about = { name: user.name, team: user.account_name, url: urlOf(deps, 'login') }
  logOutcome(deps, user.id, await submitMail(deps, user.email, words.removedMail(about)))
}

/** The last mail to a person whose address was just deleted. */
export async function notifyAccountDeleted(
  deps: Deps,
  user: { id: string; name: string; email: string },
  accountName: string,
): Promise<void> {
  const { publicUrl: url, supportEmail: support } = deps.config
  const mail = words.deletedMail({ name: user.name, account: accountName, url, support })
  logOutcome(deps, user.id, await submitMail(deps, user.email, mail))
}

const urlOf = ({ config }: Deps, page: string, token?: string) =>
  `${config.publicUrl}/${page}${token === undefined ? '' : `?token=${token}`}`

/** Older names may contain addresses, which new names may not. */
const nameOr = (name: string | null, otherwise: string) => (name === null || hasAddress(name) ? otherwise : name)

/** Excludes the shared user of the demo, whose password no one may change. */
async function findRealUser(deps: Deps, userId: string) {
  const membership = await sql.firstMembership(deps.db, userId)
  return membership && !membership.is_demo ? findUserById(deps.db, userId) : undefined
}

async function send(deps: Deps, user: { id: string; email: string }, mail: AccountMail): Promise<void> {
  const outcome = await submitMail(deps, user.email, mail)
  logOutcome(deps, user.id, outcome)
  throwIfRejected(outcome)
}

function submitMail(deps: Deps, to: string, mail: AccountMail): Promise<Outcome> {
  return deps.channels.email.send({
    messageId: newId(),
    from: readSender(deps.config.mailFrom),
    to,
    ...renderAccountMail(mail, deps.config),
    headers: { 'Auto-Submitted': 'auto-generated' },
    sendAuthorization: authorizeAccountMail(),
  })
}

function logOutcome(deps: Deps, userId: string, outcome: Outcome): void {
  if (outcome.kind === 'accepted') return
  deps.log.warn({ userId, outcome: outcome.kind, reason: outcome.reason }, 'account.mail_failed')
}

/** Only a mail that was certainly not accepted is retried, by the queue. */
function throwIfRejected(outcome: Outcome): void {
  if (outcome.kind === 'retry') throw new Error(`The mail server did not accept the email: ${outcome.reason}`)
}
