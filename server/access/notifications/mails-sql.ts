import type { NotificationTopic } from '../../../shared/notification-kinds.ts'
import type { NotificationType } from '../../../shared/notifications.ts'
import { type AccountDb, type AccountTx, type Db, sql } from '../../core/db/db.ts'
import type { MailedRow } from './mail-rules.ts'

// Statements that find members to mail, and the notifications for them.

export interface NewNotifications {
  /** Topics of the new notifications. */
  topics: readonly NotificationTopic[]
  /** The topics among them that are mailed at once. */
  atOnce: readonly NotificationTopic[]
  /** The topics that owners get at once by default. */
  usual: readonly NotificationTopic[]
  /** The newest instant before them. */
  before: Date
  nextAt: Date
  digestAt: Date
  everyMs: number
}

/** Schedules mail to members with a confirmed address who chose these topics. A waiting mail includes the new rows. */
export async function scheduleMails({ db, accountId }: AccountTx, news: NewNotifications): Promise<void> {
  await sql`
    insert into notification_mails as n (account_id, user_id, mailed_up_to, digest_up_to, due_at, digest_due_at)
    select ${accountId}, m.user_id, ${news.before}, ${news.before},
      case when bool_or(c.mail = 'at_once' and t.topic = any(${[...news.atOnce]}::text[])) then ${news.nextAt}::timestamptz end,
      case when bool_or(c.mail = 'daily') then ${news.digestAt}::timestamptz end
    from members m join users u on u.id = m.user_id join accounts a on a.id = m.account_id
    cross join unnest(${[...news.topics]}::text[]) as t(topic)
    left join notification_preferences p
      on p.account_id = m.account_id and p.user_id = m.user_id and p.topic = t.topic
    cross join lateral (select coalesce(p.mail, case when m.role = 'owner' and t.topic = any(${[...news.usual]}::text[])
      then 'at_once' else 'none' end) as mail) c
    where m.account_id = ${accountId} and not a.is_demo and u.email_confirmed_at is not null and c.mail <> 'none'
    group by m.user_id
    on conflict (account_id, user_id) do update set
      mailed_up_to = case when n.due_at is null then excluded.mailed_up_to else n.mailed_up_to end,
      digest_up_to = case when n.digest_due_at is null then excluded.digest_up_to else n.digest_up_to end,
      due_at = coalesce(n.due_at, case when excluded.due_at is not null then greatest(excluded.due_at,
        n.mailed_at + ${news.everyMs} * interval '1 millisecond') end),
      digest_due_at = coalesce(n.digest_due_at, excluded.digest_due_at)`.execute(db)
}

/** The time zone of the account's oldest store. */
export async function readTimeZone({ db, accountId }: AccountDb): Promise<string> {
  const { rows } = await sql<{ time_zone: string }>`
    select time_zone from stores where account_id = ${accountId} order by connected_at, id limit 1`.execute(db)
  return rows[0]?.time_zone ?? 'UTC'
}

/** Members with a due mail; a member of several accounts can occur several times. */
export async function listDueMails(
  db: Db,
  now: Date,
  limit: number,
): Promise<{ account_id: string; user_id: string }[]> {
  const { rows } = await sql<{ account_id: string; user_id: string }>`
    (select account_id, user_id from notification_mails where due_at <= ${now} order by due_at limit ${limit})
    union
    (select account_id, user_id from notification_mails where digest_due_at <= ${now} order by digest_due_at limit ${limit})`.execute(
    db,
  )
  return rows
}

export interface DueMail {
  is_due: boolean
  is_digest_due: boolean
  mailed_up_to: Date
  digest_up_to: Date
  /** The account's newest notification. */
  last_at: Date
}

/** undefined: another process has it. */
export async function lockDueMail(
  { db, accountId }: AccountTx,
  userId: string,
  now: Date,
): Promise<DueMail | undefined> {
  const { rows } = await sql<Omit<DueMail, 'last_at'>>`
    select coalesce(due_at <= ${now}, false) as is_due, coalesce(digest_due_at <= ${now}, false) as is_digest_due,
      mailed_up_to, digest_up_to
    from notification_mails where account_id = ${accountId} and user_id = ${userId} for update skip locked`.execute(db)
  const [due] = rows
  if (!due) return undefined
  // A separate statement after the lock: it sees everything written until then, and nothing is added before this mail
  // is settled.
  const clock = await sql<{ last_at: Date }>`
    select last_at from notification_clocks where account_id = ${accountId}`.execute(db)
  return { ...due, last_at: clock.rows[0]?.last_at ?? due.mailed_up_to }
}

export async function settleMail({ db, accountId }: AccountTx, userId: string, due: DueMail, now: Date): Promise<void> {
  await sql`
    update notification_mails set
      due_at = case when ${due.is_due} then null else due_at end, mailed_at = case when ${due.is_due} then ${now} else mailed_at end,
      digest_due_at = case when ${due.is_digest_due} then null else digest_due_at end
    where account_id = ${accountId} and user_id = ${userId}`.execute(db)
}

const isInRange = ({ types, from, upTo }: Between) =>
  sql`n.created_at > ${from} and n.created_at <= ${upTo} and n.type = any(${[...types]}::text[])`

interface Between {
  types: readonly NotificationType[]
  from: Date
  upTo: Date
}

/** Rows of the account and all its stores, oldest first. */
export async function listRowsBetween(
  { db, accountId }: AccountDb,
  between: Between,
  limit: number,
): Promise<MailedRow[]> {
  const wanted = isInRange(between)
  const { rows } = await sql<MailedRow>`
    select n.id, n.type, n.data, n.created_at, s.id as store_id, s.name as store_name, s.platform
    from stores s cross join lateral (select * from notifications n where n.store_id = s.id and ${wanted}
      order by n.created_at limit ${limit}) n
    where s.account_id = ${accountId}
    union all
    select n.id, n.type, n.data, n.created_at, null, null, null from account_notifications n
    where n.account_id = ${accountId} and ${wanted}
    order by created_at, id limit ${limit}`.execute(db)
  return rows
}

/** The number of those rows. */
export async function countBetween({ db, accountId }: AccountDb, between: Between): Promise<number> {
  const wanted = isInRange(between)
  const { rows } = await sql<{ count: number }>`
    select ((select count(*) from stores s join notifications n on n.store_id = s.id where s.account_id = ${accountId} and ${wanted})
      + (select count(*) from account_notifications n where n.account_id = ${accountId} and ${wanted}))::int as count`.execute(
    db,
  )
  return rows[0]!.count
}

export function findMember({ db, accountId }: AccountDb, userId: string) {
  return db
    .selectFrom('members')
    .select(['role'])
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
}
