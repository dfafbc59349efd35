import { groupNotifications } from '../server/access/notifications/group.ts'
import { getNotificationText, type NotificationText, type NotificationType } from '../shared/workspace/notifications.ts'
import type { World } from './world.ts'

export interface RenderedNotification extends NotificationText {
  type: NotificationType
}

/** Reads the notifications of a store as rendered text, oldest first. */
export async function readNotifications(world: World, storeId: string): Promise<RenderedNotification[]> {
  await groupNotifications(world.deps)
  const { account_id } = await world.db
    .selectFrom('stores')
    .select('account_id')
    .where('id', '=', storeId)
    .executeTakeFirstOrThrow()
  const ofStore = world.db.selectFrom('notifications').select(['id', 'type', 'data', 'created_at as createdAt'])
  const ofAccount = world.db
    .selectFrom('account_notifications')
    .select(['id', 'type', 'data', 'created_at as createdAt'])
  const rows = [
    ...(await ofStore.where('store_id', '=', storeId).execute()),
    ...(await ofAccount.where('account_id', '=', account_id).execute()),
  ]
  return rows
    .toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1))
    .map((row) => ({ type: row.type, ...getNotificationText(row) }))
}

/** Reads whether each notification of a store has the test flag, by type, oldest first. */
export async function readTestFlags(world: World, storeId: string): Promise<[NotificationType, unknown][]> {
  await groupNotifications(world.deps)
  const rows = await world.db
    .selectFrom('notifications')
    .select(['type', 'data'])
    .where('store_id', '=', storeId)
    .orderBy('created_at')
    .execute()
  return rows.map(({ type, data }) => [type, (data as { test?: unknown }).test])
}
