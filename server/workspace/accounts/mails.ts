import type { z } from 'zod'
import type { Role } from '../../../shared/access/roles.ts'
import {
  addMs,
  createVerificationToken,
  findUserById,
  INVITATION_MS,
  type mailNotice,
  type mailVerification,
  RESET_MS,
  readSender,
} from '../../access/members/public.ts'
import { createId, createToken, hasAddress, hashToken } from '../../core/common/public.ts'
import type { AccountDb, Db } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { authorizeAccountMail, type Outcome } from '../../messages/channels/public.ts'
import { type AccountMail, renderAccountMail } from './account-mail.ts'
import type {
  mailEmailChange,
  mailEmailUndo,
  mailInvitation,
  mailOwnerInvitation,
  mailRegistration,
  mailReset,
} from './jobs.ts'
import { createInvitationUrl } from './owner-invitations.ts'
import * as sql from './sql.ts'

// Sends account mail. It is not marketing: plan volume and suppressions do not apply.

/** The token exists only in the mail; the job that creates it carries just an id. */
export async function mailResetLink(
  deps: Pick<Deps, 'channels' | 'config' | 'db' | 'log' | 'now'>,
  { userId }: z.infer<typeof mailReset.payload>,
): Promise<void> {
  const user = await findRealUser(deps, userId)
  if (!user) return
  const token = createToken()
  const now = deps.now()
  await sql.insertReset(deps.db, { tokenHash: hashToken(token), userId, now, expiresAt: addMs(now, RESET_MS) })
  await send(deps, user, resetMail({ name: user.name, url: buildUrl(deps, 'reset-password', token) }))
}

/** To the owner of an account that an operator created. */
export async function mailOwnerInvitationLink(
  deps: Pick<Deps, 'channels' | 'config' | 'db' | 'log' | 'now'>,
  { userId }: z.infer<typeof mailOwnerInvitation.payload>,
): Promise<void> {
  const user = await findRealUser(deps, userId)
  if (user)
    await send(
      deps,
      user,
      ownerInvitationMail({ url: await createInvitationUrl(deps, userId), product: deps.config.instanceName }),
    )
}

export async function mailVerificationLink(
  deps: Pick<Deps, 'channels' | 'config' | 'db' | 'log' | 'now' | 'secrets'>,
  { userId }: z.infer<typeof mailVerification.payload>,
) {
  const user = await findRealUser(deps, userId)
  if (!user || user.email_confirmed_at) return
  const url = buildUrl(deps, 'verify-email', createVerificationToken(deps, user))
  await send(deps, user, verificationMail({ url, product: deps.config.instanceName }))
}

/** Notifies the owner of the address, because the person who typed it learns nothing. */
export async function mailRegistrationAttempt(
  deps: Pick<Deps, 'channels' | 'config' | 'db' | 'log'>,
  { userId }: z.infer<typeof mailRegistration.payload>,
): Promise<void> {
  const user = await findRealUser(deps, userId)
  if (user) await send(deps, user, registrationMail({ name: user.name, url: buildUrl(deps, 'login') }))
}

/** Each mail has a token of its own, so only the newest link works. */
export async function mailInvitationLink(
  deps: Pick<Deps, 'channels' | 'config' | 'db' | 'now'>,
  { accountId, invitationId }: z.infer<typeof mailInvitation.payload>,
): Promise<void> {
  const account = { accountId, db: deps.db }
  const invitation = await invitationToMail(account, invitationId)
  if (!invitation) return
  const token = createToken()
  const now = deps.now()
  const expiresAt = addMs(now, INVITATION_MS)
  await saveInvitationToken(account, invitationId, { hash: hashToken(token), expiresAt })
  const mail = invitationMail({
    inviter: pickName(invitation.invited_by, 'Someone'),
    team: pickName(invitation.account_name, 'a team'),
    role: invitation.role,
    product: deps.config.instanceName,
    url: buildUrl(deps, 'invite', token),
  })
  const outcome = await submitMail(deps, invitation.email, mail)
  const isOut = outcome.kind === 'accepted' || outcome.kind === 'unknown'
  await markMailed(account, invitationId, {
    at: isOut ? deps.now() : null,
    problem: isOut ? null : outcome.reason,
  })
  throwIfRejected(outcome)
}

