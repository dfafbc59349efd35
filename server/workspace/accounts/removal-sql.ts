import type { AccountTx, Db, Tx } from '../../core/db/public.ts'

// SQL that deletes an account.

/** undefined if it is already being deleted. */
export function markDeleted({ db, accountId }: AccountTx, now: Date) {
  return db
    .updateTable('accounts')
    .set({ deleted_at: now })
    .where('id', '=', accountId)
    .where('deleted_at', 'is', null)
    .returning('name')
    .executeTakeFirst()
}

export function deleteSubscription({ db, accountId }: AccountTx) {
  return db.deleteFrom('subscriptions').where('account_id', '=', accountId).execute()
}

/** Ends all memberships and sessions. Returns the former members. */
export async function deleteMembers({ db, accountId }: AccountTx): Promise<string[]> {
  await db.deleteFrom('sessions').where('account_id', '=', accountId).execute()
  await db.deleteFrom('invitations').where('account_id', '=', accountId).execute()
  const deleted = await db.deleteFrom('members').where('account_id', '=', accountId).returning('user_id').execute()
  return deleted.map((row) => row.user_id)
}

/** Users among them who belong to no other account. */
export function deleteUsersWithoutAccount(tx: Tx, userIds: readonly string[]) {
  if (userIds.length === 0) return Promise.resolve([])
  return tx
    .deleteFrom('users as u')
    .where('u.id', 'in', userIds)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('members as m').select('m.user_id').whereRef('m.user_id', '=', 'u.id'))),
    )
    .execute()
}

export function isDeleted(db: Db, accountId: string) {
  return db
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', accountId)
    .where('deleted_at', 'is not', null)
    .executeTakeFirst()
}

/** Cascades to plan, usage and suppressions. */
export function deleteAccount({ db, accountId }: { db: Db; accountId: string }) {
  return db.deleteFrom('accounts').where('id', '=', accountId).where('deleted_at', 'is not', null).execute()
}
