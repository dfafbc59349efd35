import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import {
  listNewCartNotifications,
  listNotifications,
  type NotificationView,
  readNotification,
} from '../../shared/notification-calls.ts'
import { useEndedStore, useStore } from '../access/queries.ts'
import { call } from '../api.ts'
import { fetchBell, loadMore } from './bell.ts'
import { type Answer, buildStoreParams, findNewest, type StoreCache } from './cache.ts'
import { askCount } from './count.ts'
import { bellKey, countKey, newCartsKey, oneKey, pageKey } from './keys.ts'
import { applyPending } from './local.ts'
import type { ListQuery } from './rules.ts'

/** The store whose notifications are shown: the connected one, else the one disconnected last (decision 27). */
export function useWhere(): StoreCache | null {
  const queries = useQueryClient()
  const [store, ended] = [useStore(), useEndedStore()]
  const { id: storeId, platform } = store ?? ended ?? {}
  const isEnded = store === null
  return useMemo(
    () => (storeId && platform ? { queries, storeId, platform, isEnded } : null),
    [queries, storeId, platform, isEnded],
  )
}

const bellQuery = (where: StoreCache) =>
  queryOptions({
    queryKey: bellKey(where.storeId),
    queryFn: ({ signal }) => fetchBell(where, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })

/** Fetched when the bell is first opened, then updated live (A 4.6). */
export const useBell = (where: StoreCache) => useQuery(bellQuery(where))

/** The newest seen. If the filtered list is empty, it is fetched. */
export async function findNewestSeen(where: StoreCache): Promise<NotificationView | undefined> {
  const seen = findNewest(where)
  if (seen) return seen
  await where.queries.fetchQuery({ ...bellQuery(where), staleTime: 0 })
  return findNewest(where)
}

export const useLoadMore = (where: StoreCache) => useMutation({ mutationFn: () => loadMore(where) })

/** The newest 100 about abandoned carts. */
export const useNewCarts = (where: StoreCache, isAsked: boolean) =>
  useQuery({
    queryKey: newCartsKey(where.storeId),
    queryFn: async ({ signal }): Promise<Answer> => {
      const { notifications } = await call(listNewCartNotifications, { query: buildStoreParams(where), signal })
      return { notifications: applyPending(where.storeId, notifications) }
    },
    enabled: isAsked,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })

/** Unread count of the whole store; the bell keeps it up to date. */
export const useUnread = (where: StoreCache): number =>
  useQuery({
    queryKey: countKey(where.storeId),
    queryFn: ({ signal }) => askCount(where, signal),
    refetchOnMount: false,
  }).data?.count ?? 0

/** A page of the screen's list. */
export const usePage = (where: StoreCache, query: ListQuery) =>
  useQuery({
    queryKey: pageKey(where.storeId, query),
    queryFn: async ({ signal }) => {
      const { page, limit, filter, search } = query
      const asked = { ...buildStoreParams(where), page, limit, filter, ...(search && { search }) }
      const answer = await call(listNotifications, { query: asked, signal })
      return { ...answer, notifications: applyPending(where.storeId, answer.notifications) }
    },
    placeholderData: keepPreviousData,
  })

/** The notification a link names, whichever page has it. Shows the list's copy first. */
export function useNotification(where: StoreCache, id: string | null, listed: NotificationView | undefined) {
  const answer = useQuery({
    queryKey: oneKey(where.storeId, id ?? ''),
    queryFn: async ({ signal }): Promise<Answer> => {
      const asked = { params: { notificationId: id! }, query: buildStoreParams(where), signal }
      const { notification } = await call(readNotification, asked)
      return { notifications: applyPending(where.storeId, [notification]) }
    },
    enabled: id !== null && !listed,
    retry: false,
  })
  return { ...answer, item: listed ?? answer.data?.notifications[0] }
}
