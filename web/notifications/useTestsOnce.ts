import { useEffect } from 'react'
import type { NotificationView } from '../../shared/notification-calls.ts'
import type { Where } from './cache.ts'
import { localOf } from './local.ts'
import { markRead } from './marking.ts'

/**
 * A connection test is shown once (A 4.6, decision 130): while the bell stays open on it. It is read by that, so that the member's other
 * browsers know it too. Returns what says whether one is to be shown.
 */
export function useTestsOnce(where: Where, items: NotificationView[]): (item: NotificationView) => boolean {
  const { tests } = localOf(where.storeId)
  const isShown = (item: NotificationView) => item.type !== 'connection_test' || isTestShown(item, tests.get(item._id))
  useEffect(() => {
    const news = items.filter(
      (item) => item.type === 'connection_test' && !tests.has(item._id) && isTestShown(item, undefined),
    )
    for (const { _id } of news) tests.set(_id, 'showing')
    if (news.length > 0) void markRead(where, { notificationIds: news.map(({ _id }) => _id) })
  }, [where, items, tests])
  useEffect(
    () => () => {
      for (const [id, state] of tests) if (state === 'showing') tests.set(id, 'shown')
    },
    [tests],
  )
  return isShown
}

/** One that is read and not being shown here was shown elsewhere, such as in another tab. */
export const isTestShown = (
  { read }: Pick<NotificationView, 'read'>,
  state: 'showing' | 'shown' | undefined,
): boolean => (state === undefined ? !read : state === 'showing')
