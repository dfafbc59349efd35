import type { Role } from '../../../shared/access/roles.ts'
import { type AccountTx, type Db, sql, type Tx } from '../../core/db/public.ts'

// SQL for accounts. A user may belong to several accounts, so users, their sessions and password resets are
// reached by user id; account data by its handle.

interface NewUser {
  id: string
  email: string
  name: string
  passwordHash: string
  now: Date
  /** They have read a mail sent to this address. */
  isConfirmed?: boolean
}

/** undefined if the address is taken, or a former holder can still reclaim it. */
export function insertUser(tx: Tx, user: NewUser) {
  const { id, email, name, passwordHash, now, isConfirmed = false } = user
  return tx
    .insertInto('users')
    .columns(['id', 'email', 'name', 'password_hash', 'created_at', 'email_confirmed_at'])
    .expression(
      tx
        .selectNoFrom([
          sql<string>`${id}::uuid`.as('id'),
          sql<string>`${email}::text`.as('email'),
          sql<string>`${name}::text`.as('name'),
          sql<string>`${passwordHash}::text`.as('password_hash'),
          sql<Date>`${now}::timestamptz`.as('created_at'),
          sql<Date | null>`${isConfirmed ? now : null}::timestamptz`.as('email_confirmed_at'),
        ])
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('email_undos').select('id').where('email', '=', email).where('expires_at', '>', now))),
        ),
    )
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

/** The account for a sign-in: the one chosen last, or else the one joined first. */
export function findFirstMembership(db: Db | Tx, userId: string) {
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

export function deleteUserSessions(tx: Tx, userId: string) {
  return tx.deleteFrom('sessions').where('user_id', '=', userId).execute()
}

export function consumeOtherResets(tx: Tx, userId: string, now: Date) {
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

/** The link of the token sets the user's password. */
export function insertReset(db: Db | Tx, reset: { tokenHash: Buffer; userId: string; now: Date; expiresAt: Date }) {
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
