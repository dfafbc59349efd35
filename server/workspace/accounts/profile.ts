import { authTexts } from '../../../shared/access/auth.ts'
import { normalizeEmail } from '../../../shared/core/contact.ts'
import {
  addMs,
  assertPassword,
  assertPlainName,
  EMAIL_CHANGE_MS,
  EMAIL_UNDO_MS,
  findUserByEmail,
  hashPassword,
  limits,
  lockUser,
  mailNotice,
  refuseDemo,
  type Session,
} from '../../access/members/public.ts'
import { AppError, createId, hashToken, requireFound } from '../../core/common/public.ts'
import { clientNetwork, type Db, type Tx, takePoint } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { chooseMailRoute } from '../../messages/channels/public.ts'
import { refreshMembers } from '../../shoppers/shoppers/public.ts'
import { mailEmailChange, mailEmailUndo } from './jobs.ts'
import * as sql from './profile-sql.ts'
import * as users from './sql.ts'
import { listUserAccounts } from './team-sql.ts'

// The user's name, address, password and sessions. Changing address or password needs the current password, so that an
// unlocked screen is not enough to take over an account.

export async function saveName(db: Db, session: Session, name: string): Promise<void> {
  refuseDemo(session)
  assertPlainName(name, 'name')
  await setName(db, session.userId, name)
}

/**
 * Returns where the link goes. The answer is the same for known and unknown addresses; the link reveals it. Without a
 * mail server nothing is stored.
 */
export async function requestEmailChange(
  deps: Pick<Deps, 'config' | 'db' | 'jobs' | 'now' | 'pool' | 'secrets'>,
  session: Session,
  change: { email: string; password: string },
): Promise<string> {
  refuseDemo(session)
  const route = chooseMailRoute(deps.config)
  if (route === 'none') {
    throw new AppError('unprocessable', `${authTexts.emailLinkUnsendable}: ${deps.config.supportEmail}.`)
  }
  const email = normalizeEmail(change.email)
  if (!email) throw new AppError('invalid', authTexts.emailInvalid, { fields: { email: authTexts.emailInvalid } })
  const user = await assertPassword(deps, session, { password: change.password, field: 'password' })
  if (email === user.email) {
    const same = 'This is already your address.'
    throw new AppError('invalid', same, { fields: { email: same } })
  }
  await takePoint(deps, limits.emailChangePerUser, session.userId)
  if (!user.email_confirmed_at) await takePoint(deps, limits.emailChangePerUnconfirmed, session.userId)
  await takePoint(deps, limits.linkPerAddress, email)
  const now = deps.now()
  await deps.db.transaction().execute(async (tx) => {
    const { userId } = session
    await saveEmailChange(tx, { userId, email, now, expiresAt: addMs(now, EMAIL_CHANGE_MS) })
    await deps.jobs.enqueue(tx, mailEmailChange, { userId })
    await deps.jobs.enqueue(tx, mailNotice, { userId, about: 'email-asked' })
  })
  return route === 'mailbox' ? authTexts.emailLinkInMailbox : authTexts.emailLinkSent
}

export async function cancelEmailChange(db: Db, session: Session): Promise<void> {
  refuseDemo(session)
  await sql.deleteEmailChange(db, session.userId)
}

/**
 * Ends every session but the confirming one, and lets the old address undo the change. Both addresses are checked again
 * as shoppers of the user's stores: the new one is a member's now, the old one is not (F1).
 */
export async function confirmEmail(
  deps: Pick<Deps, 'db' | 'jobs' | 'now' | 'pool' | 'secrets'>,
  confirmation: { token: string; ip: string },
  session: Session | null,
) {
  await takePoint(deps, limits.emailConfirmPerClient, clientNetwork(confirmation.ip))
  const now = deps.now()
  await deps.db.transaction().execute(async (tx) => {
    const { user, email } = await openChange(tx, hashToken(confirmation.token), now)
    await sql.setEmail(tx, user.id, email, now)
    // Password links went to the old address.
    await users.consumeOtherResets(tx, user.id, now)
    await deleteSessionsExcept(tx, user.id, session?.userId === user.id ? session.sessionId : null)
    await offerUndo(deps, tx, user)
    for (const { id } of await listUserAccounts(tx, user.id)) {
      await refreshMembers({ accountId: id, db: tx }, [user.email, email])
    }
  })
}

async function openChange(tx: Tx, hash: Buffer, now: Date) {
  const owner = await findEmailChangeUser(tx, hash)
  const user = owner && (await lockUser(tx, owner.user_id))
  const change = await consumeEmailChange(tx, hash, now)
  if (!user || !change) throw new AppError('invalid', authTexts.invalidEmailLink)
  const holder = await findEmailHolder(tx, change.email, now)
  if ((await findUserByEmail(tx, change.email)) || (holder && holder.user_id !== user.id)) {
    throw new AppError('conflict', 'This address belongs to another user. Choose a different one.')
  }
  return { user, email: change.email }
}

