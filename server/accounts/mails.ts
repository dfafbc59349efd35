import { encode } from 'html-entities'
import type { z } from 'zod'
import type { Outcome } from '../channels/channel.ts'
import { permitAccountMail } from '../channels/permit.ts'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import { randomToken, tokenHash } from '../secrets.ts'
import * as invitations from './invitation-sql.ts'
import type { mailEmailChange, mailInvitation, mailNotice, mailRegistration, mailReset } from './jobs.ts'
import { keepEmailToken } from './profile-sql.ts'
import { INVITATION_MS, later, RESET_MS, readSender } from './rules.ts'
import * as sql from './sql.ts'

// Mail about an account itself. It is no marketing: no plan counts it and no suppression holds it.

interface AccountMail {
  subject: string
  paragraphs: string[]
  link: { label: string; url: string }
}

/** The token exists in the mail alone; the job that makes it carries no more than an id. */
export async function mailResetLink(deps: Deps, { userId }: z.infer<typeof mailReset.payload>): Promise<void> {
  const user = await realUser(deps, userId)
  if (!user) return
  const token = randomToken()
  const now = deps.now()
  await sql.insertReset(deps.db, { tokenHash: tokenHash(token), userId, now, expiresAt: later(now, RESET_MS) })
  await send(deps, user, {
    subject: 'Reset your password',
    paragraphs: [
      `Hello ${user.name},`,
      'somebody, hopefully you, asked to reset the password of your account. The link works once, for one hour.',
      'If it was not you, you need not do anything: your password stays as it is.',
    ],
    link: { label: 'Reset password', url: `${deps.config.publicUrl}/reset-password?token=${token}` },
  })
}

/** The owner of an address hears of it, since the one who typed it does not. */
export async function mailRegistrationAttempt(
  deps: Deps,
  { userId }: z.infer<typeof mailRegistration.payload>,
): Promise<void> {
  const user = await realUser(deps, userId)
  if (!user) return
  await send(deps, user, {
    subject: 'You already have an account',
    paragraphs: [
      `Hello ${user.name},`,
      'somebody tried to register with your email address. You have an account already, so nothing was changed.',
      'If it was you, sign in; "Forgot password" there sends you a link should you need a new password.',
    ],
    link: { label: 'Sign in', url: `${deps.config.publicUrl}/login` },
  })
}

/** Each mail makes a token of its own, so only the newest link opens the door. */
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
  await invitations.keepInvitationToken(account, invitationId, { hash: tokenHash(token), expiresAt })
  const inviter = asked.invited_by ?? 'Somebody'
  const outcome = await hand(deps, asked.email, {
    subject: `${inviter} invited you to ${asked.account_name}`,
    paragraphs: [
      'Hello,',
      `${inviter} invited you to work on ${asked.account_name}, a team of store owners who win back abandoned carts with Recoup. Your role: ${asked.role}.`,
      'The link works once, for seven days.',
      'If you do not know what this is about, you need not do anything.',
    ],
    link: { label: 'Accept the invitation', url: `${deps.config.publicUrl}/invite?token=${token}` },
  })
  const isOut = outcome.kind === 'accepted' || outcome.kind === 'unknown'
  await invitations.markMailed(account, invitationId, {
    at: isOut ? deps.now() : null,
    problem: isOut ? null : outcome.reason,
  })
  throwIfNotTaken(outcome)
}

export async function mailEmailChangeLink(deps: Deps, { userId }: z.infer<typeof mailEmailChange.payload>) {
  const user = await realUser(deps, userId)
  const token = randomToken()
  const change = user && (await keepEmailToken(deps.db, userId, tokenHash(token), deps.now()))
  if (!user || !change) return
  await send(
    deps,
    { id: userId, email: change.email },
    {
      subject: 'Confirm your new email address',
      paragraphs: [
        `Hello ${user.name},`,
        `you asked to use this address instead of ${user.email}. The link works once, for one day; until then nothing changes.`,
        'If it was not you, you need not do anything.',
      ],
      link: { label: 'Confirm this address', url: `${deps.config.publicUrl}/confirm-email?token=${token}` },
    },
  )
}

const notices = {
  'email-asked': {
    subject: 'A new email address was asked for',
    text: 'somebody who knows your password asked to use another email address for your account. It changes once the link mailed to the new address is followed.',
  },
  'password-changed': {
    subject: 'Your password was changed',
    text: 'the password of your account was changed, and everywhere else you were signed out.',
  },
}

