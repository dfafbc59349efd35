import { z } from 'zod'
import { endpoint, storeQuery } from '../core/endpoint.ts'
import { buildPageFields, Pagination } from '../core/paging.ts'
import { type NotificationTopic, notificationTopics } from './notification-kinds.ts'
import { type NotificationType, notificationTypes } from './notifications.ts'

// Calls of the bell and the notifications screen (A 7, B 7, decisions 64–69 and 130). Reading and deleting affect only
// the member's own list.

export const NOTIFICATIONS_ON_A_PAGE = 10
/** The unread count stops here; the bell shows 99+ (decision 66). */
export const MAX_UNREAD_COUNTED = 100
/** `pagination.total` stops here, so that response times do not depend on the length of the list. */
export const MAX_NOTIFICATIONS_COUNTED = 10_000
/** For `new-cart-notifications` (decision 130). */
export const MAX_NEW_CARTS = 100
/** Ids in one call, and in one `mark-notifications-read` of the live connection. */
export const MAX_IDS_PER_CALL = 500
export const MAX_IDS_PER_EVENT = 50
/**
 * How long the screen offers to undo a deletion (decision 67). The server accepts it longer, because requests may be
 * slow.
 */
export const UNDO_MS = 10_000

/** The shopper's location from an IP database (decision 69); unknown parts are empty strings. */
export const Zone = z.object({ city: z.string(), region: z.string(), country: z.string(), timezone: z.string() })
export type Zone = z.infer<typeof Zone>

export const NotificationView = z.object({
  _id: z.string(),
  type: z.enum(notificationTypes as [NotificationType, ...NotificationType[]]),
  title: z.string(),
  message: z.string(),
  createdAt: z.string(),
  read: z.boolean(),
  /** null: the country is unknown. */
  zone: Zone.nullable(),
  /**
   * Data for the detail view; `test` is true for a connection test. `getNotificationStyle` returns icon, colour and
   * link of the type.
   */
  data: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
})
export type NotificationView = z.infer<typeof NotificationView>

export const notificationFilters = ['all', 'unread', 'problems', 'new-carts'] as const
export type NotificationFilter = (typeof notificationFilters)[number]

const Ids = z.array(z.string().max(64)).max(MAX_IDS_PER_CALL)
const Flag = z.enum(['true', 'false', '1', '0']).transform((word) => word === 'true' || word === '1')

export const listNotifications = endpoint({
  method: 'GET',
  path: '/api/notifications',
  permission: 'carts:read',
  scope: 'store',
  summary: 'Notifications of this store and its account, newest first, without those this member deleted',
  query: storeQuery.extend({
    ...buildPageFields({ limit: NOTIFICATIONS_ON_A_PAGE, max: 100, maxPages: MAX_NOTIFICATIONS_COUNTED }),
    /** Excludes connection tests. */
    skipTestNotification: Flag.default(false),
    /**
     * Not in the specification: filters and search of the screen (decision 70). The search covers title, message and
     * data.
     */
    filter: z.enum(notificationFilters).default('all'),
    search: z.string().trim().max(100).default(''),
    /**
     * Not in the specification: only notifications newer than this id, to catch up after a lost live connection
     * (decision 68).
     */
    after: z.string().max(64).optional(),
  }),
  reply: z.object({
    notifications: z.array(NotificationView),
    /** `total` is at most 10,000. */
    pagination: Pagination,
  }),
})

/**
 * Not in the specification: the notification that a link names. 404 if it is not the member's, or is deleted or
 * expired.
 */
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

/** Ignores unknown ids and ids of other stores without an error. */
export const markNotificationsRead = endpoint({
  method: 'POST',
  path: '/api/notifications/mark-read',
  permission: 'carts:read',
  scope: 'store',
  summary: 'Marks notifications as read for this member',
  query: storeQuery,
  body: z.object({
    notificationIds: Ids.default([]),
    /** Not in the specification: "Mark all as read", up to the newest id that the browser has seen. */
    upTo: z.string().max(64).optional(),
    /** Not in the specification: false marks `notificationIds` as unread. */
    read: z.boolean().default(true),
  }),
  reply: z.object({ success: z.literal(true), count: z.number() }),
})

/** In the query, ids are comma-separated or repeated: some proxies drop the body of a DELETE (decision 130). */
const QueryIds = z
  .union([z.string().max(32_000), z.array(z.string().max(64)).max(MAX_IDS_PER_CALL)])
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
    /** Not in the specification: "Clear all", up to the newest id that the browser has seen. */
    upTo: z.string().max(64).optional(),
  }),
  /** `undo` is for `restoreNotifications`; null if nothing was deleted. */
  reply: z.object({ success: z.literal(true), count: z.number(), undo: z.string().nullable() }),
})

export const restoreNotifications = endpoint({
  method: 'POST',
  path: '/api/notifications/restore',
  permission: 'carts:read',
  scope: 'store',
  summary: 'Undoes a deletion',
  query: storeQuery,
  body: z.object({ undo: z.string().max(40_000) }),
  reply: z.object({ success: z.literal(true), count: z.number() }),
})

// Choice of topics and delivery per member (decision 65), for all stores of the account.

export const mailChoices = ['none', 'at_once', 'daily'] as const
export type MailChoice = (typeof mailChoices)[number]

const Choice = z.object({
  topic: z.enum(Object.keys(notificationTopics) as [NotificationTopic, ...NotificationTopic[]]),
  /** Off: hidden in the bell and on the screen, and not counted. */
  bell: z.boolean(),
  /** `daily`: one email a day with the notifications since the last one. */
  mail: z.enum(mailChoices),
})
export type NotificationChoice = z.infer<typeof Choice>

const Preferences = z.object({
  topics: z.array(Choice),
  /** By mail every Monday, for each store (decision 100). */
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

/** Missing fields stay unchanged. */
export const updateNotificationPreferences = endpoint({
  method: 'PUT',
  path: '/api/notifications/preferences',
  permission: 'carts:read',
  scope: 'account',
  summary: 'Chooses which notifications this member gets, and how',
  body: z.object({ topics: z.array(Choice).max(50).default([]), weeklyReport: z.boolean().optional() }),
  reply: Preferences,
})

// Events of the live connection (A 7, decision 68). Delivery is at least once: the browser ignores an `_id` it already
// has.

export type NotificationEvent =
  | { type: 'new'; notification: NotificationView }
  /** With `upTo`: "Mark all as read"; `notificationIds` is then empty. `read: false` marks as unread. */
  | { type: 'read'; notificationIds: string[]; upTo?: string; read: boolean }
  /** With `upTo`: "Clear all"; `notificationIds` is then empty. */
  | { type: 'delete'; notificationIds: string[]; upTo?: string }

/** Payload of `mark-notifications-read`. */
export interface MarkRead {
  notificationIds: string[]
  platform: string
}
