import type { NotificationFilter, NotificationView } from '../../shared/notification-calls.ts'
import { isProblem } from '../../shared/notification-kinds.ts'
import type { ListQuery } from './rules.ts'

// Pure. Separate from the list's address, so background counting loads no screen code.

/** Whether a new notification matches this query, as far as the browser can tell; it cannot search. */
export const isShownBy = ({ filter, search, page }: ListQuery, { type }: Pick<NotificationView, 'type'>): boolean =>
  page === 1 && !search && isOf[filter](type)

const isOf: Record<NotificationFilter, (type: NotificationView['type']) => boolean> = {
  all: () => true,
  // New notifications are unread.
  unread: () => true,
  problems: isProblem,
  'new-carts': (type) => type === 'cart_abandoned',
}
