import {
  listNotifications,
  type NotificationEvent,
  type NotificationView,
} from '../../../shared/workspace/notification-calls.ts'
import { call } from '../../core/api/api.ts'
import {
  buildStoreParams,
  changeCount,
  collectKnown,
  countKnown,
  createMatcher,
  findNewest,
  insertNew,
  patchLists,
  refetchCount,
  refetchLists,
  type StoreCache,
  scheduleCount,
} from './cache.ts'
import { buildBellKey, buildListsKey, buildNewCartsKey } from './keys.ts'
import { getLocalState } from './local.ts'
import { sendPendingMarks } from './marking.ts'
import { isUpTo, setRead } from './order.ts'
import type { NotificationTarget } from './pending-marks.ts'

// Live events (A 4.6, decision 68), shown immediately. They may arrive twice, late or never.

const MAX_MISSED = 100

export function applyEvent(cache: StoreCache, event: NotificationEvent): void {
  if (event.type === 'new') applyNew(cache, event.notification)
  else applyChangeEvent(cache, event)
}

function applyChangeEvent(cache: StoreCache, event: Exclude<NotificationEvent, { type: 'new' }>): void {
  const target: NotificationTarget = event.upTo ? { upTo: event.upTo } : { notificationIds: event.notificationIds }
  if (event.type === 'read') applyRead(cache, target, event.read)
  else applyDeleted(cache, target)
}

function applyNew(cache: StoreCache, news: NotificationView): void {
  const { received, deleted } = getLocalState(cache.storeId)
  const item = { ...news, read: news.read || wasReportedRead(cache, news) }
  const isNews = !received.has(item._id) && !deleted.has(item._id) && !collectKnown(cache).has(item._id)
  received.add(item._id)
  if (!isNews) return
  // A list in flight may predate this event.
  const isWhole = !hasLoadedLists(cache)
  if (!insertNew(cache, item) || !isWhole) void refetchLists(cache)
  if (!item.read) changeCount(cache, 1)
  scheduleCount(cache)
}

/** A notification's event may arrive after the event that it was read. */
function wasReportedRead(cache: StoreCache, item: NotificationView): boolean {
  const local = getLocalState(cache.storeId)
  if (local.readUpToId === item._id)
    rememberState(cache, { upTo: item._id }, { read: true, known: new Map([[item._id, item]]) })
  return local.reportedRead.get(item._id) ?? (local.readUpTo !== null && isUpTo(item, local.readUpTo))
}

interface ReportedState {
  read: boolean
  known: Map<string, NotificationView>
}

function rememberState(cache: StoreCache, target: NotificationTarget, { read, known }: ReportedState): void {
  const local = getLocalState(cache.storeId)
  if (!('upTo' in target)) {
    for (const id of target.notificationIds) local.reportedRead.set(id, read)
    return
  }
  const newest = known.get(target.upTo)
  if (!newest) {
    local.readUpToId = target.upTo
    return
  }
  if (!local.readUpTo || isUpTo(local.readUpTo, newest)) local.readUpTo = newest
  for (const [id, isRead] of local.reportedRead) if (!isRead) local.reportedRead.delete(id)
}

function applyRead(cache: StoreCache, target: NotificationTarget, read: boolean): void {
  const known = collectKnown(cache)
  const unlisted = 'upTo' in target ? 0 : countUnlisted(cache, target.notificationIds, { read, known })
  rememberState(cache, target, { read, known })
  const isOne = createMatcher(target, known)
  const changed = [...known.values()].filter((item) => item.read !== read && isOne(item)).length
  patchLists(cache, (items) => setRead(items, isOne, read))
  changeCount(cache, (read ? -1 : 1) * (changed + unlisted))
  adjustCount(cache, target, known)
}

/** Counts items known only from events. Unknown ones may belong to another store. */
function countUnlisted(cache: StoreCache, ids: string[], { read, known }: ReportedState): number {
  const { received, reportedRead } = getLocalState(cache.storeId)
  return ids.filter((id) => received.has(id) && !known.has(id) && (reportedRead.get(id) ?? false) !== read).length
}

function applyDeleted(cache: StoreCache, target: NotificationTarget): void {
  const known = collectKnown(cache)
  const isOne = createMatcher(target, known)
  const removed = [...known.values()].filter(isOne)
  const ids = 'upTo' in target ? removed.map(({ _id }) => _id) : target.notificationIds
  for (const id of ids) getLocalState(cache.storeId).deleted.add(id)
  patchLists(cache, (items) => items.filter((item) => !isOne(item)))
  changeCount(cache, -removed.filter(({ read }) => !read).length)
  adjustCount(cache, target, known)
  void refetchLists(cache)
}

/** For unknown ones the previous read state is unknown, so the server counts. */
function adjustCount(cache: StoreCache, target: NotificationTarget, known: Map<string, NotificationView>): void {
  if (!('upTo' in target)) scheduleCount(cache)
  else if (known.has(target.upTo)) countKnown(cache)
  else refetchCount(cache)
  if (hasLoadedLists(cache) || ('upTo' in target && !known.has(target.upTo))) void refetchLists(cache)
}

/**
 * After a reconnection: sends pending marks, fetches items newer than the newest known, and refetches what is shown.
 */
export async function catchUp(cache: StoreCache, markRead: (ids: string[]) => Promise<boolean>): Promise<void> {
  void sendPendingMarks(cache, markRead)
  const { queries, storeId } = cache
  const newest = findNewest(cache)
  if (!newest) return
  const query = { ...buildStoreParams(cache), after: newest._id, page: 1, limit: MAX_MISSED }
  const missed = await call(listNotifications, { query }).catch(() => null)
  if (!missed) return
  // Too many to insert one by one; reset the lists.
  if (missed.pagination.total > missed.notifications.length) {
    for (const queryKey of [buildBellKey(storeId), buildNewCartsKey(storeId)])
      queries.removeQueries({ queryKey, type: 'inactive' })
    return
  }
  for (const item of missed.notifications) if (!getLocalState(storeId).deleted.has(item._id)) insertNew(cache, item)
}

const hasLoadedLists = ({ queries, storeId }: StoreCache): boolean =>
  queries.isFetching({ queryKey: buildListsKey(storeId) }) > 0
