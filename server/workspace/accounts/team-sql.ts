import type { AccountDb, AccountTx, Db } from '../../core/db/public.ts'

// SQL for the members of an account.

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

export function listUserAccounts(db: Db, userId: string) {
  return db
    .selectFrom('members as m')
    .innerJoin('accounts as a', 'a.id', 'm.account_id')
    .select(['a.id', 'a.name', 'm.role'])
    .where('m.user_id', '=', userId)
    .orderBy('a.name')
    .orderBy('a.id')
    .execute()
}

/** The next sign-in opens this account; undefined if the user is not a member. */
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
