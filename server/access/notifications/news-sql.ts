import type { NotificationTopic } from '../../../shared/workspace/notification-kinds.ts'
import { type AccountDb, type StoreDb, sql } from '../../core/db/public.ts'
import type { ListedNotification } from './list-sql.ts'

// SQL for the live connection for new notifications.

/** The newest notification time of the store's account. */
export async function findNewestInstant({ db, storeId }: StoreDb): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`
    select coalesce(c.last_at, 'epoch') as at
    from stores s left join notification_clocks c on c.account_id = s.account_id where s.id = ${storeId}`.execute(db)
  return rows[0]?.at ?? new Date(0)
}

/** New rows of the store and its account, oldest first. No member has read them yet. */
export async function listNewsSince(
  { db, storeId }: StoreDb,
  since: Date,
  limit: number,
): Promise<ListedNotification[]> {
  const { rows } = await sql<ListedNotification>`
    (select id, type, data, zone, created_at, false as is_read from notifications
      where store_id = ${storeId} and created_at > ${since} order by created_at, id limit ${limit})
    union all
    (select n.id, n.type, n.data, null, n.created_at, false from account_notifications n
      where n.account_id = (select account_id from stores where id = ${storeId}) and n.created_at > ${since}
      order by n.created_at, n.id limit ${limit})
    order by created_at, id limit ${limit}`.execute(db)
  return rows
}

/** Topics that these members have switched off. */
export async function listMutedTopics({ db, accountId }: AccountDb, userIds: readonly string[]) {
  const { rows } = await sql<{ user_id: string; topic: NotificationTopic }>`
    select user_id, topic from notification_preferences
    where account_id = ${accountId} and user_id = any(${[...userIds]}::uuid[]) and not bell`.execute(db)
  return rows
}
