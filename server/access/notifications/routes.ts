import * as api from '../../../shared/workspace/notification-calls.ts'
import { type Routes, serveAccount, serveStore } from '../http/public.ts'
import * as member from './member.ts'
import { readPreferences, savePreferences, saveWeeklyReport, wantsWeeklyReport } from './preferences.ts'

export const notificationRoutes: Routes = (app, deps) => {
  serveStore(app, deps, api.listNotifications, ({ store, session: { userId }, query }) =>
    member.listForMember({ store, userId }, query),
  )

  serveStore(app, deps, api.listNewCartNotifications, async ({ store, session: { userId } }) => ({
    notifications: await member.listNewCarts({ store, userId }),
  }))

  serveStore(app, deps, api.countUnreadNotifications, async ({ store, session: { userId } }) => ({
    count: await member.countUnread({ store, userId }),
  }))

  serveStore(app, deps, api.readNotification, async ({ store, session: { userId }, params }) => ({
    notification: await member.readNotification({ store, userId }, params.notificationId),
  }))

  serveStore(app, deps, api.markNotificationsRead, async ({ store, session: { userId }, body }) => {
    const reader = { store, userId }
    await member.markRead(reader, { ids: body.notificationIds, upTo: body.upTo }, body.read)
    return { success: true as const, count: await member.countUnread(reader) }
  })

  serveStore(app, deps, api.deleteNotifications, async ({ store, session: { userId }, query, body }) => {
    const reader = { store, userId }
    const ids = [...(query.notificationIds ?? []), ...(body.notificationIds ?? [])]
    const undo = await member.deleteNotifications(reader, { ids, upTo: body.upTo ?? query.upTo })
    return { success: true as const, count: await member.countUnread(reader), undo }
  })

  serveAccount(app, deps, api.readNotificationPreferences, async ({ account, session }) => ({
    topics: await readPreferences(account, session),
    weeklyReport: await wantsWeeklyReport(account, session),
  }))

  serveAccount(app, deps, api.updateNotificationPreferences, async ({ account, session, body }) => {
    const topics = await savePreferences(account, session, body.topics)
    if (body.weeklyReport !== undefined) await saveWeeklyReport(account, session, body.weeklyReport)
    return { topics, weeklyReport: await wantsWeeklyReport(account, session) }
  })

  serveStore(app, deps, api.restoreNotifications, async ({ store, session: { userId }, body }) => {
    const reader = { store, userId }
    await member.restoreNotifications(reader, body.undo)
    return { success: true as const, count: await member.countUnread(reader) }
  })
}
