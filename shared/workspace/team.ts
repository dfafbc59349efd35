import { z } from 'zod'
import { email, Message, PersonName, password, Role, SignedIn } from '../access/auth.ts'
import { endpoint } from '../core/endpoint.ts'

// Members of an account (decision 8), invitations, and the accounts of a user.

export const teamTexts = {
  invalidInvitation: 'This invitation is no longer valid. Ask the person who invited you for a new one.',
  lastOwner: 'An account needs an owner. Make someone else an owner first.',
  ownersOnly: 'Only an owner can change or remove an owner.',
  alreadyMember: 'This person is already in your team.',
  demo: 'The demo is shared: its team and its password cannot be changed.',
} as const

const Member = z.object({
  userId: z.uuid(),
  name: z.string(),
  email: z.string(),
  role: Role,
  joinedAt: z.string(),
  isYou: z.boolean(),
})
export type Member = z.infer<typeof Member>

const Invitation = z.object({
  id: z.uuid(),
  email: z.string(),
  role: Role,
  /** null if that user is deleted. */
  invitedBy: z.string().nullable(),
  /** `waiting`: the mail is being sent. `failed`: the mail server rejected it. */
  state: z.enum(['waiting', 'sent', 'failed', 'expired']),
  /** The mail server's response. */
  mailProblem: z.string().nullable(),
  sentAt: z.string().nullable(),
  expiresAt: z.string(),
})
export type Invitation = z.infer<typeof Invitation>

const invitationParams = z.object({ invitationId: z.uuid() })
const memberParams = z.object({ userId: z.uuid() })
const Done = z.object({ success: z.literal(true), message: z.string() })

export const readTeam = endpoint({
  method: 'GET',
  path: '/api/team',
  permission: 'session',
  scope: 'account',
  summary: 'The members of the account; open invitations for those who may invite',
  reply: z.object({ members: z.array(Member), invitations: z.array(Invitation) }),
})

export const inviteMember = endpoint({
  method: 'POST',
  path: '/api/team/invitations',
  permission: 'team:write',
  scope: 'account',
  summary: 'Email an invitation link: single use, valid for seven days',
  body: z.object({ email, role: Role }),
  reply: Done,
})

export const resendInvitation = endpoint({
  method: 'POST',
  path: '/api/team/invitations/:invitationId/resend',
  permission: 'team:write',
  scope: 'account',
  summary: 'Mail a new link; the one before it stops working',
  params: invitationParams,
  reply: Done,
})

export const revokeInvitation = endpoint({
  method: 'DELETE',
  path: '/api/team/invitations/:invitationId',
  permission: 'team:write',
  scope: 'account',
  summary: 'Revoke an invitation; its link stops working',
  params: invitationParams,
  reply: Done,
})

export const changeRole = endpoint({
  method: 'PATCH',
  path: '/api/team/members/:userId',
  permission: 'team:write',
  scope: 'account',
  summary: 'Change a member’s role; an account keeps at least one owner',
  params: memberParams,
  body: z.object({ role: Role }),
  reply: Done,
})

export const removeMember = endpoint({
  method: 'DELETE',
  path: '/api/team/members/:userId',
  permission: 'team:write',
  scope: 'account',
  summary: 'Remove a member from the account; they are signed out of it immediately',
  params: memberParams,
  reply: Done,
})

export const leaveTeam = endpoint({
  method: 'POST',
  path: '/api/team/leave',
  permission: 'session',
  scope: 'account',
  summary: 'Leave the account; its last owner cannot',
  reply: Done,
})

export const readInvitation = endpoint({
  method: 'POST',
  path: '/api/team/invitation',
  permission: 'public',
  summary: 'The invitation that belongs to a token',
  body: z.object({ token: z.string().min(1, teamTexts.invalidInvitation).max(200) }),
  reply: z.object({
    accountName: z.string(),
    invitedBy: z.string().nullable(),
    email: z.string(),
    role: Role,
    /** The address already belongs to a user. */
    isKnown: z.boolean(),
    /** The caller is signed in with that address, so no password is needed. */
    isYou: z.boolean(),
  }),
})

export const acceptInvitation = endpoint({
  method: 'POST',
  path: '/api/team/invitation/accept',
  permission: 'public',
  summary: 'Join with the token from the mail: signed in with its address, with its password, or as a new user',
  body: z.object({
    token: z.string().min(1, teamTexts.invalidInvitation).max(200),
    /** Required for a new user. */
    name: PersonName.optional(),
    /** The password that a new user chooses, or that of a known user who is not signed in. */
    password: password.optional(),
    /** Required with the password if two-factor sign-in is on. */
    code: z.string().trim().max(40).optional(),
  }),
  reply: SignedIn,
})

export const listAccounts = endpoint({
  method: 'GET',
  path: '/api/auth/accounts',
  permission: 'session',
  scope: 'account',
  summary: 'The accounts the user is a member of',
  reply: z.object({
    accounts: z.array(z.object({ id: z.uuid(), name: z.string(), role: Role, isCurrent: z.boolean() })),
  }),
})

export const switchAccount = endpoint({
  method: 'POST',
  path: '/api/auth/switch-account',
  permission: 'session',
  scope: 'account',
  summary: 'Switch this session to another account; the next sign-in opens it too',
  body: z.object({ accountId: z.uuid() }),
  reply: Message,
})