export async function mailEmailChangeLink(
  deps: Pick<Deps, 'channels' | 'config' | 'db' | 'log' | 'now'>,
  { userId }: z.infer<typeof mailEmailChange.payload>,
) {
  const user = await findRealUser(deps, userId)
  const token = createToken()
  const change = user && (await saveEmailToken(deps.db, userId, hashToken(token), deps.now()))
  if (!user || !change) return
  const { name, email } = user
  const mail = buildEmailChangeMail({ name, email, url: buildUrl(deps, 'confirm-email', token) })
  await send(deps, { id: userId, email: change.email }, mail)
}

export async function mailSecurityNotice(
  deps: Pick<Deps, 'channels' | 'config' | 'db' | 'log'>,
  { userId, about }: z.infer<typeof mailNotice.payload>,
) {
  const user = await findRealUser(deps, userId)
  if (user)
    await send(
      deps,
      user,
      notices[about]({ name: user.name, url: buildUrl(deps, 'login'), support: deps.config.supportEmail }),
    )
}

/** Sends mail about an account event to a confirmed address. */
export async function mailMember(
  deps: Pick<Deps, 'channels' | 'config' | 'db' | 'log'>,
  userId: string,
  mailFor: (name: string) => AccountMail,
): Promise<void> {
  const user = await findRealUser(deps, userId)
  if (user?.email_confirmed_at) await send(deps, user, mailFor(user.name))
}

/** To the user's previous address: the link undoes this change and all later ones. */
export async function mailEmailUndoLink(
  deps: Pick<Deps, 'channels' | 'config' | 'db' | 'log' | 'now'>,
  { undoId }: z.infer<typeof mailEmailUndo.payload>,
) {
  const token = createToken()
  const undo = await saveUndoToken(deps.db, undoId, hashToken(token), deps.now())
  if (!undo) return
  const { name, new_email: newEmail } = undo
  const mail = buildEmailChangedMail({ name, newEmail, url: buildUrl(deps, 'undo-email', token) })
  await send(deps, { id: undo.user_id, email: undo.email }, mail)
}

/** To a person whose address may be deleted by now, so a failed mail is not retried. */
export async function notifyRemoved(
  deps: Pick<Deps, 'channels' | 'config' | 'log'>,
  user: { id: string; name: string; email: string; account_name: string },
): Promise<void> {
  const about = { name: user.name, team: user.account_name, url: buildUrl(deps, 'login') }
  logOutcome(deps, user.id, await submitMail(deps, user.email, removedMail(about)))
}

/** The last mail to a person whose address was just deleted. */
export async function notifyAccountDeleted(
  deps: Pick<Deps, 'channels' | 'config' | 'log'>,
  user: { id: string; name: string; email: string },
  accountName: string,
): Promise<void> {
  const { publicUrl: url, supportEmail: support, instanceName: product } = deps.config
  const mail = deletedMail({ name: user.name, account: accountName, url, support, product })
  logOutcome(deps, user.id, await submitMail(deps, user.email, mail))
}

const buildUrl = ({ config }: Pick<Deps, 'config'>, page: string, token?: string) =>
  `${config.publicUrl}/${page}${token === undefined ? '' : `?token=${token}`}`

/** Older names may contain addresses, which new names may not. */
const pickName = (name: string | null, otherwise: string) => (name === null || hasAddress(name) ? otherwise : name)

/** Excludes the shared user of the demo, whose password no one may change. */
async function findRealUser(deps: Pick<Deps, 'db'>, userId: string) {
  const membership = await sql.findFirstMembership(deps.db, userId)
  return membership && !membership.is_demo ? findUserById(deps.db, userId) : undefined
}

async function send(
  deps: Pick<Deps, 'channels' | 'config' | 'log'>,
  user: { id: string; email: string },
  mail: AccountMail,
): Promise<void> {
  const outcome = await submitMail(deps, user.email, mail)
  logOutcome(deps, user.id, outcome)
  throwIfRejected(outcome)
}

function submitMail(deps: Pick<Deps, 'channels' | 'config'>, to: string, mail: AccountMail): Promise<Outcome> {
  return deps.channels.email.send({
    messageId: createId(),
    from: readSender(deps.config.mailFrom),
    to,
    ...renderAccountMail(mail, deps.config),
    headers: { 'Auto-Submitted': 'auto-generated' },
    sendAuthorization: authorizeAccountMail(),
  })
}

function logOutcome(deps: Pick<Deps, 'log'>, userId: string, outcome: Outcome): void {
  if (outcome.kind === 'accepted') return
  deps.log.warn({ userId, outcome: outcome.kind, reason: outcome.reason }, 'account.mail_failed')
}

