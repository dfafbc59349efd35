import { mayManage, type Role, roleNames } from '../../../shared/access/roles.ts'
import { teamTexts } from '../../../shared/workspace/team.ts'
import * as users from '../../access/members/public.ts'
import { refuseDemo, type Session } from '../../access/members/public.ts'
import { AppError, requireFound } from '../../core/common/public.ts'
import { type AccountDb, type AccountTx, type Db, sql, type Tx, transactAccount } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { refreshMembers } from '../../shoppers/shoppers/public.ts'
import { notifyRemoved } from './mails.ts'
import { enterAccount, listUserAccounts, lockTeam } from './team-sql.ts'

// Members of an account (decision 8). An account always has an owner, and only owners change owners. Each change locks
// the account first, so that two owners who remove each other are serialized.

export async function viewTeam(account: AccountDb, session: Session, now: Date) {
  const people = await members(account)
  const invited = mayManage(session.role, 'member') ? await invitations(account) : []
  return {
    members: people.map(({ id, name, email, role, created_at }) => ({
      userId: id,
      name,
      email,
      role,
      joinedAt: created_at.toISOString(),
      isYou: id === session.userId,
    })),
    invitations: invited.map((each) => ({
      id: each.id,
      email: each.email,
      role: each.role,
      invitedBy: each.invited_by,
      state: getInvitationState(each, now),
      mailProblem: each.mail_problem,
      sentAt: each.sent_at?.toISOString() ?? null,
      expiresAt: each.expires_at.toISOString(),
    })),
  }
}

function getInvitationState(
  invitation: { sent_at: Date | null; mail_problem: string | null; expires_at: Date },
  now: Date,
) {
  if (invitation.expires_at <= now) return 'expired' as const
  if (invitation.mail_problem !== null) return 'failed' as const
  return invitation.sent_at ? ('sent' as const) : ('waiting' as const)
}

export async function changeRole(account: AccountDb, session: Session, userId: string, role: Role): Promise<string> {
  refuseDemo(session)
  return transactAccount(account, async (tx) => {
    const { own, other } = await lockPair(tx, session.userId, userId)
    if (!mayManage(own.role, other.role) || !mayManage(own.role, role)) {
      throw new AppError('forbidden', teamTexts.ownersOnly)
    }
    if (role !== 'owner') await assertOwnerRemains(tx, other.role)
    await setRole(tx, userId, role)
    const others = roleNames.filter((invited) => !mayManage(role, invited))
    if (others.length > 0) await deleteUserInvitations(tx, userId, others)
    return `${other.name} is now ${role}.`
  })
}

/** Notifies the removed member, who is signed out. */
export async function removeMember(
  deps: Pick<Deps, 'channels' | 'config' | 'log'>,
  account: AccountDb,
  session: Session,
  userId: string,
): Promise<string> {
  refuseDemo(session)
  const removed = await transactAccount(account, async (tx) => {
    const { own, other } = await lockPair(tx, session.userId, userId)
    if (!mayManage(own.role, other.role)) throw new AppError('forbidden', teamTexts.ownersOnly)
    await assertOwnerRemains(tx, other.role)
    await removeFromTeam(tx, other)
    return other
  })
  if (removed.id !== session.userId) await notifyRemoved(deps, removed)
  return `${removed.name} is no longer on the team.`
}

export async function leaveTeam(account: AccountDb, session: Session): Promise<string> {
  refuseDemo(session)
  return transactAccount(account, async (tx) => {
    const { own } = await lockPair(tx, session.userId, session.userId)
    await assertOwnerRemains(tx, own.role)
    await removeFromTeam(tx, own)
    return `You have left ${own.account_name}.`
  })
}

/** The accounts of the user; the demo's shared user has no other. */
export async function listAccounts(account: AccountDb<Db>, session: Session) {
  const accounts = await listUserAccounts(account.db, session.userId)
  return accounts.map((each) => ({ ...each, isCurrent: each.id === session.accountId }))
}

