import { z } from 'zod'
import { endpoint, storeQuery } from './endpoint.ts'
import { type NotificationTopic, notificationTopics } from './notification-kinds.ts'
import { type NotificationType, notificationTypes } from './notifications.ts'
import { Pagination, pageFields } from './paging.ts'

// The calls behind the bell and the notifications screen (A 7, B 7, decisions 64–69 and 130). Read and deleted are the member's own:
// nobody else's list changes.

export const NOTIFICATIONS_ON_A_PAGE = 10
/** The unread count stops here; the bell shows 99+ (decision 66). */
export const MOST_UNREAD_COUNTED = 100
/** `pagination.total` stops here, so that a list takes the same time whatever its length. */
export const MOST_NOTIFICATIONS_COUNTED = 10_000
/** Of `new-cart-notifications` (decision 130). */
export const NEW_CARTS_SHOWN = 100
/** Ids in one call, and in one `mark-notifications-read` of the live connection. */
export const MOST_IDS_IN_A_CALL = 500
export const MOST_IDS_IN_AN_EVENT = 50
/** How long a deletion can be undone on screen (decision 67). The server accepts it for longer: the answer may be slow. */
export const UNDO_MS = 10_000

/** Where the shopper is, as far as an IP database knows (decision 69); what it does not know is an empty string. */
export const Zone = z.object({ city: z.string(), region: z.string(), country: z.string(), timezone: z.string() })
export type Zone = z.infer<typeof Zone>

export const NotificationView = z.object({
  _id: z.string(),
  type: z.enum(notificationTypes as [NotificationType, ...NotificationType[]]),
  title: z.string(),
  message: z.string(),
  createdAt: z.string(),
  read: z.boolean(),
  /** null: the country is not known. */
  zone: Zone.nullable(),
  /** What the detail lists; `test` is true for a connection test. `notificationLook` says what the type looks like and leads to. */
  data: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
})
export type NotificationView = z.infer<typeof NotificationView>

export const notificationFilters = ['all', 'unread', 'problems', 'new-carts'] as const
export type NotificationFilter = (typeof notificationFilters)[number]

const Ids = z.array(z.string().max(64)).max(MOST_IDS_IN_A_CALL)
const Flag = z.enum(['true', 'false', '1', '0']).transform((word) => word === 'true' || word === '1')

export const listNotifications = endpoint({
  method: 'GET',
  path: '/api/notifications',
  permission: 'carts:read',
  scope: 'store',
  summary:
    'What the team is told of this store and its account, newest first, as far as this member has not deleted it',
  query: storeQuery.extend({
    ...pageFields({ limit: NOTIFICATIONS_ON_A_PAGE, most: 100, mostPages: MOST_NOTIFICATIONS_COUNTED }),
    /** Leaves connection tests out. */
    skipTestNotification: Flag.default(false),
    /** Added: the filters and the search of the screen (decision 70). The search looks at title, message and data. */
    filter: z.enum(notificationFilters).default('all'),
    search: z.string().trim().max(100).default(''),
    /** Added: only what is newer than this one, to catch up after the live connection was away (decision 68). */
    after: z.string().max(64).optional(),
  }),
  reply: z.object({
    notifications: z.array(NotificationView),
    /** `total` is at most 10,000. */
    pagination: Pagination,
  }),
})

/** Added: one that a link names, whichever page it is on. 404 when it is not the member's, deleted or gone. */
export const readNotification = endpoint({
  method: 'GET',
  path: '/api/notifications/by-id/:notificationId',
  permission: 'carts:read',
  scope: 'store',
  summary: 'One notification',
  params: z.object({ notificationId: z.string().max(64) }),
  query: storeQuery,
  reply: z.object({ notification: NotificationView }),
})

export const listNewCartNotifications = endpoint({
  method: 'GET',
  path: '/api/notifications/new-cart-notifications',
  permission: 'carts:read',
  scope: 'store',
  summary: 'The newest 100 about abandoned carts, read and unread',
  query: storeQuery,
  reply: z.object({ notifications: z.array(NotificationView) }),
})

export const countUnreadNotifications = endpoint({
  method: 'GET',
  path: '/api/notifications/unread-count',
  permission: 'carts:read',
  scope: 'store',
  summary: 'How many the member has not read, counted up to 100',
  query: storeQuery,
  reply: z.object({ count: z.number() }),
})

