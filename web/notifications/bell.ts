import { listNotifications, type NotificationView } from '../../shared/notification-calls.ts'
import type { Pagination } from '../../shared/paging.ts'
import { call } from '../api.ts'
import { type Answer, ofStore, type Where } from './cache.ts'
import { bellKey } from './keys.ts'
import { withPending } from './local.ts'
import { merge, NOTIFICATIONS_PER_PAGE, nextPage } from './order.ts'

// The bell's own list: page after page, the newest first, while some of it is deleted and more arrives.

export type BellAnswer = Required<Answer>

const PAGES_REFRESHED = 10

const shownIn = ({ queries, storeId }: Where): number =>
  queries.getQueryData<BellAnswer>(bellKey(storeId))?.notifications.length ?? 0

/**
 * As many pages as are shown, also if "Load More" brings one meanwhile. Connection tests are asked for too: the count has them. Those that were
 * shown are left out on screen.
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

/** Ten more. What is being deleted moves the pages: where one brings fewer, the next one is asked for too. */
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
