import { listNotifications, type NotificationView } from '../../shared/notification-calls.ts'
import type { Pagination } from '../../shared/paging.ts'
import { call } from '../api.ts'
import { type Answer, buildStoreParams, type StoreCache } from './cache.ts'
import { bellKey } from './keys.ts'
import { applyPending } from './local.ts'
import { getNextPage, mergeItems, NOTIFICATIONS_PER_PAGE } from './order.ts'

// The bell's paginated list, newest first, while items are deleted and arrive.

export type BellAnswer = Required<Answer>

const PAGES_REFRESHED = 10

const countShown = ({ queries, storeId }: StoreCache): number =>
  queries.getQueryData<BellAnswer>(bellKey(storeId))?.notifications.length ?? 0

/**
 * Refetches the pages shown, even while "Load More" adds one. Connection tests are included because the count includes
 * them; seen ones are hidden on screen.
 */
export async function fetchBell(cache: StoreCache, signal: AbortSignal): Promise<BellAnswer> {
  for (;;) {
    const shown = countShown(cache)
    const count = Math.min(PAGES_REFRESHED, Math.max(1, Math.ceil(shown / NOTIFICATIONS_PER_PAGE)))
    const pages = await Promise.all(
      Array.from({ length: count }, (_, index) => fetchPage(cache, { page: index + 1, signal })),
    )
    const isOutgrown = count < PAGES_REFRESHED && countShown(cache) > Math.max(shown, count * NOTIFICATIONS_PER_PAGE)
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
  const wanted = countShown(cache) + NOTIFICATIONS_PER_PAGE
  for (let page = getNextPage(countShown(cache)); ; page += 1) {
    const { notifications, pagination } = await fetchPage(cache, { page })
    appendPage(cache, notifications, pagination)
    if (countShown(cache) >= wanted || page >= pagination.pages) return
  }
}

const appendPage = (
  { queries, storeId }: StoreCache,
  notifications: NotificationView[],
  pagination: Pagination,
): void =>
  void queries.setQueryData<BellAnswer>(
    bellKey(storeId),
    (now) =>
      now && {
        ...now,
        pagination,
        notifications: mergeItems(now.notifications, applyPending(storeId, notifications)),
      },
  )