export async function switchAccount(
  deps: Pick<Deps, 'db' | 'now'>,
  session: Session,
  accountId: string,
): Promise<string> {
  return transactAccount({ accountId, db: deps.db }, async (tx) => {
    // An account of others answers like an unknown one.
    const member = requireFound(await users.findMember(tx, session.userId), 'Account')
    await enterAccount(tx, session.userId, deps.now())
    await moveSession({ accountId: session.accountId, db: tx.db }, session.sessionId, accountId)
    return `You switched to ${member.account_name}.`
  })
}

/** Reads under the lock, because the caller's role may have changed. */
async function lockPair(tx: AccountTx, ownId: string, otherId: string) {
  requireFound(await lockTeam(tx), 'Account')
  const own = requireFound(await users.findMember(tx, ownId), 'Member')
  const other = requireFound(await users.findMember(tx, otherId), 'Member')
  return { own, other }
}

async function assertOwnerRemains(tx: AccountTx, role: Role): Promise<void> {
  if (role === 'owner' && (await countOwners(tx)) === 1) throw new AppError('conflict', teamTexts.lastOwner)
}

/**
 * Ends their sessions and invitations in this account in the same commit; as shoppers of its stores they count again
 * (F1).
 */
async function removeFromTeam(tx: AccountTx, { id, email }: { id: string; email: string }): Promise<void> {
  await deleteMember(tx, id)
  await deleteSessionsIn(tx, id)
  await deleteUserInvitations(tx, id, roleNames)
  await deleteUserWithoutAccount(tx.db, id)
  await refreshMembers(tx, [email])
}

function deleteSessionsIn({ db, accountId }: AccountTx, userId: string) {
  return db.deleteFrom('sessions').where('account_id', '=', accountId).where('user_id', '=', userId).execute()
}

/** Moves the session to another account and one of its stores. */
function moveSession({ db, accountId }: AccountTx, sessionId: string, toAccountId: string) {
  return db
    .updateTable('sessions')
    .set({ account_id: toAccountId, store_id: null })
    .where('account_id', '=', accountId)
    .where('id', '=', sessionId)
    .execute()
}

function members({ db, accountId }: AccountDb) {
  return db
    .selectFrom('members as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['u.id', 'u.name', 'u.email', 'm.role', 'm.created_at'])
    .where('m.account_id', '=', accountId)
    .orderBy('m.created_at')
    .orderBy('u.id')
    .execute()
}

async function countOwners({ db, accountId }: AccountTx): Promise<number> {
  const rows = await db
    .selectFrom('members')
    .select('user_id')
    .where('account_id', '=', accountId)
    .where('role', '=', 'owner')
    .execute()
  return rows.length
}

/** Makes open pages of the account reload the user, because a role changes what they offer. */
async function setRole({ db, accountId }: AccountTx, userId: string, role: Role) {
  await sql`select pg_notify('recoup_live', ${`account:${accountId}`})`.execute(db)
  await db
    .updateTable('members')
    .set({ role })
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .execute()
}

function deleteMember({ db, accountId }: AccountTx, userId: string) {
  return db.deleteFrom('members').where('account_id', '=', accountId).where('user_id', '=', userId).execute()
}

/** Deletes a user without any account; the address can register again. */
function deleteUserWithoutAccount(tx: Tx, userId: string) {
  return tx
    .deleteFrom('users as u')
    .where('u.id', '=', userId)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('members as m').select('m.user_id').whereRef('m.user_id', '=', 'u.id'))),
    )
    .execute()
}

function invitations({ db, accountId }: AccountDb) {
  return db
    .selectFrom('invitations as i')
    .leftJoin('users as u', 'u.id', 'i.invited_by')
    .select(['i.id', 'i.email', 'i.role', 'i.sent_at', 'i.mail_problem', 'i.expires_at', 'u.name as invited_by'])
    .where('i.account_id', '=', accountId)
    .orderBy('i.created_at', 'desc')
    .orderBy('i.id', 'desc')
    .execute()
}

/** Invitations that this member has sent for these roles. */
function deleteUserInvitations({ db, accountId }: AccountTx, userId: string, roles: readonly Role[]) {
  return db
    .deleteFrom('invitations')
    .where('account_id', '=', accountId)
    .where('invited_by', '=', userId)
    .where('role', 'in', [...roles])
    .execute()
}
