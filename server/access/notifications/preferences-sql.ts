import type { NotificationChoice } from '../../../shared/notification-calls.ts'
import { type AccountDb, sql } from '../../core/db/db.ts'

// Statements for members' notification preferences.

export function readChoices({ db, accountId }: AccountDb, userId: string) {
  return db
    .selectFrom('notification_preferences')
    .select(['topic', 'bell', 'mail'])
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .execute()
}

export function readWeeklyChoice({ db, accountId }: AccountDb, userId: string) {
  return db
    .selectFrom('weekly_report_choices')
    .select('is_wanted')
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
}

export async function saveWeeklyChoice({ db, accountId }: AccountDb, userId: string, isWanted: boolean): Promise<void> {
  await db
    .insertInto('weekly_report_choices')
    .values({ account_id: accountId, user_id: userId, is_wanted: isWanted })
    .onConflict((known) => known.columns(['account_id', 'user_id']).doUpdateSet({ is_wanted: isWanted }))
    .execute()
}

/** Members with a confirmed address, except in the demo account. */
export async function listWeeklyReaders({ db, accountId }: AccountDb): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`
    select m.user_id from members m join users u on u.id = m.user_id join accounts a on a.id = m.account_id
    left join weekly_report_choices c on c.account_id = m.account_id and c.user_id = m.user_id
    where m.account_id = ${accountId} and not a.is_demo and u.email_confirmed_at is not null
      and coalesce(c.is_wanted, m.role = 'owner')`.execute(db)
  return rows.map(({ user_id }) => user_id)
}

export async function saveChoices(
  { db, accountId }: AccountDb,
  userId: string,
  choices: readonly NotificationChoice[],
): Promise<void> {
  await sql`
    insert into notification_preferences (account_id, user_id, topic, bell, mail)
    select ${accountId}, ${userId}, c.topic, c.bell, c.mail
    from jsonb_to_recordset(${JSON.stringify(choices)}::jsonb) as c(topic text, bell boolean, mail text)
    on conflict (account_id, user_id, topic) do update set bell = excluded.bell, mail = excluded.mail`.execute(db)
}
