import { type NotificationFilter, type NotificationView, notificationFilters } from '../../shared/notification-calls.ts'
import { listAddress, type Paged } from '../ui/listQuery.ts'

// The notifications screen's address and what belongs on it; the days of a list. Pure. What the bell needs as well is in `order.ts`.

interface Filter {
  filter: NotificationFilter
  search?: string
}
export type ListQuery = Filter & Paged<'newest'>

/** The address of the list. Beside it stand the two names of A 2.1: `platform` and `notificationId`. */
export const notificationsAddress = listAddress<Filter, 'newest'>({
  filters: ['filter', 'search'],
  readFilter: (address) => {
    const filter = notificationFilters.find((name) => name === address.get('filter')) ?? 'all'
    const search = address.get('search')?.trim().slice(0, 100)
    return { filter, ...(search && { search }) }
  },
  sorts: ['newest'],
  largestFirst: ['newest'],
})

export interface Day<Item> {
  /** The day in the browser's own time zone, as YYYY-MM-DD. */
  date: string
  label: string
  items: Item[]
}

const DAY_MS = 86_400_000
const thisYear = new Intl.DateTimeFormat('en-US', { weekday: 'long', month: 'long', day: 'numeric' })
const otherYears = new Intl.DateTimeFormat('en-US', { weekday: 'long', month: 'long', day: 'numeric', year: 'numeric' })

/** The list in days, in its order. */
export function daysOf<Item extends Pick<NotificationView, 'createdAt'>>(
  items: readonly Item[],
  now: number,
): Day<Item>[] {
  const days: Day<Item>[] = []
  for (const item of items) {
    const at = new Date(item.createdAt)
    const date = dateOf(at)
    const last = days.at(-1)
    if (last?.date === date) last.items.push(item)
    else days.push({ date, label: dayLabel(at, now), items: [item] })
  }
  return days
}

function dayLabel(at: Date, now: number): string {
  const today = new Date(now)
  if (dateOf(at) === dateOf(today)) return 'Today'
  // From noon: a day of 23 or 25 hours changes nothing.
  const noon = new Date(today.getFullYear(), today.getMonth(), today.getDate(), 12).getTime()
  if (dateOf(at) === dateOf(new Date(noon - DAY_MS))) return 'Yesterday'
  return (at.getFullYear() === today.getFullYear() ? thisYear : otherYears).format(at)
}

const dateOf = (at: Date): string =>
  [at.getFullYear(), String(at.getMonth() + 1).padStart(2, '0'), String(at.getDate()).padStart(2, '0')].join('-')
