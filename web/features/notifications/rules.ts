import {
  type NotificationFilter,
  type NotificationView,
  notificationFilters,
} from '../../../shared/workspace/notification-calls.ts'
import { createListAddress, type Paged } from '../../core/ui/listQuery.ts'
import { formatIsoDay } from '../../core/ui/times.ts'

// Address and grouping of the notifications screen. Pure. Rules shared with the bell are in `order.ts`.

interface Filter {
  filter: NotificationFilter
  search?: string
}
export type ListQuery = Filter & Paged<'newest'>

/** The list's query parameters, besides `platform` and `notificationId` of A 2.1. */
export const notificationsAddress = createListAddress<Filter, 'newest'>({
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
  /** The day in the display time zone, as YYYY-MM-DD. */
  date: string
  label: string
  items: Item[]
}

const DAY_MS = 86_400_000
const dayAndMonth = { weekday: 'long', month: 'long', day: 'numeric', timeZone: 'UTC' } as const
const thisYear = new Intl.DateTimeFormat('en-US', dayAndMonth)
const otherYears = new Intl.DateTimeFormat('en-US', { ...dayAndMonth, year: 'numeric' })

/** Groups the list by day, in order. */
export function groupByDay<Item extends Pick<NotificationView, 'createdAt'>>(
  items: readonly Item[],
  now: number,
): Day<Item>[] {
  const days: Day<Item>[] = []
  for (const item of items) {
    const date = formatIsoDay(item.createdAt)
    const last = days.at(-1)
    if (last?.date === date) last.items.push(item)
    else days.push({ date, label: formatDayLabel(date, now), items: [item] })
  }
  return days
}

function formatDayLabel(date: string, now: number): string {
  const today = formatIsoDay(now)
  if (date === today) return 'Today'
  if (Date.parse(date) === Date.parse(today) - DAY_MS) return 'Yesterday'
  return (date.slice(0, 4) === today.slice(0, 4) ? thisYear : otherYears).format(Date.parse(date))
}
