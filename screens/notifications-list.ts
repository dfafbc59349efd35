import { beforeEach } from 'vitest'
import {
  countUnreadNotifications,
  deleteNotifications,
  listNewCartNotifications,
  listNotifications,
  MAX_UNREAD_COUNTED,
  markNotificationsRead,
  type NotificationFilter,
  type NotificationView,
  readNotification,
  restoreNotifications,
} from '../shared/workspace/notification-calls.ts'
import { isProblem } from '../shared/workspace/notification-kinds.ts'
import { getNotificationText, type NotificationData, type NotificationType } from '../shared/workspace/notifications.ts'
import { NOW, type Screens } from './app.ts'

// One member's notifications in memory, behind the calls of the bell and the notifications screen.

/** One a second, the last of 1,000 a moment ago. */
const computeCreatedAt = (n: number) => new Date(NOW.getTime() - (1_000 - n) * 1_000)
export const buildId = (n: number) => `01999999-0000-7000-8000-${String(n).padStart(12, '0')}`

export const buildCart = (customer: string) => ({
  cartId: buildId(0),
  customer,
  value: 12_345,
  currency: 'USD',
  itemCount: 2,
  timestamp: '2026-03-10T12:05:00.000Z',
})

const filters: Record<NotificationFilter, (item: NotificationView) => boolean> = {
  all: () => true,
  unread: ({ read }) => !read,
  problems: ({ type }) => isProblem(type),
  'new-carts': ({ type }) => type === 'cart_abandoned',
}

export interface MemberList {
  /** Newest first. */
  items: NotificationView[]
  /** Adds an unread notification without a live event. */
  add<Type extends NotificationType>(
    type: Type,
    data: NotificationData[Type],
    zone?: NotificationView['zone'],
  ): NotificationView
  /** Adds notifications that differ by a number in their message; returns the last. */
  addNumbered(...numbers: number[]): NotificationView
  unread(): number
  /** Replies again after a call was set to fail. */
  answer(): void
}

/** Replies to all calls about notifications; empty at the start of each test. */
export function createMemberList({ api }: Screens): MemberList {
  const list: MemberList = {
    items: [],
    add(type, data, zone = null) {
      const n = ++added
      const text = getNotificationText({ type, data, createdAt: computeCreatedAt(n) })
      const shown = { ...data } as NotificationView['data']
      const item = {
        _id: buildId(n),
        type,
        ...text,
        createdAt: computeCreatedAt(n).toISOString(),
        read: false,
        zone,
        data: shown,
      }
      list.items.unshift(item)
      return item
    },
    addNumbered: (...numbers) => numbers.map((ceiling) => list.add('capture_flood', { ceiling })).at(-1)!,
    unread: () => list.items.filter(({ read }) => !read).length,
    answer() {
      answerReads(api, list)
      answerChanges(api, list)
    },
  }
  let added = 0
  beforeEach(() => {
    list.items = []
    added = 0
    list.answer()
  })
  return list
}

function answerReads(api: Screens['api'], list: MemberList): void {
  api.answer(listNotifications, ({ query: { page, limit, filter, search, after, skipTestNotification } }) => {
    const text = search.toLowerCase()
    const found = list.items
      .slice(0, after ? list.items.findIndex(({ _id }) => _id === after) : undefined)
      .filter(filters[filter])
      .filter(({ title, message }) => `${title} ${message}`.toLowerCase().includes(text))
      .filter(({ type }) => !skipTestNotification || type !== 'connection_test')
    const pagination = { page, limit, total: found.length, pages: Math.ceil(found.length / limit) }
    return { notifications: found.slice((page - 1) * limit, page * limit), pagination }
  })
  api.answer(listNewCartNotifications, () => ({ notifications: list.items.filter(filters['new-carts']) }))
  api.answer(countUnreadNotifications, () => ({ count: Math.min(list.unread(), MAX_UNREAD_COUNTED) }))
  api.answer(readNotification, ({ params }) => ({
    notification: list.items.find(({ _id }) => _id === params.notificationId)!,
  }))
}

interface Target {
  notificationIds?: string[] | undefined
  upTo?: string | undefined
}

function answerChanges(api: Screens['api'], list: MemberList): void {
  const pick = ({ notificationIds = [], upTo }: Target) =>
    upTo
      ? list.items.slice(list.items.findIndex(({ _id }) => _id === upTo))
      : list.items.filter(({ _id }) => notificationIds.includes(_id))
  const deletions: NotificationView[][] = []
  api.answer(markNotificationsRead, ({ body }) => {
    const marked = pick(body)
    for (const item of marked) item.read = body.read
    return { success: true as const, count: marked.length }
  })
  api.answer(deleteNotifications, ({ body }) => {
    const deleted = pick(body)
    list.items = list.items.filter((item) => !deleted.includes(item))
    api.fail(readNotification, 404)
    return { success: true as const, count: deleted.length, undo: String(deletions.push(deleted) - 1) }
  })
  api.answer(restoreNotifications, ({ body }) => {
    const restored = deletions[Number(body.undo)]!
    answerReads(api, list)
    list.items = [...list.items, ...restored].toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
    return { success: true as const, count: restored.length }
  })
}
