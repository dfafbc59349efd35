import { authTexts } from '../../shared/auth.ts'
import { normalizeEmail } from '../../shared/contact.ts'
import type { Db } from '../db.ts'
import type { Deps } from '../deps.ts'
import { AppError, found } from '../errors.ts'
import { tokenHash } from '../secrets.ts'
import { refreshMembers } from '../shoppers/shoppers.ts'
import { mailEmailChange, mailNotice } from './jobs.ts'
import { forgive, limits, take } from './limits.ts'
import { tellEmailChanged } from './mails.ts'
import { hashPassword, isRightPassword } from './passwords.ts'
import * as sql from './profile-sql.ts'
import { clientNetwork, EMAIL_CHANGE_MS, later } from './rules.ts'
import type { Session } from './session.ts'
import * as sessions from './session-sql.ts'
import * as users from './sql.ts'
import { refuseDemo } from './team.ts'
import { accountsOf } from './team-sql.ts'

// One's own name, address, password and sessions. Address and password want the current password, so that an open screen is
// not enough to take an account over.

export async function saveName(db: Db, session: Session, name: string): Promise<void> {
  refuseDemo(session)
  await sql.setName(db, session.userId, name)
}

/** Says the same whether the new address is somebody's here or not; which it is turns out when its link is followed. */
export async function requestEmailChange(deps: Deps, session: Session, asked: { email: string; password: string }) {
  refuseDemo(session)
  const email = normalizeEmail(asked.email)
  if (!email) throw new AppError('invalid', authTexts.emailInvalid, { fields: { email: authTexts.emailInvalid } })
  const user = await assertPassword(deps, session, asked.password, 'password')
  if (email === user.email) {
    const same = 'This is your address already.'
    throw new AppError('invalid', same, { fields: { email: same } })
  }
  await take(deps, limits.emailChangePerUser, session.userId)
  const now = deps.now()
  await deps.db.transaction().execute(async (tx) => {
    const { userId } = session
    await sql.keepEmailChange(tx, { userId, email, now, expiresAt: later(now, EMAIL_CHANGE_MS) })
    await deps.jobs.enqueue(tx, mailEmailChange, { userId })
    await deps.jobs.enqueue(tx, mailNotice, { userId, about: 'email-asked' })
  })
}

export async function cancelEmailChange(db: Db, session: Session): Promise<void> {
  refuseDemo(session)
  await sql.deleteEmailChange(db, session.userId)
}

/** As shoppers of their own stores both addresses are looked at again: the new one is a member's now, the old one is not (F1). */
export async function confirmEmail(deps: Deps, asked: { token: string; ip: string }): Promise<void> {
  await take(deps, limits.emailConfirmPerClient, clientNetwork(asked.ip))
  const now = deps.now()
  const changed = await deps.db.transaction().execute(async (tx) => {
    const change = await sql.useEmailChange(tx, tokenHash(asked.token), now)
    const user = change && (await users.userById(tx, change.user_id))
    if (!change || !user) throw new AppError('invalid', authTexts.invalidEmailLink)
    if (await users.userByEmail(tx, change.email)) {
      throw new AppError('conflict', 'This address belongs to another user. Choose a different one.')
    }
    await sql.setEmail(tx, user.id, change.email)
    // Links to a new password went to the old address.
    await users.useOtherResets(tx, user.id, now)
    for (const { id } of await accountsOf(tx, user.id)) {
      await refreshMembers({ accountId: id, db: tx }, [user.email, change.email])
    }
    return { ...user, newEmail: change.email }
  })
  await tellEmailChanged(deps, changed)
}

/** Everywhere else the user is signed out: whoever knew the old password is out with it. */
export async function changePassword(deps: Deps, session: Session, asked: { current: string; password: string }) {
  refuseDemo(session)
  await assertPassword(deps, session, asked.current, 'current')
  const { userId } = session
  const passwordHash = await hashPassword(asked.password)
  const now = deps.now()
  return deps.db.transaction().execute(async (tx) => {
    await users.setPassword(tx, userId, passwordHash)
    await users.useOtherResets(tx, userId, now)
    const ended = await sessions.deleteSessionsExcept(tx, userId, session.sessionId)
    await deps.jobs.enqueue(tx, mailNotice, { userId, about: 'password-changed' })
    return ended
  })
}

/** Throws `invalid` at `field`; wrong ones are counted per user. */
export async function assertPassword(deps: Deps, session: Session, password: string, field: string) {
  await take(deps, limits.passwordPerUser, session.userId)
  const user = found(await users.userById(deps.db, session.userId), 'User')
  if (!(await isRightPassword(password, user.password_hash))) {
    throw new AppError('invalid', authTexts.wrongPassword, { fields: { [field]: authTexts.wrongPassword } })
  }
  await forgive(deps, limits.passwordPerUser, session.userId)
  return user
}

/** The demo's user is everybody's: each sees their own session alone. */
export async function listSessions(deps: Deps, session: Session) {
  const all = await sessions.sessionsOf(deps.db, session.userId, deps.now())
  return all
    .filter((each) => !session.isDemo || each.id === session.sessionId)
    .map((each) => ({
      id: each.id,
      device: each.device,
      accountName: each.account_name,
      startedAt: each.created_at.toISOString(),
      lastSeenAt: each.last_seen_at.toISOString(),
      isCurrent: each.id === session.sessionId,
    }))
}

export async function endSession(db: Db, session: Session, sessionId: string): Promise<void> {
  if (sessionId !== session.sessionId) refuseDemo(session)
  found(await sessions.deleteSessionOf(db, session.userId, sessionId), 'Session')
}

/** Returns how many ended. */
export async function endSessions(db: Db, session: Session, scope: 'others' | 'all'): Promise<number> {
  refuseDemo(session)
  return sessions.deleteSessionsExcept(db, session.userId, scope === 'others' ? session.sessionId : null)
}
