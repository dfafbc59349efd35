import { listNotifications, type NotificationEvent, type NotificationView } from '../../shared/notification-calls.ts'
import { call } from '../api.ts'
import {
  addNew,
  askAgain,
  changeCount,
  countAgain,
  countKnown,
  countNow,
  isAnyAsked,
  isMeant,
  knownOf,
  newestOf,
  ofStore,
  patch,
  type Where,
} from './cache.ts'
import type { Meant } from './kept.ts'
import { bellKey, newCartsKey } from './keys.ts'
import { localOf } from './local.ts'
import { sendKept } from './marking.ts'
import { isUpTo, withRead } from './order.ts'

// Live events (A 4.6, decision 68), shown immediately. They may arrive twice, late or never.

const MOST_MISSED = 100

export function hear(where: Where, event: NotificationEvent): void {
  if (event.type === 'new') hearNew(where, event.notification)
  else hearChange(where, event)
}

function hearChange(where: Where, event: Exclude<NotificationEvent, { type: 'new' }>): void {
  const meant: Meant = event.upTo ? { upTo: event.upTo } : { notificationIds: event.notificationIds }
  if (event.type === 'read') hearRead(where, meant, event.read)
  else hearDeleted(where, meant)
}

function hearNew(where: Where, news: NotificationView): void {
  const { heard, gone } = localOf(where.storeId)
  const item = { ...news, read: news.read || isHeardAsRead(where, news) }
  const isNews = !heard.has(item._id) && !gone.has(item._id) && !knownOf(where).has(item._id)
  heard.add(item._id)
  if (!isNews) return
  // A list in flight may predate this event.
  const isWhole = !isAnyAsked(where)
  if (!addNew(where, item) || !isWhole) void askAgain(where)
  if (!item.read) changeCount(where, 1)
  countAgain(where)
}

/** A notification's event may arrive after the event that it was read. */
function isHeardAsRead(where: Where, item: NotificationView): boolean {
  const local = localOf(where.storeId)
  if (local.readUpToId === item._id)
    remember(where, { upTo: item._id }, { read: true, known: new Map([[item._id, item]]) })
  return local.readHeard.get(item._id) ?? (local.readUpTo !== null && isUpTo(item, local.readUpTo))
}

interface Heard {
  read: boolean
  known: Map<string, NotificationView>
}

function remember(where: Where, meant: Meant, { read, known }: Heard): void {
  const local = localOf(where.storeId)
  if (!('upTo' in meant)) {
    for (const id of meant.notificationIds) local.readHeard.set(id, read)
    return
  }
  const newest = known.get(meant.upTo)
  if (!newest) {
    local.readUpToId = meant.upTo
    return
  }
  if (!local.readUpTo || isUpTo(local.readUpTo, newest)) local.readUpTo = newest
  for (const [id, isRead] of local.readHeard) if (!isRead) local.readHeard.delete(id)
}

function hearRead(where: Where, meant: Meant, read: boolean): void {
  const known = knownOf(where)
  const unlisted = 'upTo' in meant ? 0 : countedUnlisted(where, meant.notificationIds, { read, known })
  remember(where, meant, { read, known })
  const isOne = isMeant(meant, known)
  const changed = [...known.values()].filter((item) => item.read !== read && isOne(item)).length
  patch(where, (items) => withRead(items, isOne, read))
  changeCount(where, (read ? -1 : 1) * (changed + unlisted))
  settle(where, meant, known)
}

/** Counts items known only from events. Unknown ones may belong to another store. */
function countedUnlisted(where: Where, ids: string[], { read, known }: Heard): number {
  const { heard, readHeard } = localOf(where.storeId)
  return ids.filter((id) => heard.has(id) && !known.has(id) && (readHeard.get(id) ?? false) !== read).length
}

function hearDeleted(where: Where, meant: Meant): void {
  const known = knownOf(where)
  const isOne = isMeant(meant, known)
  const removed = [...known.values()].filter(isOne)
  const ids = 'upTo' in meant ? removed.map(({ _id }) => _id) : meant.notificationIds
  for (const id of ids) localOf(where.storeId).gone.add(id)
  patch(where, (items) => items.filter((item) => !isOne(item)))
  changeCount(where, -removed.filter(({ read }) => !read).length)
  settle(where, meant, known)
  void askAgain(where)
}

/** For unknown ones the previous read state is unknown, so the server counts. */
function settle(where: Where, meant: Meant, known: Map<string, NotificationView>): void {
  if (!('upTo' in meant)) countAgain(where)
  else if (known.has(meant.upTo)) countKnown(where)
  else countNow(where)
  if (isAnyAsked(where) || ('upTo' in meant && !known.has(meant.upTo))) void askAgain(where)
}

/**
 * After a reconnection: sends pending marks, fetches items newer than the newest known, and refetches what is shown.
 */
export async function catchUp(where: Where, markRead: (ids: string[]) => Promise<boolean>): Promise<void> {
  void sendKept(where, markRead)
  const { queries, storeId } = where
  const newest = newestOf(where)
  if (!newest) return
  const query = { ...ofStore(where), after: newest._id, page: 1, limit: MOST_MISSED }
  const missed = await call(listNotifications, { query }).catch(() => null)
  if (!missed) return
  // Too many to insert one by one; reset the lists.
  if (missed.pagination.total > missed.notifications.length) {
    for (const queryKey of [bellKey(storeId), newCartsKey(storeId)])
      queries.removeQueries({ queryKey, type: 'inactive' })
    return
  }
  for (const item of missed.notifications) if (!localOf(storeId).gone.has(item._id)) addNew(where, item)
}