export async function mailSecurityNotice(deps: Deps, { userId, about }: z.infer<typeof mailNotice.payload>) {
  const user = await realUser(deps, userId)
  if (!user) return
  const { subject, text } = notices[about]
  await send(deps, user, {
    subject,
    paragraphs: [
      `Hello ${user.name},`,
      text,
      'If it was you, all is well. If not, choose a new password now with "Forgot password", which also signs everybody else out.',
    ],
    link: { label: 'To the sign-in', url: `${deps.config.publicUrl}/login` },
  })
}

/** To the address that is no longer the user's, which is known only now: told once, and not again if it is not taken. */
export async function tellEmailChanged(
  deps: Deps,
  user: { id: string; name: string; email: string; newEmail: string },
): Promise<void> {
  const outcome = await hand(deps, user.email, {
    subject: 'Your email address was changed',
    paragraphs: [
      `Hello ${user.name},`,
      `you now sign in with ${user.newEmail} instead of this address.`,
      `If it was not you, write to ${deps.config.supportEmail} at once.`,
    ],
    link: { label: 'To the sign-in', url: `${deps.config.publicUrl}/login` },
  })
  note(deps, user.id, outcome)
}

/** To somebody whose address may be forgotten by now: told once, and not again if it is not taken. */
export async function tellRemoved(
  deps: Deps,
  user: { id: string; name: string; email: string; account_name: string },
): Promise<void> {
  const outcome = await hand(deps, user.email, {
    subject: `You are no longer in the team of ${user.account_name}`,
    paragraphs: [
      `Hello ${user.name},`,
      `an owner or admin of ${user.account_name} has taken you out of its team, so you were signed out of it. Other accounts of yours stay as they are.`,
      'If you think this is a mistake, ask them for a new invitation.',
    ],
    link: { label: 'To the sign-in', url: `${deps.config.publicUrl}/login` },
  })
  note(deps, user.id, outcome)
}

/** The last mail to somebody whose address we have just forgotten. */
export async function tellAccountDeleted(
  deps: Deps,
  user: { id: string; name: string; email: string },
  accountName: string,
): Promise<void> {
  const outcome = await hand(deps, user.email, {
    subject: 'Your account was deleted',
    paragraphs: [
      `Hello ${user.name},`,
      `the account ${accountName} was deleted as you asked. Nothing is sent any more, its subscription has ended, and its data is being deleted. It cannot be brought back.`,
      `If it was not you, write to ${deps.config.supportEmail} at once.`,
    ],
    link: { label: 'Recoup', url: deps.config.publicUrl },
  })
  note(deps, user.id, outcome)
}

/** The demo's user is everybody's; nobody may change that password. */
async function realUser(deps: Deps, userId: string) {
  const membership = await sql.firstMembership(deps.db, userId)
  return membership && !membership.is_demo ? sql.userById(deps.db, userId) : undefined
}

async function send(deps: Deps, user: { id: string; email: string }, mail: AccountMail): Promise<void> {
  const outcome = await hand(deps, user.email, mail)
  note(deps, user.id, outcome)
  throwIfNotTaken(outcome)
}

function hand(deps: Deps, to: string, mail: AccountMail): Promise<Outcome> {
  return deps.channels.email.send({
    messageId: newId(),
    from: readSender(deps.config.mailFrom),
    to,
    subject: mail.subject.replace(/\s+/g, ' '),
    text: asText(mail),
    html: asHtml(mail),
    headers: { 'Auto-Submitted': 'auto-generated' },
    permit: permitAccountMail(),
  })
}

function note(deps: Deps, userId: string, outcome: Outcome): void {
  if (outcome.kind === 'accepted') return
  deps.log.warn({ userId, outcome: outcome.kind, reason: outcome.reason }, 'account.mail_failed')
}

/** Only what was surely not accepted is tried again; the queue waits and repeats. */
function throwIfNotTaken(outcome: Outcome): void {
  if (outcome.kind === 'retry') throw new Error(`The mail server did not take the mail: ${outcome.reason}`)
}

function asText(mail: AccountMail): string {
  return `${[...mail.paragraphs, mail.link.url].join('\n\n')}\n`
}

function asHtml(mail: AccountMail): string {
  const paragraphs = mail.paragraphs.map((text) => `<p>${encode(text)}</p>`).join('\n')
  const link = `<p><a href="${encode(mail.link.url)}">${encode(mail.link.label)}</a></p>`
  return `<!doctype html>\n<html lang="en"><body style="font-family:sans-serif">\n${paragraphs}\n${link}\n</body></html>\n`
}
