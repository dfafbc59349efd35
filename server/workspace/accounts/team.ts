import { mayManage, type Role, roleNames } from '../../../shared/roles.ts'
import { teamTexts } from '../../../shared/team.ts'
import { refuseDemo, type Session } from '../../access/members/session.ts'
import * as users from '../../access/members/users.ts'
import { AppError, requireFound } from '../../core/common/errors.ts'
import { type AccountDb, type AccountTx, type Db, transactAccount } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { refreshMembers } from '../../shoppers/shoppers/shoppers.ts'
import { deleteInvitationsBy, invitations } from './invitation-sql.ts'
import { notifyRemoved } from './mails.ts'
import { deleteSessionsIn, moveSession } from './session-sql.ts'
import * as sql from './team-sql.ts'

// Members of an account (decision 8). An account always has an owner, and only owners change owners. Each change locks
// the account first, so that two owners who remove each other are serialized.

export async function viewTeam(account: AccountDb, session: Session, now: Date) {
  const people = await sql.members(account)
  const asked = mayManage(session.role, 'member') ? await invitations(account) : []
  return {
    members: people.map(({ id, name, email, role, created_at }) => ({
      userId: id,
      name,
      email,
      role,
      joinedAt: created_at.toISOString(),
      isYou: id === session.userId,
    })),
    invitations: asked.map((each) => ({
      id: each.id,
      email: each.email,
      role: each.role,
      invitedBy: each.invited_by,
      state: stateOf(each, now),
      mailProblem: each.mail_problem,
      sentAt: each.sent_at?.toISOString() ?? null,
      expiresAt: each.expires_at.toISOString(),
    })),
  }
}

function stateOf(invitation: { sent_at: Date | null; mail_problem: string | null; expires_at: Date }, now: Date) {
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
    await sql.setRole(tx, userId, role)
    const others = roleNames.filter((invited) => !mayManage(role, invited))
    if (others.length > 0) await deleteInvitationsBy(tx, userId, others)
    return `${other.name} is now ${role}.`
  })
}

/** Notifies the removed member, who is signed out. */
export async function removeMember(deps: Deps, account: AccountDb, session: Session, userId: string): Promise<string> {
  refuseDemo(session)
  const removed = await transactAccount(account, async (tx) => {
    const { own, other } = await lockPair(tx, session.userId, userId)
    if (!mayManage(own.role, other.role)) throw new AppError('forbidden', teamTexts.ownersOnly)
    await assertOwnerRemains(tx, other.role)
    await removeFromTeam(tx, other)
    return other
  })
  if (removed.id !== session.userId) await notifyRemoved(deps, removed)
  return `${removed.name} is no longer in the team.`
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
  const accounts = await sql.accountsOf(account.db, session.userId)
  return accounts.map((each) => ({ ...each, isCurrent: each.id === session.accountId }))
}

export async function switchAccount(deps: Deps, session: Session, accountId: string): Promise<string> {
  return transactAccount({ accountId, db: deps.db }, async (tx) => {
    // An account of others answers like an unknown one.
    const member = requireFound(await users.findMember(tx, session.userId), 'Account')
    await sql.enterAccount(tx, session.userId, deps.now())
    await moveSession({ accountId: session.accountId, db: tx.db }, session.sessionId, accountId)
    return `You are working in ${member.account_name}.`
  })
}

/** Reads under the lock, because the caller's role may have changed. */
async function lockPair(tx: AccountTx, ownId: string, otherId: string) {
  requireFound(await sql.lockTeam(tx), 'Account')
  const own = requireFound(await users.findMember(tx, ownId), 'Member')
  const other = requireFound(await users.findMember(tx, otherId), 'Member')
  return { own, other }
}

async function assertOwnerRemains(tx: AccountTx, role: Role): Promise<void> {
  if (role === 'owner' && (await sql.countOwners(tx)) === 1) throw new AppError('conflict', teamTexts.lastOwner)
}

/**
 * Ends their sessions and invitations in this account in the same commit; as shoppers of its stores they count again
 * (F1).
 */
async function removeFromTeam(tx: AccountTx, { id, email }: { id: string; email: string }): Promise<void> {
  await sql.deleteMember(tx, id)
  await deleteSessionsIn(tx, id)
  await deleteInvitationsBy(tx, id, roleNames)
  await sql.deleteUserWithoutAccount(tx.db, id)
  await refreshMembers(tx, [email])
}
