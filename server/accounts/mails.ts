import { encode } from 'html-entities'
import type { z } from 'zod'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import { randomToken, tokenHash } from '../secrets.ts'
import type { mailRegistration, mailReset } from './jobs.ts'
import { later, RESET_MS, readSender } from './rules.ts'
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

/** The demo's user is everybody's; nobody may change that password. */
async function realUser(deps: Deps, userId: string) {
  const membership = await sql.firstMembership(deps.db, userId)
  return membership && !membership.is_demo ? sql.userById(deps.db, userId) : undefined
}

async function send(deps: Deps, user: { id: string; email: string }, mail: AccountMail): Promise<void> {
  const outcome = await deps.channels.email.send({
    messageId: newId(),
    from: readSender(deps.config.mailFrom),
    to: user.email,
    subject: mail.subject,
    text: asText(mail),
    html: asHtml(mail),
    headers: { 'Auto-Submitted': 'auto-generated' },
  })
  if (outcome.kind === 'accepted') return
  deps.log.warn({ userId: user.id, outcome: outcome.kind, reason: outcome.reason }, 'account.mail_failed')
  // Only what was surely not accepted is tried again; the queue waits and repeats.
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
