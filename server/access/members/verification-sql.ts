import { type AccountDb, type AccountTx, type Db, sql, type Tx } from '../../core/db/public.ts'

// SQL for confirmed addresses.

/** Marks the user's address as confirmed if it is still `email`. Returns whether it was. */
export async function confirmAddress(db: Db | Tx, userId: string, email: string, now: Date): Promise<boolean> {
  const row = await db
    .updateTable('users')
    .set({ email_confirmed_at: sql<Date>`coalesce(email_confirmed_at, ${now})` })
    .where('id', '=', userId)
    .where('email', '=', email)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Whether a member of the account has a confirmed address, and the account's age. Invited members count, because only a
 * confirmed account invites; the demo needs no confirmation.
 */
export function readVerification({ db, accountId }: AccountDb | AccountTx) {
  return db
    .selectFrom('accounts as a')
    .select(({ exists, selectFrom }) => [
      'a.is_demo',
      'a.created_at',
      'a.suspended_reason',
      exists(
        selectFrom('members as m')
          .innerJoin('users as u', 'u.id', 'm.user_id')
          .select('u.id')
          .whereRef('m.account_id', '=', 'a.id')
          .where('u.email_confirmed_at', 'is not', null),
      ).as('is_confirmed'),
      exists(selectFrom('mail_servers as s').select('s.account_id').whereRef('s.account_id', '=', 'a.id')).as(
        'has_own_server',
      ),
    ])
    .where('a.id', '=', accountId)
    .executeTakeFirst()
}
