import type { Role } from '../../../shared/access/roles.ts'
import type { NotificationChoice } from '../../../shared/workspace/notification-calls.ts'
import {
  isMailedToOwners,
  type NotificationTopic,
  notificationTopics,
} from '../../../shared/workspace/notification-kinds.ts'
import { type AccountDb, type Db, sql } from '../../core/db/public.ts'

// A member's topics in the bell and by mail (decision 65). The defaults: everything in the bell, and for owners an
// immediate mail about problems and the weekly report.

interface Member {
  userId: string
  role: Role
}

const topics = Object.keys(notificationTopics) as NotificationTopic[]

export async function readPreferences(account: AccountDb, { userId, role }: Member): Promise<NotificationChoice[]> {
  const chosen = new Map((await readChoices(account, userId)).map((row) => [row.topic, row]))
  return topics.map((topic) => {
    const row = chosen.get(topic)
    const usual = role === 'owner' && isMailedToOwners(topic) ? 'at_once' : 'none'
    return { topic, bell: row?.bell ?? true, mail: row?.mail ?? usual }
  })
}

export async function wantsWeeklyReport(account: AccountDb, { userId, role }: Member): Promise<boolean> {
  return (await readWeeklyChoice(account, userId))?.is_wanted ?? role === 'owner'
}

export const saveWeeklyReport = (account: AccountDb<Db>, { userId }: Member, isEnabled: boolean) =>
  saveWeeklyChoice(account, userId, isEnabled)

/** The members who get the weekly report by mail. */
export const weeklyReaders = (account: AccountDb): Promise<string[]> => listWeeklyReaders(account)

export async function savePreferences(
  account: AccountDb<Db>,
  member: Member,
  choices: readonly NotificationChoice[],
): Promise<NotificationChoice[]> {
  await saveChoices(account, member.userId, [...new Map(choices.map((each) => [each.topic, each])).values()])
  return readPreferences(account, member)
}

// SQL for members' notification preferences.

function readChoices({ db, accountId }: AccountDb, userId: string) {
  return db
    .selectFrom('notification_preferences')
    .select(['topic', 'bell', 'mail'])
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .execute()
}

function readWeeklyChoice({ db, accountId }: AccountDb, userId: string) {
  return db
    .selectFrom('weekly_report_choices')
    .select('is_wanted')
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
}

async function saveWeeklyChoice({ db, accountId }: AccountDb, userId: string, isEnabled: boolean): Promise<void> {
  await db
    .insertInto('weekly_report_choices')
    .values({ account_id: accountId, user_id: userId, is_wanted: isEnabled })
    .onConflict((known) => known.columns(['account_id', 'user_id']).doUpdateSet({ is_wanted: isEnabled }))
    .execute()
}

/** Members with a confirmed address, except in the demo account. */
async function listWeeklyReaders({ db, accountId }: AccountDb): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`
    select m.user_id from members m join users u on u.id = m.user_id join accounts a on a.id = m.account_id
    left join weekly_report_choices c on c.account_id = m.account_id and c.user_id = m.user_id
    where m.account_id = ${accountId} and not a.is_demo and u.email_confirmed_at is not null
      and coalesce(c.is_wanted, m.role = 'owner')`.execute(db)
  return rows.map(({ user_id }) => user_id)
}

async function saveChoices(
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
