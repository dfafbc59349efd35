import type { z } from 'zod'
import type { Role } from '../../../shared/roles.ts'
import type { mailNotice } from '../../access/members/jobs.ts'
import type { AccountMail } from './account-mail.ts'

// Texts of account mail. Pure.

const IGNORE = 'If you did not ask for this, you can ignore this email.'

export const resetMail = ({ name, url }: { name: string; url: string }): AccountMail => ({
  subject: 'Reset your password',
  paragraphs: [`Hello ${name},`, 'We received a request to reset the password of your account.'],
  link: { label: 'Reset password', url },
  after: ['The link works once and expires after one hour.', `${IGNORE} Your password stays as it is.`],
})

/** Without the user's name: the owner of the address is not confirmed yet. */
export const verificationMail = ({ url }: { url: string }): AccountMail => ({
  subject: 'Confirm your email address',
  paragraphs: [
    'Hello,',
    'Confirm that you registered with Recoup using this address. Until then, our mail server sends nothing for your account.',
  ],
  link: { label: 'Confirm this address', url },
  after: ['The link expires after seven days.', 'If you did not register, you can ignore this email.'],
})

export const registrationMail = ({ name, url }: { name: string; url: string }): AccountMail => ({
  subject: 'You already have an account',
  paragraphs: [
    `Hello ${name},`,
    'We received a registration with your email address. You already have an account, so nothing was changed.',
  ],
  link: { label: 'Sign in', url },
  after: ['If you have forgotten your password, choose "Forgot password?" there.', IGNORE],
})

export const invitationMail = (asked: { inviter: string; team: string; role: Role; url: string }): AccountMail => ({
  subject: `${asked.inviter} invited you to ${asked.team}`,
  paragraphs: [
    'Hello,',
    `${asked.inviter} invited you to work on ${asked.team} in Recoup, which wins back abandoned carts for online stores. Your role: ${asked.role}.`,
  ],
  link: { label: 'Accept the invitation', url: asked.url },
  after: [
    'The link works once and expires after seven days.',
    'If you do not expect this invitation, you can ignore this email.',
  ],
})

export const emailChangeMail = (asked: { name: string; email: string; url: string }): AccountMail => ({
  subject: 'Confirm your new email address',
  paragraphs: [
    `Hello ${asked.name},`,
    `We received a request to use this address instead of ${asked.email} for your account.`,
  ],
  link: { label: 'Confirm this address', url: asked.url },
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
      'We received a request, made with your password, to change the email address of your account. It changes once the link sent to the new address is opened.',
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
      'From now on, signing in with your address also asks for a code of your authenticator app. Keep your recovery codes where you find them without your phone.',
    ],
    link: { label: 'Sign in', url },
    after: [FINE, `If this was not you, somebody knows your password: write to ${support} now.`],
  }),
  'second-factor-off': ({ name, url }) => ({
    subject: 'Two-factor sign-in was switched off',
    paragraphs: [`Hello ${name},`, 'From now on, signing in with your address asks for your password alone.'],
    link: { label: 'Sign in', url },
    after: [FINE, SECURE],
  }),
  'recovery-codes-renewed': ({ name, url }) => ({
    subject: 'Your recovery codes were replaced',
    paragraphs: [`Hello ${name},`, 'New recovery codes were made for your sign-in. The earlier ones no longer work.'],
    link: { label: 'Sign in', url },
    after: [FINE, SECURE],
  }),
  'recovery-code-used': ({ name, url }) => ({
    subject: 'A recovery code was used',
    paragraphs: [
      `Hello ${name},`,
      'One of your recovery codes was used in place of a code of your authenticator app. It does not work again. You can make new ones under Settings, Account.',
    ],
    link: { label: 'Sign in', url },
    after: [FINE, SECURE],
  }),
}

export const emailChangedMail = (changed: { name: string; newEmail: string; url: string }): AccountMail => ({
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
  subject: `You are no longer in the team of ${team}`,
  paragraphs: [
    `Hello ${name},`,
    `An owner or admin removed you from the team of ${team}, so you were signed out of it. Your other accounts stay as they are.`,
  ],
  link: { label: 'Sign in', url },
  after: ['If you think this is a mistake, ask them for a new invitation.'],
})

export const deletedMail = (gone: { name: string; account: string; url: string; support: string }): AccountMail => ({
  subject: 'Your account was deleted',
  paragraphs: [
    `Hello ${gone.name},`,
    `The account ${gone.account} was deleted as you asked. Nothing is sent any more, its subscription has ended, and its data is being deleted. It cannot be restored.`,
  ],
  link: { label: 'Go to Recoup', url: gone.url },
  after: [`If this was not you, contact ${gone.support} immediately.`],
})
