import type { NotificationTopic } from '../../../shared/workspace/notification-kinds.ts'

import { type AccountDb, type AccountTx, sql } from '../../core/db/public.ts'

// SQL that finds members to mail, and the notifications for them.

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
