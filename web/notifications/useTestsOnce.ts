import { useEffect } from 'react'
import type { NotificationView } from '../../shared/notification-calls.ts'
import type { StoreCache } from './cache.ts'
import { getLocalState } from './local.ts'
import { markRead } from './marking.ts'

/**
 * Shows each connection test once (A 4.6, decision 130): while the bell stays open. Showing marks it as read, so the
 * member's other browsers skip it. Returns a function that tells whether to show one.
 */
export function useTestsOnce(cache: StoreCache, items: NotificationView[]): (item: NotificationView) => boolean {
  const { tests } = getLocalState(cache.storeId)
  const isShown = (item: NotificationView) => item.type !== 'connection_test' || isTestShown(item, tests.get(item._id))
  useEffect(() => {
    const news = items.filter(
      (item) => item.type === 'connection_test' && !tests.has(item._id) && isTestShown(item, undefined),
    )
    for (const { _id } of news) tests.set(_id, 'showing')
    if (news.length > 0) void markRead(cache, { notificationIds: news.map(({ _id }) => _id) })
  }, [cache, items, tests])
  useEffect(
    () => () => {
      for (const [id, state] of tests) if (state === 'showing') tests.set(id, 'shown')
    },
    [tests],
  )
  return isShown
}

/** A read test that is not shown here was shown elsewhere, such as in another tab. */
export const isTestShown = (
  { read }: Pick<NotificationView, 'read'>,
  state: 'showing' | 'shown' | undefined,
): boolean => (state === undefined ? !read : state === 'showing')
