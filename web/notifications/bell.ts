import { listNotifications, type NotificationView } from '../../shared/notification-calls.ts'
import type { Pagination } from '../../shared/paging.ts'
import { call } from '../api.ts'
import { type Answer, ofStore, type Where } from './cache.ts'
import { bellKey } from './keys.ts'
import { withPending } from './local.ts'
import { merge, NOTIFICATIONS_PER_PAGE, nextPage } from './order.ts'

// The bell's paginated list, newest first, while items are deleted and arrive.

export type BellAnswer = Required<Answer>

const PAGES_REFRESHED = 10

const shownIn = ({ queries, storeId }: Where): number =>
  queries.getQueryData<BellAnswer>(bellKey(storeId))?.notifications.length ?? 0

/**
 * Refetches the pages shown, even while "Load More" adds one. Connection tests are included because the count includes
 * them; seen ones are hidden on screen.
 */
export async function askBell(where: Where, signal: AbortSignal): Promise<BellAnswer> {
  for (;;) {
    const shown = shownIn(where)
    const count = Math.min(PAGES_REFRESHED, Math.max(1, Math.ceil(shown / NOTIFICATIONS_PER_PAGE)))
    const pages = await Promise.all(
      Array.from({ length: count }, (_, index) => askPage(where, { page: index + 1, signal })),
    )
    const isOutgrown = count < PAGES_REFRESHED && shownIn(where) > Math.max(shown, count * NOTIFICATIONS_PER_PAGE)
    if (isOutgrown) continue
    const notifications = merge(
      pages.flatMap((page) => page.notifications),
      [],
    )
    return { notifications: withPending(where.storeId, notifications), pagination: pages.at(-1)!.pagination }
  }
}

interface Asked {
  page: number
  signal?: AbortSignal
}

const askPage = (where: Where, { page, signal }: Asked) =>
  call(listNotifications, {
    query: { ...ofStore(where), page, limit: NOTIFICATIONS_PER_PAGE, skipTestNotification: 'false' },
    ...(signal && { signal }),
  })

/** Loads ten more. Deletions shift the pages, so a short page loads the next one too. */
export async function loadMore(where: Where): Promise<void> {
  const wanted = shownIn(where) + NOTIFICATIONS_PER_PAGE
  for (let page = nextPage(shownIn(where)); ; page += 1) {
    const { notifications, pagination } = await askPage(where, { page })
    append(where, notifications, pagination)
    if (shownIn(where) >= wanted || page >= pagination.pages) return
  }
}

const append = ({ queries, storeId }: Where, notifications: NotificationView[], pagination: Pagination): void =>
  void queries.setQueryData<BellAnswer>(
    bellKey(storeId),
    (now) =>
      now && {
        ...now,
        pagination,
        notifications: merge(now.notifications, withPending(storeId, notifications)),
      },
  )
