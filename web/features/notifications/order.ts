// Order of notifications, effects of events on lists and unread count, and retry times of marks. Pure.

/** The fields of a notification these rules need. */
export interface OrderedItem {
  _id: string
  createdAt: string
  read: boolean
}

/** A 9: items per "Load More". */
export const NOTIFICATIONS_PER_PAGE = 10

const LONGEST_DELAY_MS = 10_000

/** Delay before retry number n, from 0. */
export const getRetryDelayMs = (retry: number): number => Math.min(1_000 * 2 ** retry, LONGEST_DELAY_MS)

/** The server counts to 100 (decision 66). */
export const formatBadge = (count: number): string => (count > 99 ? '99+' : String(count))

/** A 4.6: never below 0. A count capped at 100 stays until it is refetched. */
export const adjustUnread = (count: number, change: number): number =>
  count > 99 ? count : Math.max(0, count + change)

export type Place = Pick<OrderedItem, '_id' | 'createdAt'>

const compareNewestFirst = (a: Place, b: Place): number =>
  Date.parse(b.createdAt) - Date.parse(a.createdAt) || (a._id < b._id ? 1 : a._id > b._id ? -1 : 0)

/** Whether it is this one or an older one. */
export const isUpTo = (item: Place, newest: Place): boolean => compareNewestFirst(newest, item) <= 0

/** Merges two lists, newest first, without duplicates. */
export function mergeItems<Item extends OrderedItem>(known: readonly Item[], news: readonly Item[]): Item[] {
  const byId = new Map(known.map((item) => [item._id, item]))
  // A read item stays read, because events may arrive late.
  for (const item of news) byId.set(item._id, { ...item, read: item.read || byId.get(item._id)?.read === true })
  return [...byId.values()].toSorted(compareNewestFirst)
}

export const setRead = <Item extends OrderedItem>(
  items: readonly Item[],
  isConcerned: (item: Item) => boolean,
  read = true,
) => items.map((item) => (item.read !== read && isConcerned(item) ? { ...item, read } : item))

/** The page that continues a list of this length. Deletions shift items up; overlaps are merged. */
export const getNextPage = (loaded: number): number => Math.floor(loaded / NOTIFICATIONS_PER_PAGE) + 1
