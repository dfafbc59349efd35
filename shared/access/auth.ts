import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { INVISIBLE } from '../core/one-line.ts'
import { PlatformName } from '../platforms/platforms.ts'
import { roleNames } from './roles.ts'

// Registration, sign-in and the current user (A 3, A 7). Texts of A 5 and A 8.

export const PASSWORD_MIN = 6

export const authTexts = {
  nameRequired: 'Name is required',
  emailRequired: 'Email is required',
  passwordRequired: 'Password is required',
  passwordsDiffer: 'Passwords do not match',
  passwordShort: 'Password must be at least 6 characters long',
  invalidResetLink: 'Invalid reset link. Please request a new password reset.',
  loginFailed: 'Login failed. Please check your credentials.',
  registrationFailed: 'Registration failed. Please try again.',
  registrationClosed: 'Registration is closed on this server. If you have an account, sign in.',
  registrationByInvitation: 'Accounts on this server are by invitation.',
  forgotFailed: 'Failed to send reset email. Please try again.',
  resetFailed: 'Failed to reset password. Please try again.',
  sessionExpired: 'Your session has expired. Please sign in again.',
  accountDeleted: 'Your account was deleted. Nothing more is sent.',
  resetSent: 'If an account exists for that address, we have sent a link to reset the password.',
  verificationInMailbox: 'A confirmation link is on its way to this server’s built-in mailbox.',
  resetInMailbox:
    'If an account exists for that address, a link to reset the password is on its way to this server’s built-in mailbox.',
  resetUnsendable: 'This server cannot send email, so no link was sent. Ask its administrator to reset your password',
  resetDone: 'Your password has been reset. You can sign in now.',
  emailInvalid: 'Please enter a valid email address.',
  wrongPassword: 'That is not your current password.',
  invalidEmailLink: 'This link is no longer valid. Ask for a new one under Settings, Account.',
  invalidVerification: 'This link is no longer valid. Sign in and ask for a new one.',
  verifyFirst: 'Confirm your email address first. Until then, our mail server sends nothing for your account.',
  invalidUndoLink: 'This link is no longer valid. A change of address can be undone for 72 hours.',
  undoFailed: 'The change could not be undone. Please try again.',
  emailLinkSent: 'We have sent a link to the new address. Your address changes once you open it.',
  emailLinkInMailbox: 'A link is on its way to this server’s built-in mailbox. Your address changes once you open it.',
  emailLinkUnsendable:
    'This server cannot send email, so there is no link, and your address stays as it is. Ask its administrator to set up a mail server',
} as const

export const email = z.string().trim().min(1, authTexts.emailRequired).max(254)
export const password = z.string().min(1, authTexts.passwordRequired).max(200)
export const newPassword = z.string().min(PASSWORD_MIN, authTexts.passwordShort).max(200)

export const Role = z.enum(roleNames)
export const MAX_NAME_LENGTH = 80
export const PersonName = z
  .string()
  .trim()
  .min(1, authTexts.nameRequired)
  .max(MAX_NAME_LENGTH, `A name has at most ${MAX_NAME_LENGTH} characters`)
  .refine((name) => !INVISIBLE.test(name), 'A name cannot contain control characters')

export const User = z.object({
  id: z.uuid(),
  name: z.string(),
  email: z.string(),
  stores: z.array(
    z.object({
      id: z.uuid(),
      storeUrl: z.string(),
      platform: PlatformName,
      isActive: z.boolean(),
      /** Not in the specification, like `currency`: the shop's own name, or its address without the scheme. */
      name: z.string(),
      currency: z.string(),
      /** Path of the shop's logo on this server; missing: none is known. */
      logo: z.string().optional(),
    }),
  ),
  subscriptionStatus: z.string().nullable(),
  hasActiveSubscription: z.boolean(),
  /**
   * Not in the specification: the account of this session, the user's role in it, and whether it is the demo (decision
   * 29).
   */
  accountId: z.uuid(),
  accountName: z.string(),
  role: Role,
  /** Until it is confirmed, no mail is sent for the account. */
  isEmailConfirmed: z.boolean(),
  /** A requested new address that is not confirmed yet. */
  pendingEmail: z.string().nullable(),
  isDemo: z.boolean(),
  /** For operators of this server: whether /operator is open, or what is missing (decision 90). */
  operator: z.enum(['factor_missing', 'code_missing', 'ready']).nullable(),
  /** An operator views this account read-only until then. */
  viewedUntil: z.string().nullable(),
})
export type User = z.infer<typeof User>

export const SignedIn = z.object({ token: z.string(), user: User })
export const Message = z.object({ message: z.string() })

export const register = endpoint({
  method: 'POST',
  path: '/api/auth/register',
  permission: 'public',
  summary: 'Create a user, an account with that user as its owner, and sign in',
  body: z.object({ name: PersonName, email, password: newPassword }),
  reply: SignedIn,
})

export const login = endpoint({
  method: 'POST',
  path: '/api/auth/login',
  permission: 'public',
  summary: 'Sign in',
  body: z.object({
    email,
    password,
    /**
     * Not in the specification: code of the authenticator app or a recovery code, if two-factor sign-in is on (decision
     * 90).
     */
    code: z.string().trim().max(40).optional(),
  }),
  reply: SignedIn,
})

export const demoLogin = endpoint({
  method: 'POST',
  path: '/api/auth/demo',
  permission: 'public',
  summary: 'Sign in to the live demo (404 where there is none)',
  reply: SignedIn,
})

export const logout = endpoint({
  method: 'POST',
  path: '/api/auth/logout',
  permission: 'session',
  summary: 'Revoke the token of this request',
  reply: z.object({ success: z.literal(true) }),
})

export const forgotPassword = endpoint({
  method: 'POST',
  path: '/api/auth/forgot-password',
  permission: 'public',
  summary: 'Send a link to reset the password; the answer never tells whether the address is known',
  body: z.object({ email }),
  reply: Message,
})

export const resetPassword = endpoint({
  method: 'POST',
  path: '/api/auth/reset-password',
  permission: 'public',
  summary: 'Set a new password with the token from the mail: single use, one hour; ends all sessions',
  body: z.object({ token: z.string().min(1, authTexts.invalidResetLink).max(200), password: newPassword }),
  reply: Message,
})

export const me = endpoint({
  method: 'GET',
  path: '/api/auth/me',
  permission: 'session',
  summary: 'The signed-in user',
  reply: z.object({ user: User }),
})
