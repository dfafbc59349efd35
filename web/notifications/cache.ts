import type { QueryClient } from '@tanstack/react-query'
import type { NotificationView } from '../../shared/notification-calls.ts'
import type { Pagination } from '../../shared/paging.ts'
import type { Change, Meant, Pending } from './kept.ts'
import { bellKey, countKey, listsKey, newCartsKey, pagesKey } from './keys.ts'
import { localOf } from './local.ts'
import { countAfter, isUpTo, merge } from './order.ts'
import type { ListQuery } from './rules.ts'
import { isShownBy } from './shown.ts'

// The cache of a store's notifications. All answers store them under one name, so a change reaches every list.

export interface Where {
  queries: QueryClient
  storeId: string
  platform: string
  /** A disconnected store, reachable only by its id. */
  isEnded?: boolean
}

/** How calls name the store; the connected one uses `call`. */
export const ofStore = ({ platform, storeId, isEnded }: Where) => ({ platform, ...(isEnded && { storeId }) })

export interface Answer {
  notifications: NotificationView[]
  /** Lists with pagination: not single notifications, and not the new carts, which are complete. */
  pagination?: Pagination
}

const COUNT_AGAIN_MS = 1_000

export function knownOf({ queries, storeId }: Where): Map<string, NotificationView> {
  const answers = queries.getQueriesData<Answer>({ queryKey: listsKey(storeId) })
  return new Map(answers.flatMap(([, answer]) => (answer?.notifications ?? []).map((item) => [item._id, item])))
}

/** Those in the bell's list. */
export const idsInBell = ({ queries, storeId }: Where): Set<string> =>
  new Set(queries.getQueryData<Answer>(bellKey(storeId))?.notifications.map(({ _id }) => _id))

/** The newest this browser has seen. */
export const newestOf = (where: Where): NotificationView | undefined => merge([...knownOf(where).values()], [])[0]

/** An unknown notification may belong to another store, so nothing counts as up to it. */
export function isMeant(meant: Meant, known: Map<string, NotificationView>): (item: NotificationView) => boolean {
  if ('upTo' in meant) {
    const newest = known.get(meant.upTo)
    return (item) => newest !== undefined && isUpTo(item, newest)
  }
  const ids = new Set(meant.notificationIds)
  return ({ _id }) => ids.has(_id)
}

/** Removing an item lowers the list's total. */
export function patch({ queries, storeId }: Where, change: Change): void {
  queries.setQueriesData<Answer>({ queryKey: listsKey(storeId) }, (answer) => answer && changed(answer, change))
}

export function changed<Given extends Answer>(answer: Given, change: Change): Given {
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
export function addNew(where: Where, item: NotificationView, isOfBell = true): boolean {
  const { queries, storeId } = where
  const add: Change = (items) => merge(items, [item])
  if (isOfBell) queries.setQueryData<Answer>(bellKey(storeId), (answer) => answer && changed(answer, add))
  if (item.type === 'cart_abandoned') {
    queries.setQueryData<Answer>(newCartsKey(storeId), (answer) => answer && changed(answer, add))
  }
  const pages = queries.getQueriesData<Answer>({ queryKey: pagesKey(storeId) })
  return pages.every(([key, answer]) => {
    const query = key.at(-1) as ListQuery
    if (!answer) return true
    if (!isShownBy(query, item)) return query.page === 1 && !query.search
    queries.setQueryData<Answer>(key, (page) => page && cutTo(query.limit, changed(page, add)))
    return true
  })
}

/** A new first item moves the last one to the next page. */
function cutTo(limit: number, answer: Answer): Answer {
  const { pagination } = answer
  const pages = pagination && Math.ceil(pagination.total / limit)
  return {
    notifications: answer.notifications.slice(0, limit),
    ...(pagination && { pagination: { ...pagination, pages: pages! } }),
  }
}

export function changeCount({ queries, storeId }: Where, change: number): void {
  queries.setQueryData<{ count: number }>(
    countKey(storeId),
    (known) => known && { count: countAfter(known.count, change) },
  )
}

/** After all up to one were read or deleted, only newer ones can be unread, and those are known here. */
export function countKnown(where: Where): void {
  const count = knownUnread(where)
  where.queries.setQueryData<{ count: number }>(countKey(where.storeId), (known) => known && { count })
}

const knownUnread = (where: Where) => [...knownOf(where).values()].filter(({ read }) => !read).length

/** The server's count plus local changes. Only the server knows how many an "all up to" covers. */
export function countWithPending(where: Where, count: number): number {
  const pending = [...localOf(where.storeId).pending]
  const isAnyListed = where.queries
    .getQueriesData<Answer>({ queryKey: listsKey(where.storeId) })
    .some(([, answer]) => answer !== undefined)
  if (isAnyListed && pending.some(({ isUpTo }) => isUpTo)) return knownUnread(where)
  const lowers = pending.reduce((sum, pending) => sum + pending.lowers, 0)
  return countAfter(count, -lowers)
}

export function begin(where: Where, pending: Pending): void {
  localOf(where.storeId).pending.add(pending)
  patch(where, pending.change)
}

export const end = (where: Where, pending: Pending): void => void localOf(where.storeId).pending.delete(pending)

export const countNow = ({ queries, storeId }: Where): void =>
  void queries.invalidateQueries({ queryKey: countKey(storeId) })

/** Refetches the server's count, shortly after the last of several changes began. */
export function countAgain(where: Where): void {
  const local = localOf(where.storeId)
  local.counting ??= setTimeout(() => {
    local.counting = undefined
    countNow(where)
  }, COUNT_AGAIN_MS)
}

/** Refetches the visible lists, one round at a time; others refetch when opened. */
export async function askAgain({ queries, storeId }: Where): Promise<void> {
  const local = localOf(storeId)
  if (local.asking) {
    local.asking.again = true
    return
  }
  const round = { again: true }
  local.asking = round
  while (round.again) {
    round.again = false
    await queries.invalidateQueries({ queryKey: listsKey(storeId) })
  }
  local.asking = null
}

export const isAnyAsked = ({ queries, storeId }: Where): boolean =>
  queries.isFetching({ queryKey: listsKey(storeId) }) > 0
