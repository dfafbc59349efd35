import type { QueryClient } from '@tanstack/react-query'
import type { Pagination } from '../../../shared/core/paging.ts'
import type { NotificationFilter, NotificationView } from '../../../shared/workspace/notification-calls.ts'
import { isProblem } from '../../../shared/workspace/notification-kinds.ts'
import { buildBellKey, buildListsKey, buildNewCartsKey, buildPagesKey, countKey } from './keys.ts'
import { getLocalState } from './local.ts'
import { adjustUnread, isUpTo, mergeItems } from './order.ts'
import type { Change, NotificationTarget, Pending } from './pending-marks.ts'
import type { ListQuery } from './rules.ts'

// The cache of a store's notifications. All answers store them under one name, so a change reaches every list.

export interface StoreCache {
  queries: QueryClient
  storeId: string
  platform: string
  /** A disconnected store, reachable only by its id. */
  isEnded?: boolean
}

/** How calls name the store; the connected one uses `call`. */
export const buildStoreParams = ({ platform, storeId, isEnded }: StoreCache) => ({
  platform,
  ...(isEnded && { storeId }),
})

export interface Answer {
  notifications: NotificationView[]
  /** Lists with pagination: not single notifications, and not the new carts, which are complete. */
  pagination?: Pagination
}

const COUNT_AGAIN_MS = 1_000

export function collectKnown({ queries, storeId }: StoreCache): Map<string, NotificationView> {
  const answers = queries.getQueriesData<Answer>({ queryKey: buildListsKey(storeId) })
  return new Map(answers.flatMap(([, answer]) => (answer?.notifications ?? []).map((item) => [item._id, item])))
}

/** The newest this browser has seen. */
export const findNewest = (cache: StoreCache): NotificationView | undefined =>
  mergeItems([...collectKnown(cache).values()], [])[0]

/** An unknown notification may belong to another store, so nothing counts as up to it. */
export function createMatcher(
  target: NotificationTarget,
  known: Map<string, NotificationView>,
): (item: NotificationView) => boolean {
  if ('upTo' in target) {
    const newest = known.get(target.upTo)
    return (item) => newest !== undefined && isUpTo(item, newest)
  }
  const ids = new Set(target.notificationIds)
  return ({ _id }) => ids.has(_id)
}

/** Removing an item lowers the list's total. */
export function patchLists({ queries, storeId }: StoreCache, change: Change): void {
  queries.setQueriesData<Answer>(
    { queryKey: buildListsKey(storeId) },
    (answer) => answer && applyChange(answer, change),
  )
}

export function applyChange<Given extends Answer>(answer: Given, change: Change): Given {
  const notifications = change(answer.notifications)
  const { pagination } = answer
  if (!pagination) return { ...answer, notifications }
  const total = Math.max(0, pagination.total + notifications.length - answer.notifications.length)
  return { ...answer, notifications, pagination: { ...pagination, total } }
}

/**
 * Inserts into every list it belongs to. False if some list must be refetched. In the bell, an older one is inserted
 * only within the loaded range, to avoid a gap.
 */
export function insertNew(cache: StoreCache, item: NotificationView, isOfBell = true): boolean {
  const { queries, storeId } = cache
  const add: Change = (items) => mergeItems(items, [item])
  if (isOfBell) queries.setQueryData<Answer>(buildBellKey(storeId), (answer) => answer && applyChange(answer, add))
  if (item.type === 'cart_abandoned') {
    queries.setQueryData<Answer>(buildNewCartsKey(storeId), (answer) => answer && applyChange(answer, add))
  }
  const pages = queries.getQueriesData<Answer>({ queryKey: buildPagesKey(storeId) })
  return pages.every(([key, answer]) => {
    const query = key.at(-1) as ListQuery
    if (!answer) return true
    if (!matchesFilter(query, item)) return query.page === 1 && !query.search
    queries.setQueryData<Answer>(key, (page) => page && truncateTo(query.limit, applyChange(page, add)))
    return true
  })
}

/** A new first item moves the last one to the next page. */
function truncateTo(limit: number, answer: Answer): Answer {
  const { pagination } = answer
  const pages = pagination && Math.ceil(pagination.total / limit)
  return {
    notifications: answer.notifications.slice(0, limit),
    ...(pagination && { pagination: { ...pagination, pages: pages! } }),
  }
}

export function changeCount({ queries, storeId }: StoreCache, change: number): void {
  queries.setQueryData<{ count: number }>(
    countKey(storeId),
    (known) => known && { count: adjustUnread(known.count, change) },
  )
}

/** After all up to one were read or deleted, only newer ones can be unread, and those are known here. */
export function countKnown(cache: StoreCache): void {
  const count = countKnownUnread(cache)
  cache.queries.setQueryData<{ count: number }>(countKey(cache.storeId), (known) => known && { count })
}

const countKnownUnread = (cache: StoreCache) => [...collectKnown(cache).values()].filter(({ read }) => !read).length

/** The server's count plus local changes. Only the server knows how many an "all up to" covers. */
export function countWithPending(cache: StoreCache, count: number): number {
  const pending = [...getLocalState(cache.storeId).pending]
  const isAnyListed = cache.queries
    .getQueriesData<Answer>({ queryKey: buildListsKey(cache.storeId) })
    .some(([, answer]) => answer !== undefined)
  if (isAnyListed && pending.some(({ isUpTo }) => isUpTo)) return countKnownUnread(cache)
  const lowers = pending.reduce((sum, pending) => sum + pending.lowers, 0)
  return adjustUnread(count, -lowers)
}

export function addPending(cache: StoreCache, pending: Pending): void {
  getLocalState(cache.storeId).pending.add(pending)
  patchLists(cache, pending.change)
}

export const removePending = (cache: StoreCache, pending: Pending): void =>
  void getLocalState(cache.storeId).pending.delete(pending)

export const refetchCount = ({ queries, storeId }: StoreCache): void =>
  void queries.invalidateQueries({ queryKey: countKey(storeId) })

/** Refetches the server's count, shortly after the last of several changes began. */
export function scheduleCount(cache: StoreCache): void {
  const local = getLocalState(cache.storeId)
  local.counting ??= setTimeout(() => {
    local.counting = undefined
    refetchCount(cache)
  }, COUNT_AGAIN_MS)
}

/** Refetches the visible lists, one round at a time; others refetch when opened. */
export async function refetchLists({ queries, storeId }: StoreCache): Promise<void> {
  const local = getLocalState(storeId)
  if (local.asking) {
    local.asking.again = true
    return
  }
  const round = { again: true }
  local.asking = round
  while (round.again) {
    round.again = false
    await queries.invalidateQueries({ queryKey: buildListsKey(storeId) })
  }
  local.asking = null
}

// Pure. Separate from the list's address, so background counting loads no screen code.

/** Whether a new notification matches this query, as far as the browser can tell; it cannot search. */
export const matchesFilter = ({ filter, search, page }: ListQuery, { type }: Pick<NotificationView, 'type'>): boolean =>
  page === 1 && !search && isOf[filter](type)

const isOf: Record<NotificationFilter, (type: NotificationView['type']) => boolean> = {
  all: () => true,
  // New notifications are unread.
  unread: () => true,
  problems: isProblem,
  'new-carts': (type) => type === 'cart_abandoned',
}
