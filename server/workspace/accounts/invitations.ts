import { authTexts, PASSWORD_MIN } from '../../../shared/access/auth.ts'
import { mayManage, type Role } from '../../../shared/access/roles.ts'
import { normalizeEmail } from '../../../shared/core/contact.ts'
import { teamTexts } from '../../../shared/workspace/team.ts'
import {
  addMs,
  assertPlainName,
  assertVerified,
  confirmAddress,
  findMember,
  findUserByEmail,
  hashPassword,
  INVITATION_MS,
  isRightPassword,
  limits,
  refuseDemo,
  type Session,
  startSession,
} from '../../access/members/public.ts'
import { AppError, createId, hashToken, requireFound } from '../../core/common/public.ts'
import {
  type AccountDb,
  type AccountTx,
  clientNetwork,
  findInvitationByToken,
  takePoint,
  transactAccount,
} from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { refreshMembers } from '../../shoppers/shoppers/public.ts'
import { type SignedIn, viewUser } from './accounts.ts'

import { mailInvitation } from './jobs.ts'
import { claimAttempt, deviceCookie, recordFailure, recordSuccess } from './login-throttle.ts'
import { assertSecondFactor } from './second-step.ts'
import * as users from './sql.ts'
import * as team from './team-sql.ts'

// Invitations: requested (a job creates and mails the link, mails.ts) → accepted, withdrawn or expired. The link proves
// access to the address, so a new user needs no further proof; a known user signs in as usual.

export async function inviteMember(
  deps: Pick<Deps, 'jobs' | 'now' | 'pool' | 'secrets'>,
  account: AccountDb,
  session: Session,
  invitation: { email: string; role: Role },
): Promise<string> {
  refuseDemo(session)
  const email = normalizeEmail(invitation.email)
  if (!email) throw new AppError('invalid', authTexts.emailInvalid, { fields: { email: authTexts.emailInvalid } })
  assertMay(session, invitation.role)
  if (await memberByEmail(account, email)) throw new AppError('conflict', teamTexts.alreadyMember)
  await mail(deps, account, session, { email, role: invitation.role })
  return `We are sending an invitation to ${email}.`
}

/** Sends a new link for the same person and role, and invalidates the earlier one. */
export async function resendInvitation(
  deps: Pick<Deps, 'jobs' | 'now' | 'pool' | 'secrets'>,
  account: AccountDb,
  session: Session,
  invitationId: string,
): Promise<string> {
  refuseDemo(session)
  const { email, role } = requireFound(await invitation(account, invitationId), 'Invitation')
  assertMay(session, role)
  await mail(deps, account, session, { email, role })
  return `We are sending a new link to ${email}.`
}

export async function revokeInvitation(account: AccountDb, session: Session, invitationId: string): Promise<string> {
  refuseDemo(session)
  const { email, role } = requireFound(await invitation(account, invitationId), 'Invitation')
  assertMay(session, role)
  await deleteInvitation(account, invitationId)
  return `The invitation of ${email} has been revoked. Its link no longer works.`
}

interface Guest {
  token: string
  name?: string | undefined
  password?: string | undefined
  code?: string | undefined
  ip: string
  device: string | null
  cookies: Readonly<Record<string, string | undefined>>
}

export async function readInvitation(
  deps: Pick<Deps, 'db' | 'now' | 'pool' | 'secrets'>,
  { token, ip }: Pick<Guest, 'token' | 'ip'>,
  session: Session | null,
) {
  const open = await openInvitation(deps, token, ip)
  const user = await findUserByEmail(deps.db, open.email)
  return {
    accountName: open.account_name,
    invitedBy: open.invited_by,
    email: open.email,
    role: open.role,
    isKnown: user !== undefined,
    isYou: user !== undefined && session?.userId === user.id && !session.isDemo,
  }
}

export async function acceptInvitation(deps: Deps, guest: Guest, session: Session | null): Promise<SignedIn> {
  const open = await openInvitation(deps, guest.token, guest.ip)
  const user = await findUserByEmail(deps.db, open.email)
  const isYou = user !== undefined && session?.userId === user.id && !session.isDemo
  const secondFactorAt = user && !isYou ? await assertKnown(deps, guest, user) : isYou ? session!.secondFactorAt : null
  const fresh = user ? null : await createInvitedUser(open.email, guest)
  const account = { accountId: open.account_id, db: deps.db }
  const now = deps.now()
  const { token, userId } = await transactAccount(account, async (tx) => {
    // Locks first: an account that is being deleted accepts no members.
    if (!(await team.lockTeam(tx))) throw invalid()
    const used = await consumeInvitation(tx, hashToken(guest.token), now)
    // The sender may have left the team or lost the right since.
    const sender = used?.invited_by ? await findMember(tx, used.invited_by) : undefined
    if (!used || !sender || !mayManage(sender.role, used.role)) throw invalid()
    const id = user?.id ?? (await insertFresh(tx, fresh!, now))
    await confirmAddress(tx.db, id, used.email, now)
    await addMember(tx, id, used.role, now)
    await team.enterAccount(tx, id, now)
    await refreshMembers(tx, [used.email])
    return { token: await startSession(tx, id, { now, device: guest.device, secondFactorAt }), userId: id }
  })
  return {
    token,
    user: await viewUser(deps, account, { userId, secondFactorAt, viewedUntil: null }),
    cookie: deviceCookie(deps, userId),
  }
}

