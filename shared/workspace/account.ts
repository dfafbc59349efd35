import { z } from 'zod'
import { authTexts, email, Message, newPassword, PersonName, password } from '../access/auth.ts'
import { endpoint } from '../core/endpoint.ts'
import { DownloadLink } from '../core/paging.ts'

// The member's profile, password and sessions, and the export and deletion of account data (A 2.8, issue 4).

/** The word that the user types to confirm the deletion of an account. */
export const DELETE_WORD = 'delete'

const AccountSession = z.object({
  id: z.uuid(),
  /** "Firefox on Windows"; null if the browser did not identify itself. */
  device: z.string().nullable(),
  accountName: z.string(),
  startedAt: z.string(),
  /** Rounded to five minutes. */
  lastSeenAt: z.string(),
  isCurrent: z.boolean(),
})
export type AccountSession = z.infer<typeof AccountSession>

export const saveProfile = endpoint({
  method: 'PATCH',
  path: '/api/auth/profile',
  permission: 'session',
  scope: 'account',
  summary: 'Change the user’s name',
  body: z.object({ name: PersonName }),
  reply: z.object({ success: z.literal(true) }),
})

export const renameAccount = endpoint({
  method: 'PATCH',
  path: '/api/account',
  permission: 'team:write',
  scope: 'account',
  summary: 'Change the account’s name, as invitations and the team see it',
  body: z.object({ name: PersonName }),
  reply: z.object({ success: z.literal(true) }),
})

export const changeEmail = endpoint({
  method: 'POST',
  path: '/api/auth/change-email',
  permission: 'session',
  scope: 'account',
  summary: 'Mail a link to the new address and a notice to the old one; nothing changes before the link is followed',
  body: z.object({ email, password }),
  reply: Message,
})

export const cancelEmailChange = endpoint({
  method: 'DELETE',
  path: '/api/auth/change-email',
  permission: 'session',
  scope: 'account',
  summary: 'Keep the old address; the link mailed to the new one stops working',
  reply: z.object({ success: z.literal(true) }),
})

export const confirmEmail = endpoint({
  method: 'POST',
  path: '/api/auth/confirm-email',
  permission: 'public',
  summary:
    'Confirm a new email address with the token mailed to it: single use, valid for one day; ends the user’s other sessions',
  body: z.object({ token: z.string().min(1, authTexts.invalidEmailLink).max(200) }),
  reply: Message,
})

export const verifyEmail = endpoint({
  method: 'POST',
  path: '/api/auth/verify-email',
  permission: 'public',
  summary: 'Confirm the address of a new user with the token mailed to it; valid for seven days',
  body: z.object({ token: z.string().min(1, authTexts.invalidVerification).max(300) }),
  reply: Message,
})

export const resendVerification = endpoint({
  method: 'POST',
  path: '/api/auth/verify-email/resend',
  permission: 'session',
  scope: 'account',
  summary: 'Resend the link that confirms the user’s address',
  reply: Message,
})

export const undoEmail = endpoint({
  method: 'POST',
  path: '/api/auth/undo-email',
  permission: 'public',
  summary:
    'Undo an email change with the token mailed to the old address, and set a new password: 72 hours; ends all sessions',
  body: z.object({ token: z.string().min(1, authTexts.invalidUndoLink).max(200), password: newPassword }),
  reply: Message,
})

export const changePassword = endpoint({
  method: 'POST',
  path: '/api/auth/change-password',
  permission: 'session',
  scope: 'account',
  summary: 'Change the password with the current one; ends the user’s other sessions',
  body: z.object({ current: password, password: newPassword }),
  reply: Message,
})

export const listSessions = endpoint({
  method: 'GET',
  path: '/api/auth/sessions',
  permission: 'session',
  scope: 'account',
  summary: 'Where the user is signed in',
  reply: z.object({ sessions: z.array(AccountSession) }),
})

export const endSession = endpoint({
  method: 'DELETE',
  path: '/api/auth/sessions/:sessionId',
  permission: 'session',
  scope: 'account',
  summary: 'Sign out one of the user’s sessions',
  params: z.object({ sessionId: z.uuid() }),
  reply: z.object({ success: z.literal(true) }),
})

export const endSessions = endpoint({
  method: 'POST',
  path: '/api/auth/sessions/end',
  permission: 'session',
  scope: 'account',
  summary: 'Sign out everywhere: all other sessions of the user, or all with this one',
  body: z.object({ scope: z.enum(['others', 'all']) }),
  reply: z.object({ success: z.literal(true), ended: z.number() }),
})

export const prepareExport = endpoint({
  method: 'POST',
  path: '/api/account/export',
  permission: 'account:export',
  scope: 'account',
  summary: 'A link, valid for two minutes, to download everything the account has as a zip of JSON Lines files',
  reply: DownloadLink,
})

export const deleteAccount = endpoint({
  method: 'POST',
  path: '/api/account/delete',
  permission: 'account:delete',
  scope: 'account',
  summary: 'Stop sending, end the subscription, sign everyone out, and delete all data; this cannot be undone',
  body: z.object({ confirmation: z.string().max(40), password }),
  reply: Message,
})