/** Only a mail that was certainly not accepted is retried, by the queue. */
function throwIfRejected(outcome: Outcome): void {
  if (outcome.kind === 'retry') throw new Error(`The mail server did not accept the email: ${outcome.reason}`)
}

// Texts of account mail. Pure.

const IGNORE = 'If you did not ask for this, you can ignore this email.'

export const resetMail = ({ name, url }: { name: string; url: string }): AccountMail => ({
  subject: 'Reset your password',
  paragraphs: [`Hello ${name},`, 'We received a request to reset the password of your account.'],
  link: { label: 'Reset password', url },
  after: ['The link works once and expires after one hour.', `${IGNORE} Your password stays as it is.`],
})

/** Without the user's name: the owner of the address is not confirmed yet. */
export const verificationMail = ({ url, product }: { url: string; product: string }): AccountMail => ({
  subject: 'Confirm your email address',
  paragraphs: [
    'Hello,',
    `Confirm this address to finish your registration with ${product}. Until then, our mail server sends nothing for your account.`,
  ],
  link: { label: 'Confirm this address', url },
  after: ['The link expires after seven days.', 'If you did not register, you can ignore this email.'],
})

export const registrationMail = ({ name, url }: { name: string; url: string }): AccountMail => ({
  subject: 'You already have an account',
  paragraphs: [
    `Hello ${name},`,
    'Someone tried to register with your email address. You already have an account, so nothing was changed.',
  ],
  link: { label: 'Sign in', url },
  after: ['If you have forgotten your password, choose "Forgot password?" there.', IGNORE],
})

export const invitationMail = (invitation: {
  inviter: string
  team: string
  role: Role
  product: string
  url: string
}): AccountMail => ({
  subject: `${invitation.inviter} invited you to ${invitation.team}`,
  paragraphs: [
    'Hello,',
    `${invitation.inviter} invited you to work on ${invitation.team} in ${invitation.product}. Your role: ${invitation.role}.`,
  ],
  link: { label: 'Accept the invitation', url: invitation.url },
  after: [
    'The link works once and expires after seven days.',
    'If you do not expect this invitation, you can ignore this email.',
  ],
})

export const ownerInvitationMail = ({ url, product }: { url: string; product: string }): AccountMail => ({
  subject: 'Your account is ready',
  paragraphs: ['Hello,', `An account in ${product} was created for you. Choose a password to open it.`],
  link: { label: 'Choose a password', url },
  after: [
    'The link works once and expires after seven days.',
    'If you do not expect this invitation, you can ignore this email.',
  ],
})

export const buildEmailChangeMail = (change: { name: string; email: string; url: string }): AccountMail => ({
  subject: 'Confirm your new email address',
  paragraphs: [
    `Hello ${change.name},`,
    `We received a request to use this address instead of ${change.email} for your account.`,
  ],
  link: { label: 'Confirm this address', url: change.url },
  after: ['The link works once and expires after one day. Nothing changes until you open it.', IGNORE],
})

const SECURE =
  'If this was not you, choose "Forgot password?" there and set a new password now. That also signs out everyone else and cancels the email change.'

interface NoticeInput {
  name: string
  url: string
  support: string
}

const FINE = 'If this was you, you do not need to do anything.'

export const notices: Record<z.infer<typeof mailNotice.payload>['about'], (noticed: NoticeInput) => AccountMail> = {
  'email-asked': ({ name, url }) => ({
    subject: 'A new email address was requested',
    paragraphs: [
      `Hello ${name},`,
      'A change of your account’s email address was requested with your password. It takes effect once the link sent to the new address is opened.',
    ],
    link: { label: 'Sign in', url },
    after: [FINE, SECURE],
  }),
  'password-changed': ({ name, url }) => ({
    subject: 'Your password was changed',
    paragraphs: [
      `Hello ${name},`,
      'The password of your account was changed, and you were signed out everywhere else.',
    ],
    link: { label: 'Sign in', url },
    after: [FINE, SECURE],
  }),
  'second-factor-on': ({ name, url, support }) => ({
    subject: 'Two-factor sign-in was switched on',
    paragraphs: [
      `Hello ${name},`,
      'Signing in now also requires a code from your authenticator app. Keep your recovery codes where you can find them without your phone.',
    ],
    link: { label: 'Sign in', url },
    after: [FINE, `If this was not you, someone knows your password. Contact ${support} now.`],
  }),
  'second-factor-off': ({ name, url }) => ({
    subject: 'Two-factor sign-in was switched off',
    paragraphs: [`Hello ${name},`, 'Signing in now requires only your password.'],
    link: { label: 'Sign in', url },
    after: [FINE, SECURE],
  }),
  'recovery-codes-renewed': ({ name, url }) => ({
    subject: 'Your recovery codes were replaced',
    paragraphs: [`Hello ${name},`, 'You have new recovery codes. The earlier ones no longer work.'],
    link: { label: 'Sign in', url },
    after: [FINE, SECURE],
  }),
  'recovery-code-used': ({ name, url }) => ({
    subject: 'A recovery code was used',
    paragraphs: [
      `Hello ${name},`,
      'One of your recovery codes was used to sign in. It no longer works. You can create new ones under Settings, Account.',
    ],
    link: { label: 'Sign in', url },
    after: [FINE, SECURE],
  }),
}