const invalid = () => new AppError('invalid', teamTexts.invalidInvitation)

async function openInvitation(deps: Pick<Deps, 'db' | 'now' | 'pool' | 'secrets'>, token: string, ip: string) {
  await takePoint(deps, limits.invitationPerClient, clientNetwork(ip))
  const open = await findInvitationByToken(deps.db, hashToken(token), deps.now())
  if (!open) throw invalid()
  return open
}

function assertMay(session: Session, role: Role): void {
  if (!mayManage(session.role, role)) throw new AppError('forbidden', teamTexts.ownersOnly)
}

async function mail(
  deps: Pick<Deps, 'jobs' | 'now' | 'pool' | 'secrets'>,
  account: AccountDb,
  session: Session,
  invitation: { email: string; role: Role },
) {
  await assertVerified(account)
  await takePoint(deps, limits.invitePerAccount, account.accountId)
  await takePoint(deps, limits.linkPerAddress, invitation.email)
  const now = deps.now()
  await transactAccount(account, async (tx) => {
    const expiresAt = addMs(now, INVITATION_MS)
    const invitedBy = session.userId
    const { id } = await upsertInvitation(tx, { id: createId(), ...invitation, invitedBy, now, expiresAt })
    await deps.jobs.enqueue(tx.db, mailInvitation, { accountId: account.accountId, invitationId: id })
  })
}

/** Counted like a sign-in: the link must not bypass the sign-in throttle. */
async function assertKnown(
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now' | 'pool' | 'secrets'>,
  guest: Guest,
  user: NonNullable<Awaited<ReturnType<typeof findUserByEmail>>>,
): Promise<Date | null> {
  const guess = await claimAttempt(deps, { ...guest, email: user.email, userId: user.id })
  if (!(await isRightPassword(guest.password ?? '', user.password_hash))) {
    await recordFailure(deps, guess)
    // Not a 401: the caller may be signed in as another user, and stays so.
    throw new AppError('invalid', authTexts.loginFailed, { fields: { password: authTexts.loginFailed } })
  }
  const secondFactorAt = await assertSecondFactor(deps, { user, guess, code: guest.code })
  await recordSuccess(deps, guess)
  return secondFactorAt
}

async function createInvitedUser(email: string, guest: Guest) {
  const fields: Record<string, string> = {}
  if (!guest.name) fields.name = authTexts.nameRequired
  if (!guest.password) fields.password = authTexts.passwordRequired
  else if (guest.password.length < PASSWORD_MIN) fields.password = authTexts.passwordShort
  const first = fields.name ?? fields.password
  if (first) throw new AppError('invalid', first, { fields })
  assertPlainName(guest.name!, 'name')
  return { email, name: guest.name!, passwordHash: await hashPassword(guest.password!) }
}

async function insertFresh(
  tx: AccountTx,
  fresh: { email: string; name: string; passwordHash: string },
  now: Date,
): Promise<string> {
  const id = createId()
  if (await users.insertUser(tx.db, { id, ...fresh, now, isConfirmed: true })) return id
  throw new AppError('conflict', 'This address belongs to another user. Ask for an invitation to a different one.')
}

function invitation({ db, accountId }: AccountDb, id: string) {
  return db
    .selectFrom('invitations')
    .select(['id', 'email', 'role'])
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Inviting the same person again renews the invitation with the new role, and invalidates the old link. */
function upsertInvitation(
  { db, accountId }: AccountTx,
  invitation: { id: string; email: string; role: Role; invitedBy: string; now: Date; expiresAt: Date },
) {
  const { email, role, invitedBy, now, expiresAt } = invitation
  const news = { role, invited_by: invitedBy, token_hash: null, sent_at: null, mail_problem: null }
  return db
    .insertInto('invitations')
    .values({ account_id: accountId, id: invitation.id, email, ...news, created_at: now, expires_at: expiresAt })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'email']).doUpdateSet({ ...news, created_at: now, expires_at: expiresAt }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
}

function deleteInvitation({ db, accountId }: AccountDb, id: string) {
  return db
    .deleteFrom('invitations')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
}

/** Consumes the token; of two concurrent requests, one gets it. undefined if it is used, replaced or expired. */
function consumeInvitation({ db, accountId }: AccountTx, tokenHash: Buffer, now: Date) {
  return db
    .deleteFrom('invitations')
    .where('account_id', '=', accountId)
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .returning(['email', 'role', 'invited_by'])
    .executeTakeFirst()
}

function memberByEmail({ db, accountId }: AccountDb, email: string) {
  return db
    .selectFrom('members as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select('u.id')
    .where('m.account_id', '=', accountId)
    .where('u.email', '=', email)
    .executeTakeFirst()
}

/** Keeps the role of an existing member. */
function addMember({ db, accountId }: AccountTx, userId: string, role: Role, now: Date) {
  return db
    .insertInto('members')
    .values({ account_id: accountId, user_id: userId, role, created_at: now })
    .onConflict((conflict) => conflict.columns(['account_id', 'user_id']).doNothing())
    .execute()
}
