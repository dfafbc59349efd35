import { type AccountDb, type AccountTx, type Db, sql, type Tx } from '../../core/db/db.ts'

// Which addresses are proven: SQL and nothing else.

/** True when this user's address is still the one the proof is of. */
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
 * Whether somebody of the account has proven their address (whoever was invited has, and only a proven account invites); the demo has
 * none to prove. Also how old the account is.
 */
export function standingOf({ db, accountId }: AccountDb | AccountTx) {
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
