import type { ColumnType, Generated } from 'kysely'
import type { MailChoice } from '../../../shared/workspace/notification-calls.ts'
import type { NotificationTopic } from '../../../shared/workspace/notification-kinds.ts'
import type { NotificationData, NotificationType } from '../../../shared/workspace/notifications.ts'

export interface NotificationsSchema {
  pending_notifications: PendingNotificationsTable
  pending_account_notifications: NotificationColumns & { account_id: string }
  notification_clocks: { account_id: string; last_at: Date }
  notifications: NotificationsTable
  notification_hours: NotificationHoursTable
  recoveries_told: { store_id: string; cart_id: string; at: Date }
  account_notifications: NotificationColumns & SearchColumns & { account_id: string }
  notification_reads: Reads & { store_id: string }
  account_notification_reads: Reads & { account_id: string }
  notification_marks: Marks & { store_id: string }
  account_notification_marks: Marks & { account_id: string }
  notification_preferences: NotificationPreferencesTable
  weekly_report_choices: { account_id: string; user_id: string; is_wanted: boolean }
  notification_mails: NotificationMailsTable
}

interface Zone {
  city: string
  country: string
  region: string
  timezone: string
}

interface NotificationColumns {
  id: string
  type: NotificationType
  data: ColumnType<NotificationData[NotificationType], string, string>
  created_at: Date
}

interface ZoneColumns {
  store_id: string
  /** The shopper's zone (decision 69). */
  zone: ColumnType<Zone | null, string | undefined, string>
}

interface SearchColumns {
  search: Generated<string>
  is_problem: Generated<boolean>
}

type PendingNotificationsTable = NotificationColumns & ZoneColumns
type NotificationsTable = NotificationColumns & ZoneColumns & SearchColumns

interface NotificationHoursTable {
  store_id: string
  topic: string
  hour: Date
  count: number
  notification_id: string | null
}

interface Reads {
  user_id: string
  read_up_to: Generated<Date>
  cleared_up_to: Generated<Date>
}

interface Marks {
  user_id: string
  notification_id: string
  /** Creation time of the notification. */
  created_at: Date
  is_read: boolean | null
  is_deleted: Generated<boolean>
}

interface NotificationPreferencesTable {
  account_id: string
  user_id: string
  topic: NotificationTopic
  bell: boolean
  mail: MailChoice
}

interface NotificationMailsTable {
  account_id: string
  user_id: string
  mailed_up_to: Date
  mailed_at: Date | null
  due_at: Date | null
  digest_up_to: Date
  digest_due_at: Date | null
}
