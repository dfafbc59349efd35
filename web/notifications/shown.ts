import type { NotificationFilter, NotificationView } from '../../shared/notification-calls.ts'
import { isProblem } from '../../shared/notification-kinds.ts'
import type { ListQuery } from './rules.ts'

// Pure. Apart from the address of the list: what counts in the background needs no part of a screen.

/** Whether a new notification stands on what this query shows, as far as the browser can say: it does not search. */
export const isShownBy = ({ filter, search, page }: ListQuery, { type }: Pick<NotificationView, 'type'>): boolean =>
  page === 1 && !search && isOf[filter](type)

const isOf: Record<NotificationFilter, (type: NotificationView['type']) => boolean> = {
  all: () => true,
  // News is unread.
  unread: () => true,
  problems: isProblem,
  'new-carts': (type) => type === 'cart_abandoned',
}
