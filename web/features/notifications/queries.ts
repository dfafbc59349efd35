import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Pagination } from '../../../shared/core/paging.ts'
import {
  listNewCartNotifications,
  listNotifications,
  type NotificationView,
  readNotification,
} from '../../../shared/workspace/notification-calls.ts'
import { useEndedStore, useStore } from '../../core/access/queries.ts'
import { call } from '../../core/api/api.ts'
import { type Answer, buildStoreParams, findNewest, type StoreCache } from './cache.ts'
import { fetchCount } from './count.ts'
import { buildBellKey, buildListsKey, buildNewCartsKey, buildPageKey, countKey } from './keys.ts'
import { getLocalState } from './local.ts'
import { getNextPage, mergeItems, NOTIFICATIONS_PER_PAGE } from './order.ts'
import type { ListQuery } from './rules.ts'

/** The store whose notifications are shown: the connected one, else the one disconnected last (decision 27). */
export function useStoreCache(): StoreCache | null {
  const queries = useQueryClient()
  const [store, ended] = [useStore(), useEndedStore()]
  const { id: storeId, platform } = store ?? ended ?? {}
  const isEnded = store === null
  return useMemo(
    () => (storeId && platform ? { queries, storeId, platform, isEnded } : null),
    [queries, storeId, platform, isEnded],
  )
}

const buildBellQuery = (cache: StoreCache) =>
  queryOptions({
    queryKey: buildBellKey(cache.storeId),
    queryFn: ({ signal }) => fetchBell(cache, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })

/** Fetched when the bell is first opened, then updated live (A 4.6). */
export const useBell = (cache: StoreCache) => useQuery(buildBellQuery(cache))

/** The newest seen. If the filtered list is empty, it is fetched. */
export async function findNewestLoaded(cache: StoreCache): Promise<NotificationView | undefined> {
  const newest = findNewest(cache)
  if (newest) return newest
  await cache.queries.fetchQuery({ ...buildBellQuery(cache), staleTime: 0 })
  return findNewest(cache)
}

export const useLoadMore = (cache: StoreCache) => useMutation({ mutationFn: () => loadMore(cache) })

/** The newest 100 about abandoned carts. */
export const useNewCarts = (cache: StoreCache, isEnabled: boolean) =>
  useQuery({
    queryKey: buildNewCartsKey(cache.storeId),
    queryFn: async ({ signal }): Promise<Answer> => {
      const { notifications } = await call(listNewCartNotifications, { query: buildStoreParams(cache), signal })
      return { notifications: applyPending(cache.storeId, notifications) }
    },
    enabled: isEnabled,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })

/** Unread count of the whole store; the bell keeps it up to date. */
export const useUnread = (cache: StoreCache): number =>
  useQuery({
    queryKey: countKey(cache.storeId),
    queryFn: ({ signal }) => fetchCount(cache, signal),
    refetchOnMount: false,
  }).data?.count ?? 0

/** A page of the screen's list. */
export const usePage = (cache: StoreCache, query: ListQuery) =>
  useQuery({
    queryKey: buildPageKey(cache.storeId, query),
    queryFn: async ({ signal }) => {
      const { page, limit, filter, search } = query
      const params = { ...buildStoreParams(cache), page, limit, filter, ...(search && { search }) }
      const answer = await call(listNotifications, { query: params, signal })
      return { ...answer, notifications: applyPending(cache.storeId, answer.notifications) }
    },
    placeholderData: keepPreviousData,
  })

/** Loads the notification of a link, on any page. Shows the list's copy first. */
export function useNotification(cache: StoreCache, id: string | null, listed: NotificationView | undefined) {
  const answer = useQuery({
    queryKey: buildOneKey(cache.storeId, id ?? ''),
    queryFn: async ({ signal }): Promise<Answer> => {
      const request = { params: { notificationId: id! }, query: buildStoreParams(cache), signal }
      const { notification } = await call(readNotification, request)
      return { notifications: applyPending(cache.storeId, [notification]) }
    },
    enabled: id !== null && !listed,
    retry: false,
  })
  return { ...answer, item: listed ?? answer.data?.notifications[0] }
}

// The bell's paginated list, newest first, while items are deleted and arrive.

type BellAnswer = Required<Answer>

const PAGES_REFRESHED = 10

const countLoaded = ({ queries, storeId }: StoreCache): number =>
  queries.getQueryData<BellAnswer>(buildBellKey(storeId))?.notifications.length ?? 0

/**
 * Refetches the pages shown, even while "Load More" adds one. Connection tests are included because the count includes
 * them; seen ones are hidden on screen.
 */
export async function fetchBell(cache: StoreCache, signal: AbortSignal): Promise<BellAnswer> {
  for (;;) {
    const loaded = countLoaded(cache)
    const count = Math.min(PAGES_REFRESHED, Math.max(1, Math.ceil(loaded / NOTIFICATIONS_PER_PAGE)))
    const pages = await Promise.all(
      Array.from({ length: count }, (_, index) => fetchPage(cache, { page: index + 1, signal })),
    )
    const isOutgrown = count < PAGES_REFRESHED && countLoaded(cache) > Math.max(loaded, count * NOTIFICATIONS_PER_PAGE)
    if (isOutgrown) continue
    const notifications = mergeItems(
      pages.flatMap((page) => page.notifications),
      [],
    )
    return { notifications: applyPending(cache.storeId, notifications), pagination: pages.at(-1)!.pagination }
  }
}

interface PageRequest {
  page: number
  signal?: AbortSignal
}

const fetchPage = (cache: StoreCache, { page, signal }: PageRequest) =>
  call(listNotifications, {
    query: { ...buildStoreParams(cache), page, limit: NOTIFICATIONS_PER_PAGE, skipTestNotification: 'false' },
    ...(signal && { signal }),
  })

/** Loads ten more. Deletions shift the pages, so a short page loads the next one too. */
export async function loadMore(cache: StoreCache): Promise<void> {
  const targetCount = countLoaded(cache) + NOTIFICATIONS_PER_PAGE
  for (let page = getNextPage(countLoaded(cache)); ; page += 1) {
    const { notifications, pagination } = await fetchPage(cache, { page })
    appendPage(cache, notifications, pagination)
    if (countLoaded(cache) >= targetCount || page >= pagination.pages) return
  }
}

const appendPage = (
  { queries, storeId }: StoreCache,
  notifications: NotificationView[],
  pagination: Pagination,
): void =>
  void queries.setQueryData<BellAnswer>(
    buildBellKey(storeId),
    (now) =>
      now && {
        ...now,
        pagination,
        notifications: mergeItems(now.notifications, applyPending(storeId, notifications)),
      },
  )

const buildOneKey = (storeId: string, id: string) => [...buildListsKey(storeId), 'one', id] as const

/** A server answer with local changes applied. */
const applyPending = (storeId: string, items: NotificationView[]): NotificationView[] =>
  [...getLocalState(storeId).pending].reduce((changed, { change }) => change(changed), items)
