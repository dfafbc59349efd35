import type { NotificationChoice } from '../../shared/notification-calls.ts'
import { type AccountDb, sql } from '../core/db.ts'

// What members have chosen about notifications: SQL and nothing else.

export function choicesOf({ db, accountId }: AccountDb, userId: string) {
  return db
    .selectFrom('notification_preferences')
    .select(['topic', 'bell', 'mail'])
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .execute()
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