/**
 * Ends all other sessions and drops an unconfirmed change of address, so that an intruder who knew the old password is
 * out.
 */
export async function changePassword(
  deps: Pick<Deps, 'db' | 'jobs' | 'now' | 'pool' | 'secrets'>,
  session: Session,
  change: { current: string; password: string },
) {
  refuseDemo(session)
  await assertPassword(deps, session, { password: change.current, field: 'current' })
  const { userId } = session
  const passwordHash = await hashPassword(change.password)
  const now = deps.now()
  return deps.db.transaction().execute(async (tx) => {
    await lockUser(tx, userId)
    await users.setPassword(tx, userId, passwordHash)
    await sql.deleteEmailChange(tx, userId)
    await users.consumeOtherResets(tx, userId, now)
    const ended = await deleteSessionsExcept(tx, userId, session.sessionId)
    await deps.jobs.enqueue(tx, mailNotice, { userId, about: 'password-changed' })
    return ended
  })
}

/** The demo's user is shared: each visitor sees only their own session. */
export async function listSessions(deps: Pick<Deps, 'db' | 'now'>, session: Session) {
  const all = await readSessions(deps.db, session.userId, deps.now())
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
  requireFound(await deleteUserSession(db, session.userId, sessionId), 'Session')
}

/** Returns how many ended. */
export async function endSessions(db: Db, session: Session, scope: 'others' | 'all'): Promise<number> {
  refuseDemo(session)
  return deleteSessionsExcept(db, session.userId, scope === 'others' ? session.sessionId : null)
}

function setName(db: Db, userId: string, name: string) {
  return db.updateTable('users').set({ name }).where('id', '=', userId).execute()
}

/** Replaces an earlier request and invalidates its link. */
function saveEmailChange(db: Tx, change: { userId: string; email: string; now: Date; expiresAt: Date }) {
  const { email, now, expiresAt } = change
  const news = { email, token_hash: null, created_at: now, expires_at: expiresAt }
  return db
    .insertInto('email_changes')
    .values({ user_id: change.userId, ...news })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(news))
    .execute()
}

/** The user of the token, even if it has expired. */
function findEmailChangeUser(tx: Tx, tokenHash: Buffer) {
  return tx.selectFrom('email_changes').select('user_id').where('token_hash', '=', tokenHash).executeTakeFirst()
}

/** Consumes the token; of two concurrent requests, one gets it. */
function consumeEmailChange(tx: Tx, tokenHash: Buffer, now: Date) {
  return tx
    .deleteFrom('email_changes')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .returning(['user_id', 'email'])
    .executeTakeFirst()
}

/** Another user who can still reclaim this address. */
function findEmailHolder(tx: Tx, email: string, now: Date) {
  return tx
    .selectFrom('email_undos')
    .select('user_id')
    .where('email', '=', email)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Runs in the transaction that changes the address. A job creates and mails the link (mails.ts). */
async function offerUndo(deps: Pick<Deps, 'jobs' | 'now'>, tx: Tx, user: { id: string; email: string }): Promise<void> {
  const now = deps.now()
  const id = createId()
  await insertUndo(tx, { id, userId: user.id, email: user.email, now, expiresAt: addMs(now, EMAIL_UNDO_MS) })
  await deps.jobs.enqueue(tx, mailEmailUndo, { undoId: id })
}

function insertUndo(tx: Tx, undo: { id: string; userId: string; email: string; now: Date; expiresAt: Date }) {
  const { id, userId, email, now, expiresAt } = undo
  return tx
    .insertInto('email_undos')
    .values({ id, user_id: userId, email, created_at: now, expires_at: expiresAt })
    .execute()
}

// SQL for a user's sessions, which may belong to several accounts.

function readSessions(db: Db, userId: string, now: Date) {
  return db
    .selectFrom('sessions as s')
    .innerJoin('members as m', (on) =>
      on.onRef('m.account_id', '=', 's.account_id').onRef('m.user_id', '=', 's.user_id'),
    )
    .innerJoin('accounts as a', 'a.id', 's.account_id')
    .select(['s.id', 's.device', 's.created_at', 's.last_seen_at', 'a.name as account_name'])
    .where('s.user_id', '=', userId)
    .where('s.expires_at', '>', now)
    .orderBy('s.last_seen_at', 'desc')
    .orderBy('s.id', 'desc')
    .limit(200)
    .execute()
}

/** undefined if it is not a session of this user. */
function deleteUserSession(db: Db, userId: string, sessionId: string) {
  return db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id', '=', sessionId)
    .returning('id')
    .executeTakeFirst()
}

/** Returns how many ended. `exceptId` null: all of them. */
async function deleteSessionsExcept(db: Db | Tx, userId: string, exceptId: string | null): Promise<number> {
  let ended = db.deleteFrom('sessions').where('user_id', '=', userId)
  if (exceptId !== null) ended = ended.where('id', '<>', exceptId)
  return Number((await ended.executeTakeFirst()).numDeletedRows)
}
