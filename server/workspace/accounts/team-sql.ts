import type { Role } from '../../../shared/roles.ts'
import { type AccountDb, type AccountTx, type Db, sql, type Tx } from '../../core/db/db.ts'

// Statements for the members of an account.

/** Serializes membership changes. undefined if the account is gone. */
export function lockTeam({ db, accountId }: AccountTx) {
  return db
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', accountId)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

export function members({ db, accountId }: AccountDb) {
  return db
    .selectFrom('members as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['u.id', 'u.name', 'u.email', 'm.role', 'm.created_at'])
    .where('m.account_id', '=', accountId)
    .orderBy('m.created_at')
    .orderBy('u.id')
    .execute()
}

export function memberByEmail({ db, accountId }: AccountDb, email: string) {
  return db
    .selectFrom('members as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select('u.id')
    .where('m.account_id', '=', accountId)
    .where('u.email', '=', email)
    .executeTakeFirst()
}

export async function countOwners({ db, accountId }: AccountTx): Promise<number> {
  const rows = await db
    .selectFrom('members')
    .select('user_id')
    .where('account_id', '=', accountId)
    .where('role', '=', 'owner')
    .execute()
  return rows.length
}

/** Makes open pages of the account reload the user, because a role changes what they offer. */
export async function setRole({ db, accountId }: AccountTx, userId: string, role: Role) {
  await sql`select pg_notify('recoup_live', ${`account:${accountId}`})`.execute(db)
  await db
    .updateTable('members')
    .set({ role })
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .execute()
}

/** Keeps the role of an existing member. */
export function addMember({ db, accountId }: AccountTx, userId: string, role: Role, now: Date) {
  return db
    .insertInto('members')
    .values({ account_id: accountId, user_id: userId, role, created_at: now })
    .onConflict((conflict) => conflict.columns(['account_id', 'user_id']).doNothing())
    .execute()
}

export function deleteMember({ db, accountId }: AccountTx, userId: string) {
  return db.deleteFrom('members').where('account_id', '=', accountId).where('user_id', '=', userId).execute()
}

/** Deletes a user without any account; the address can register again. */
export function deleteUserWithoutAccount(tx: Tx, userId: string) {
  return tx
    .deleteFrom('users as u')
    .where('u.id', '=', userId)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('members as m').select('m.user_id').whereRef('m.user_id', '=', 'u.id'))),
    )
    .execute()
}

export function accountsOf(db: Db, userId: string) {
  return db
    .selectFrom('members as m')
    .innerJoin('accounts as a', 'a.id', 'm.account_id')
    .select(['a.id', 'a.name', 'm.role'])
    .where('m.user_id', '=', userId)
    .orderBy('a.name')
    .orderBy('a.id')
    .execute()
}

/** The next sign-in opens this account; undefined if the user is no member. */
export function enterAccount({ db, accountId }: AccountTx, userId: string, now: Date) {
  return db
    .updateTable('members')
    .set({ entered_at: now })
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .returning('user_id')
    .executeTakeFirst()
}

export function setAccountName({ db, accountId }: AccountDb, name: string) {
  return db.updateTable('accounts').set({ name }).where('id', '=', accountId).execute()
}
