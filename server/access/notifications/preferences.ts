import type { NotificationChoice } from '../../../shared/notification-calls.ts'
import { isMailedToOwners, type NotificationTopic, notificationTopics } from '../../../shared/notification-kinds.ts'
import type { Role } from '../../../shared/roles.ts'
import type { AccountDb, Db } from '../../core/db/db.ts'
import * as sql from './preferences-sql.ts'

// A member's topics in the bell and by mail (decision 65). The defaults: everything in the bell, and for owners an
// immediate mail about problems and the weekly report.

interface Member {
  userId: string
  role: Role
}

const topics = Object.keys(notificationTopics) as NotificationTopic[]

export async function readPreferences(account: AccountDb, { userId, role }: Member): Promise<NotificationChoice[]> {
  const chosen = new Map((await sql.readChoices(account, userId)).map((row) => [row.topic, row]))
  return topics.map((topic) => {
    const row = chosen.get(topic)
    const usual = role === 'owner' && isMailedToOwners(topic) ? 'at_once' : 'none'
    return { topic, bell: row?.bell ?? true, mail: row?.mail ?? usual }
  })
}

export async function wantsWeeklyReport(account: AccountDb, { userId, role }: Member): Promise<boolean> {
  return (await sql.readWeeklyChoice(account, userId))?.is_wanted ?? role === 'owner'
}

export const saveWeeklyReport = (account: AccountDb<Db>, { userId }: Member, isWanted: boolean) =>
  sql.saveWeeklyChoice(account, userId, isWanted)

/** The members who get the weekly report by mail. */
export const weeklyReaders = (account: AccountDb): Promise<string[]> => sql.listWeeklyReaders(account)

export async function savePreferences(
  account: AccountDb<Db>,
  member: Member,
  choices: readonly NotificationChoice[],
): Promise<NotificationChoice[]> {
  await sql.saveChoices(account, member.userId, [...new Map(choices.map((each) => [each.topic, each])).values()])
  return readPreferences(account, member)
}
