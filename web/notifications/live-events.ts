import { listNotifications, type NotificationEvent, type NotificationView } from '../../shared/notification-calls.ts'
import { call } from '../api.ts'
import {
  buildStoreParams,
  changeCount,
  collectKnown,
  countKnown,
  createMatcher,
  findNewest,
  hasLoadedLists,
  insertNew,
  patchLists,
  refetchCount,
  refetchLists,
  type StoreCache,
  scheduleCount,
} from './cache.ts'
import { bellKey, newCartsKey } from './keys.ts'
import { getLocalState } from './local.ts'
import { sendPendingMarks } from './marking.ts'
import { isUpTo, setRead } from './order.ts'
import type { NotificationTarget } from './pending-marks.ts'

// Live events (A 4.6, decision 68), shown immediately. They may arrive twice, late or never.

const MOST_MISSED = 100

export function hear(where: StoreCache, event: NotificationEvent): void {
  if (event.type === 'new') applyNew(where, event.notification)
  else applyChangeEvent(where, event)
}

function applyChangeEvent(where: StoreCache, event: Exclude<NotificationEvent, { type: 'new' }>): void {
  const meant: NotificationTarget = event.upTo ? { upTo: event.upTo } : { notificationIds: event.notificationIds }
  if (event.type === 'read') applyRead(where, meant, event.read)
  else applyDeleted(where, meant)
}

function applyNew(where: StoreCache, news: NotificationView): void {
  const { heard, gone } = getLocalState(where.storeId)
  const item = { ...news, read: news.read || wasReportedRead(where, news) }
  const isNews = !heard.has(item._id) && !gone.has(item._id) && !collectKnown(where).has(item._id)
  heard.add(item._id)
  if (!isNews) return
  // A list in flight may predate this event.
  const isWhole = !hasLoadedLists(where)
  if (!insertNew(where, item) || !isWhole) void refetchLists(where)
  if (!item.read) changeCount(where, 1)
  scheduleCount(where)
}

/** A notification's event may arrive after the event that it was read. */
function wasReportedRead(where: StoreCache, item: NotificationView): boolean {
  const local = getLocalState(where.storeId)
  if (local.readUpToId === item._id)
    rememberState(where, { upTo: item._id }, { read: true, known: new Map([[item._id, item]]) })
  return local.readHeard.get(item._id) ?? (local.readUpTo !== null && isUpTo(item, local.readUpTo))
}

interface ReportedState {
  read: boolean
  known: Map<string, NotificationView>
}

function rememberState(where: StoreCache, meant: NotificationTarget, { read, known }: ReportedState): void {
  const local = getLocalState(where.storeId)
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

function applyRead(where: StoreCache, meant: NotificationTarget, read: boolean): void {
  const known = collectKnown(where)
  const unlisted = 'upTo' in meant ? 0 : countUnlisted(where, meant.notificationIds, { read, known })
  rememberState(where, meant, { read, known })
  const isOne = createMatcher(meant, known)
  const changed = [...known.values()].filter((item) => item.read !== read && isOne(item)).length
  patchLists(where, (items) => setRead(items, isOne, read))
  changeCount(where, (read ? -1 : 1) * (changed + unlisted))
  adjustCount(where, meant, known)
}

/** Counts items known only from events. Unknown ones may belong to another store. */
function countUnlisted(where: StoreCache, ids: string[], { read, known }: ReportedState): number {
  const { heard, readHeard } = getLocalState(where.storeId)
  return ids.filter((id) => heard.has(id) && !known.has(id) && (readHeard.get(id) ?? false) !== read).length
}

function applyDeleted(where: StoreCache, meant: NotificationTarget): void {
  const known = collectKnown(where)
  const isOne = createMatcher(meant, known)
  const removed = [...known.values()].filter(isOne)
  const ids = 'upTo' in meant ? removed.map(({ _id }) => _id) : meant.notificationIds
  for (const id of ids) getLocalState(where.storeId).gone.add(id)
  patchLists(where, (items) => items.filter((item) => !isOne(item)))
  changeCount(where, -removed.filter(({ read }) => !read).length)
  adjustCount(where, meant, known)
  void refetchLists(where)
}

/** For unknown ones the previous read state is unknown, so the server counts. */
function adjustCount(where: StoreCache, meant: NotificationTarget, known: Map<string, NotificationView>): void {
  if (!('upTo' in meant)) scheduleCount(where)
  else if (known.has(meant.upTo)) countKnown(where)
  else refetchCount(where)
  if (hasLoadedLists(where) || ('upTo' in meant && !known.has(meant.upTo))) void refetchLists(where)
}

/**
 * After a reconnection: sends pending marks, fetches items newer than the newest known, and refetches what is shown.
 */
export async function catchUp(where: StoreCache, markRead: (ids: string[]) => Promise<boolean>): Promise<void> {
  void sendPendingMarks(where, markRead)
  const { queries, storeId } = where
  const newest = findNewest(where)
  if (!newest) return
  const query = { ...buildStoreParams(where), after: newest._id, page: 1, limit: MOST_MISSED }
  const missed = await call(listNotifications, { query }).catch(() => null)
  if (!missed) return
  // Too many to insert one by one; reset the lists.
  if (missed.pagination.total > missed.notifications.length) {
    for (const queryKey of [bellKey(storeId), newCartsKey(storeId)])
      queries.removeQueries({ queryKey, type: 'inactive' })
    return
  }
  for (const item of missed.notifications) if (!getLocalState(storeId).gone.has(item._id)) insertNew(where, item)
}
