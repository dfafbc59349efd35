import {
  isMailedToOwners,
  type NotificationTopic,
  notificationTopics,
} from '../../../shared/workspace/notification-kinds.ts'
import type { NotificationType } from '../../../shared/workspace/notifications.ts'
import type { Data } from './group-rules.ts'

// What is mailed to members, and when (decision 65). Pure.

/** Minimum interval between immediate mails to a member; later events go into the next one. */
export const MAIL_EVERY_MS = 15 * 60_000
/** Hour of the daily summary, on the store's clock. */
const DIGEST_HOUR = 8

export const ownerTopics = (Object.keys(notificationTopics) as NotificationTopic[]).filter(isMailedToOwners)

/** The next summary time in a time zone. */
export function findNextDigest(now: Date, timeZone: string): Date {
  const here = now.toTemporalInstant().toZonedDateTimeISO(timeZone)
  const today = here.with({ hour: DIGEST_HOUR, minute: 0, second: 0, millisecond: 0, microsecond: 0, nanosecond: 0 })
  const next = today.epochMilliseconds > now.getTime() ? today : today.add({ days: 1 })
  return new Date(next.epochMilliseconds)
}

export interface MailedRow {
  id: string
  type: NotificationType
  data: Data
  created_at: Date
  /** null: of the whole account. */
  store_id: string | null
  store_name: string | null
  platform: string | null
}