export const buildEmailChangedMail = (changed: { name: string; newEmail: string; url: string }): AccountMail => ({
  subject: 'Your email address was changed',
  paragraphs: [
    `Hello ${changed.name},`,
    `You now sign in with ${changed.newEmail} instead of this address. If this was you, you do not need to do anything.`,
    'If this was not you, undo the change. You then choose a new password, and everyone is signed out.',
  ],
  link: { label: 'Undo the change', url: changed.url },
  after: ['The link works once and expires after 72 hours.'],
})

export const removedMail = ({ name, team, url }: { name: string; team: string; url: string }): AccountMail => ({
  subject: `You are no longer on the team of ${team}`,
  paragraphs: [
    `Hello ${name},`,
    `An owner or admin removed you from the team of ${team}. Your other accounts are not affected.`,
  ],
  link: { label: 'Sign in', url },
  after: ['If you think this is a mistake, ask them for a new invitation.'],
})

export const deletedMail = (deletion: {
  name: string
  account: string
  url: string
  support: string
  product: string
}): AccountMail => ({
  subject: 'Your account was deleted',
  paragraphs: [
    `Hello ${deletion.name},`,
    `The account ${deletion.account} was deleted as you asked. Nothing more is sent, and its subscription has ended. It cannot be restored.`,
  ],
  link: { label: `Go to ${deletion.product}`, url: deletion.url },
  after: [`If this was not you, contact ${deletion.support} immediately.`],
})

/** The mail's data; undefined if the invitation was withdrawn or accepted. */
function invitationToMail({ db, accountId }: AccountDb, id: string) {
  return db
    .selectFrom('invitations as i')
    .innerJoin('accounts as a', 'a.id', 'i.account_id')
    .leftJoin('users as u', 'u.id', 'i.invited_by')
    .select(['i.email', 'i.role', 'a.name as account_name', 'u.name as invited_by'])
    .where('i.account_id', '=', accountId)
    .where('i.id', '=', id)
    .executeTakeFirst()
}

function saveInvitationToken(
  { db, accountId }: AccountDb,
  id: string,
  token: { hash: Buffer; expiresAt: Date },
): Promise<unknown> {
  return db
    .updateTable('invitations')
    .set({ token_hash: token.hash, expires_at: token.expiresAt })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute()
}

function markMailed({ db, accountId }: AccountDb, id: string, mailed: { at: Date | null; problem: string | null }) {
  return db
    .updateTable('invitations')
    .set({ sent_at: mailed.at, mail_problem: mailed.problem })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute()
}

/** Stores the token of the link and returns the mail's data; undefined if the undo is used or expired. */
async function saveUndoToken(db: Db, undoId: string, tokenHash: Buffer, now: Date) {
  return db
    .updateTable('email_undos as e')
    .from('users as u')
    .set({ token_hash: tokenHash })
    .where('e.id', '=', undoId)
    .where('e.expires_at', '>', now)
    .whereRef('u.id', '=', 'e.user_id')
    .returning(['e.user_id', 'e.email', 'u.name', 'u.email as new_email'])
    .executeTakeFirst()
}

/** Stores the token of the link and returns the new address; undefined if the request is gone. */
function saveEmailToken(db: Db, userId: string, tokenHash: Buffer, now: Date) {
  return db
    .updateTable('email_changes')
    .set({ token_hash: tokenHash })
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .returning('email')
    .executeTakeFirst()
}
