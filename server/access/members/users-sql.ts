import type { AccountDb, Db, Tx } from '../../core/db/public.ts'

// SQL for users and their sessions.

export function findUserByEmail(db: Db | Tx, email: string) {
  return db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()
}

export function findUserById(db: Db | Tx, userId: string) {
  return db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirst()
}

/** Take this lock first before changing a user's address or password. */
export function lockUser(tx: Tx, userId: string) {
  return tx.selectFrom('users').selectAll().where('id', '=', userId).forUpdate().executeTakeFirst()
}

/** The user as a member of this account. */
export function findMember({ db, accountId }: AccountDb, userId: string) {
  return db
    .selectFrom('members as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .innerJoin('accounts as a', 'a.id', 'm.account_id')
    .select(['u.id', 'u.name', 'u.email', 'u.email_confirmed_at', 'm.role', 'a.name as account_name', 'a.is_demo'])
    .where('m.account_id', '=', accountId)
    .where('m.user_id', '=', userId)
    .executeTakeFirst()
}

/** An operator viewing an account, who need not be a member. */
export function findViewer({ db, accountId }: AccountDb, userId: string) {
  return db
    .selectFrom('users as u')
    .innerJoin('accounts as a', (on) => on.on('a.id', '=', accountId))
    .select(['u.id', 'u.name', 'u.email', 'a.name as account_name', 'a.is_demo'])
    .where('u.id', '=', userId)
    .executeTakeFirst()
}

export function insertSession(
  { db, accountId }: AccountDb,
  session: {
    id: string
    userId: string
    tokenHash: Buffer
    device: string | null
    now: Date
    expiresAt: Date
    secondFactorAt: Date | null
    storeId?: string | null
    viewedUntil?: Date | null
  },
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
      second_factor_at: session.secondFactorAt,
      store_id: session.storeId ?? null,
      viewed_until: session.viewedUntil ?? null,
    })
    .execute()
}

/** Extends the expiry; changes nothing when the last use was written recently. */
export function touchSession(
  { db, accountId }: AccountDb,
  session: { id: string; now: Date; touchedBefore: Date; expiresAt: Date },
) {
  return db
    .updateTable('sessions')
    .set({ last_seen_at: session.now, expires_at: session.expiresAt })
    .where('account_id', '=', accountId)
    .where('id', '=', session.id)
    .where('last_seen_at', '<', session.touchedBefore)
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

/** The owners of an account, earliest member first. */
export function listOwners({ db, accountId }: AccountDb) {
  return db
    .selectFrom('members as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .innerJoin('accounts as a', 'a.id', 'm.account_id')
    .select(['u.email', 'a.name as accountName'])
    .where('m.account_id', '=', accountId)
    .where('m.role', '=', 'owner')
    .orderBy('m.created_at')
    .orderBy('u.id')
    .execute()
}
