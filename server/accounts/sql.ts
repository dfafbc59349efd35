import type { Role } from '../../shared/roles.ts'
import type { AccountDb, AccountTx, Db, Tx } from '../db.ts'

// Accounts: SQL and nothing else. A user may belong to several accounts, so users, their sessions' end and their password
// resets are reached by user id; everything of an account through its handle.

export function userByEmail(db: Db | Tx, email: string) {
  return db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()
}

export function userById(db: Db | Tx, userId: string) {
  return db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirst()
}

/** undefined when the address was taken meanwhile. */
export function insertUser(tx: Tx, user: { id: string; email: string; name: string; passwordHash: string; now: Date }) {
  return tx
    .insertInto('users')
    .values({
      id: user.id,
      email: user.email,
      name: user.name,
      password_hash: user.passwordHash,
      created_at: user.now,
    })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('id')
    .executeTakeFirst()
}

export function insertAccount({ db, accountId }: AccountTx, name: string, now: Date) {
  return db.insertInto('accounts').values({ id: accountId, name, created_at: now }).execute()
}

export function insertMember({ db, accountId }: AccountTx, userId: string, role: Role, now: Date) {
  return db.insertInto('members').values({ account_id: accountId, user_id: userId, role, created_at: now }).execute()
}

/** The account a user works in on signing in: the one chosen last, else the one joined first. */
export function firstMembership(db: Db | Tx, userId: string) {
  return db
    .selectFrom('members as m')
    .innerJoin('accounts as a', 'a.id', 'm.account_id')
    .select(['m.account_id', 'a.is_demo'])
    .where('m.user_id', '=', userId)
    .orderBy('m.entered_at', (order) => order.desc().nullsLast())
    .orderBy('m.created_at')
    .orderBy('m.account_id')
    .limit(1)
    .executeTakeFirst()
}

export function demoOwner(db: Db) {
  return db
    .selectFrom('accounts as a')
    .innerJoin('members as m', 'm.account_id', 'a.id')
    .select(['a.id as account_id', 'm.user_id'])
    .where('a.is_demo', '=', true)
    .where('m.role', '=', 'owner')
    .orderBy('a.created_at')
    .limit(1)
    .executeTakeFirst()
}

/** The user as this account sees them. */
export function member({ db, accountId }: AccountDb, userId: string) {
  return db
    .selectFrom('members as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .innerJoin('accounts as a', 'a.id', 'm.account_id')
    .select(['u.id', 'u.name', 'u.email', 'm.role', 'a.name as account_name', 'a.is_demo'])
    .where('m.account_id', '=', accountId)
    .where('m.user_id', '=', userId)
    .executeTakeFirst()
}

export function storesOfAccount({ db, accountId }: AccountDb) {
  return db
    .selectFrom('stores')
    .select(['id', 'url', 'platform', 'is_active'])
    .where('account_id', '=', accountId)
    .orderBy('is_active', 'desc')
    .orderBy('connected_at', 'desc')
    .execute()
}

export function insertSession(
  { db, accountId }: AccountDb,
  session: { id: string; userId: string; tokenHash: Buffer; device: string | null; now: Date; expiresAt: Date },
) {
  return db
    .insertInto('sessions')
    .values({
      account_id: accountId,
      id: session.id,
      user_id: session.userId,
      token_hash: session.tokenHash,
      device: session.device,
      created_at: session.now,
      last_seen_at: session.now,
      expires_at: session.expiresAt,
    })
    .execute()
}

/** Slides the expiry; moves nothing when the last use was written only just now. */
export function touchSession(
  { db, accountId }: AccountDb,
  session: { id: string; now: Date; seenBefore: Date; expiresAt: Date },
) {
  return db
    .updateTable('sessions')
    .set({ last_seen_at: session.now, expires_at: session.expiresAt })
    .where('account_id', '=', accountId)
    .where('id', '=', session.id)
    .where('last_seen_at', '<', session.seenBefore)
    .execute()
}

export function setStore({ db, accountId }: AccountDb, sessionId: string, storeId: string) {
  return db
    .updateTable('sessions')
    .set({ store_id: storeId })
    .where('account_id', '=', accountId)
    .where('id', '=', sessionId)
    .execute()
}

export function deleteSession({ db, accountId }: AccountDb, sessionId: string) {
  return db.deleteFrom('sessions').where('account_id', '=', accountId).where('id', '=', sessionId).execute()
}

export function deleteSessionsOf(tx: Tx, userId: string) {
  return tx.deleteFrom('sessions').where('user_id', '=', userId).execute()
}

export function insertReset(db: Db, reset: { tokenHash: Buffer; userId: string; now: Date; expiresAt: Date }) {
  return db
    .insertInto('password_resets')
    .values({
      token_hash: reset.tokenHash,
      user_id: reset.userId,
      created_at: reset.now,
      expires_at: reset.expiresAt,
    })
    .execute()
}

/** Whose token this was; undefined when it is unknown, used or too old. Only one of two simultaneous callers gets it. */
export function useReset(tx: Tx, tokenHash: Buffer, now: Date) {
  return tx
    .updateTable('password_resets')
    .set({ used_at: now })
    .where('token_hash', '=', tokenHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('user_id')
    .executeTakeFirst()
}

export function useOtherResets(tx: Tx, userId: string, now: Date) {
  return tx
    .updateTable('password_resets')
    .set({ used_at: now })
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .execute()
}

export function setPassword(tx: Tx, userId: string, passwordHash: string) {
  return tx
    .updateTable('users')
    .set({ password_hash: passwordHash })
    .where('id', '=', userId)
    .returning('email')
    .executeTakeFirst()
}

export function deleteExpiredSessions(db: Db, now: Date) {
  return db.deleteFrom('sessions').where('expires_at', '<=', now).execute()
}

export function deleteExpiredResets(db: Db, now: Date) {
  return db.deleteFrom('password_resets').where('expires_at', '<=', now).execute()
}

/** The limiter's own clock: milliseconds since 1970. */
export function deleteExpiredLimits(db: Db, nowMs: number) {
  return db.deleteFrom('rate_limits').where('expire', '<=', nowMs).execute()
}