/** Ids that are unknown or another store's change nothing and are no error. */
export const markNotificationsRead = endpoint({
  method: 'POST',
  path: '/api/notifications/mark-read',
  permission: 'carts:read',
  scope: 'store',
  summary: 'Marks notifications as read for this member',
  query: storeQuery,
  body: z.object({
    notificationIds: Ids.default([]),
    /** Added: "Mark all as read". The newest id that the browser has seen; what arrived later stays unread. */
    upTo: z.string().max(64).optional(),
    /** Added: false marks `notificationIds` as unread. */
    read: z.boolean().default(true),
  }),
  reply: z.object({ success: z.literal(true), count: z.number() }),
})

/** In the query, ids are separated by commas or repeated: some proxies drop the body of a DELETE (decision 130). */
const QueryIds = z
  .union([z.string().max(32_000), z.array(z.string().max(64)).max(MOST_IDS_IN_A_CALL)])
  .transform((ids) => (typeof ids === 'string' ? ids.split(',') : ids))
  .pipe(Ids)

export const deleteNotifications = endpoint({
  method: 'DELETE',
  path: '/api/notifications',
  permission: 'carts:read',
  scope: 'store',
  summary: 'Deletes notifications from this member’s list',
  query: storeQuery.extend({ notificationIds: QueryIds.optional(), upTo: z.string().max(64).optional() }),
  body: z.object({
    notificationIds: Ids.optional(),
    /** Added: "Clear all". The newest id that the browser has seen; what arrived later stays. */
    upTo: z.string().max(64).optional(),
  }),
  /** `undo` is for `restoreNotifications`; null when nothing was deleted. */
  reply: z.object({ success: z.literal(true), count: z.number(), undo: z.string().nullable() }),
})

export const restoreNotifications = endpoint({
  method: 'POST',
  path: '/api/notifications/restore',
  permission: 'carts:read',
  scope: 'store',
  summary: 'Takes a deletion back',
  query: storeQuery,
  body: z.object({ undo: z.string().max(40_000) }),
  reply: z.object({ success: z.literal(true), count: z.number() }),
})

// Which topics reach a member, and how (decision 65). They hold for all stores of the account.

export const mailChoices = ['none', 'at_once', 'daily'] as const
export type MailChoice = (typeof mailChoices)[number]

const Choice = z.object({
  topic: z.enum(Object.keys(notificationTopics) as [NotificationTopic, ...NotificationTopic[]]),
  /** Off: neither in the bell nor on the screen, nor counted. */
  bell: z.boolean(),
  /** `daily`: one email a day with what came since the last one. */
  mail: z.enum(mailChoices),
})
export type NotificationChoice = z.infer<typeof Choice>

const Preferences = z.object({
  topics: z.array(Choice),
  /** Every Monday by mail, of each store (decision 100). */
  weeklyReport: z.boolean(),
})
export type NotificationChoices = z.infer<typeof Preferences>

export const readNotificationPreferences = endpoint({
  method: 'GET',
  path: '/api/notifications/preferences',
  permission: 'carts:read',
  scope: 'account',
  summary: 'Which notifications this member gets, and how',
  reply: Preferences,
})

/** What is left out stays as it is. */
export const updateNotificationPreferences = endpoint({
  method: 'PUT',
  path: '/api/notifications/preferences',
  permission: 'carts:read',
  scope: 'account',
  summary: 'Chooses which notifications this member gets, and how',
  body: z.object({ topics: z.array(Choice).max(50).default([]), weeklyReport: z.boolean().optional() }),
  reply: Preferences,
})

// What the live connection carries (A 7, decision 68). Delivery is at least once: the browser ignores an `_id` it has.

export type NotificationEvent =
  | { type: 'new'; notification: NotificationView }
  /** With `upTo`: "Mark all as read"; `notificationIds` is then empty. `read` is false for those marked as unread. */
  | { type: 'read'; notificationIds: string[]; upTo?: string; read: boolean }
  /** With `upTo`: "Clear all"; `notificationIds` is then empty. */
  | { type: 'delete'; notificationIds: string[]; upTo?: string }

/** What `mark-notifications-read` sends. */
export interface MarkRead {
  notificationIds: string[]
  platform: string
}
