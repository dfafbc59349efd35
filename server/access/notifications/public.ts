// What other rooms use.

export { groupNotifications } from './group.ts'
export { waitForGrouping } from './group-sql.ts'
export { mailNotifications } from './jobs.ts'
export type { ListedNotification } from './list-sql.ts'
export type { MailedRow } from './mail-rules.ts'
export { type MailRows, mailDueNotifications, readRowsToMail } from './mails.ts'
export { markRead, presentNotification } from './member.ts'
export { findNewestInstant, listMutedTopics, listNewsSince } from './news-sql.ts'
export {
  type AccountNotice,
  type DraftNotification,
  draftNotification,
  noteTest,
  notify,
  notifyAccount,
  notifyAccountOnce,
  notifyAccountsOnce,
  notifyOnce,
} from './notifications.ts'
export { weeklyReaders } from './preferences.ts'
export { notificationRoutes } from './routes.ts'
export { insertNewsOfMessages, insertNotificationsFrom, noteRecoveries } from './sql.ts'
export { deleteOldNotifications } from './tidy.ts'
