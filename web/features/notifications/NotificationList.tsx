import { Button, Text } from '@mantine/core'
import { IconBell, IconFilterOff } from '@tabler/icons-react'
import { Link, useSearchParams } from 'react-router'
import { MAX_NOTIFICATIONS_COUNTED, type NotificationView } from '../../../shared/workspace/notification-calls.ts'
import { useNow } from '../../core/ui/clock.ts'
import { Empty } from '../../core/ui/Empty.tsx'
import { Loaded } from '../../core/ui/Loaded.tsx'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { Pager } from '../../core/ui/Pager.tsx'
import { DateTime } from '../../core/ui/Time.tsx'
import { NotificationMarks, NotificationSign, UnreadDot } from './appearance.tsx'
import type { StoreCache } from './cache.ts'
import { readHeadline } from './headline.ts'
import type { usePage } from './queries.ts'
import { groupByDay, type ListQuery } from './rules.ts'

interface Props {
  cache: StoreCache
  query: ListQuery
  page: ReturnType<typeof usePage>
  selectedId: string | null
  onChange: (next: Partial<ListQuery>) => void
}

export function NotificationList({ cache, query, page, selectedId, onChange }: Props) {
  return (
    <Loaded
      query={page}
      loading={<LoadingSkeleton />}
      failed="The notifications could not be loaded"
      className="padded"
    >
      {({ notifications, pagination }) => (
        <div aria-busy={page.isPlaceholderData}>
          {notifications.length === 0 ? (
            <NoNotifications query={query} onChange={onChange} />
          ) : (
            <Days items={notifications} cache={cache} selectedId={selectedId} />
          )}
          <Pager
            {...pagination}
            totalIsCapped={pagination.total >= MAX_NOTIFICATIONS_COUNTED}
            limit={query.limit}
            requestedPage={query.page}
            onPage={(next) => onChange({ page: next })}
            onLimit={(limit) => onChange({ limit })}
          />
        </div>
      )}
    </Loaded>
  )
}

const LoadingSkeleton = () => (
  <div className="padded">
    <Text fz="sm" c="dimmed" mb="md">
      Loading notifications...
    </Text>
    <LoadingList count={6} withPicture />
  </div>
)

interface DaysProps {
  cache: StoreCache
  items: NotificationView[]
  selectedId: string | null
}

function Days({ items, cache, selectedId }: DaysProps) {
  const now = useNow(60_000)
  return groupByDay(items, now).map((day) => (
    <section key={day.date} aria-labelledby={`day-${day.date}`}>
      <h2 id={`day-${day.date}`} className="note-day">
        {day.label}
      </h2>
      <ul className="bell-items">
        {day.items.map((item) => (
          <Row key={item._id} item={item} platform={cache.platform} isSelected={item._id === selectedId} />
        ))}
      </ul>
    </section>
  ))
}

function Row({ item, platform, isSelected }: { item: NotificationView; platform: string; isSelected: boolean }) {
  const [search] = useSearchParams()
  const address = new URLSearchParams(search)
  address.set('platform', platform)
  address.set('notificationId', item._id)
  const { title, message } = readHeadline(item)
  return (
    <li className="bell-item" data-unread={!item.read || undefined} data-selected={isSelected || undefined}>
      <Link
        to={{ search: String(address) }}
        preventScrollReset
        className="bell-link note-row"
        data-id={item._id}
        aria-current={isSelected || undefined}
      >
        <NotificationSign item={item} />
        <span className="note-words">
          <span className="note-title">{title}</span>
          <span className="note-message">{message}</span>
          <span className="note-foot">
            <DateTime at={item.createdAt} />
            <NotificationMarks item={item} />
          </span>
        </span>
        {!item.read && <UnreadDot />}
      </Link>
    </li>
  )
}

function NoNotifications({ query, onChange }: Pick<Props, 'query' | 'onChange'>) {
  const { filter, search, page } = query
  if (page > 1) {
    return (
      <Empty icon={IconBell} text="No notifications on this page.">
        <Button variant="default" size="sm" onClick={() => onChange({ page: 1 })}>
          Go to the first page
        </Button>
      </Empty>
    )
  }
  if (filter === 'all' && !search) {
    return (
      <Empty
        icon={IconBell}
        title="No notifications"
        text="Abandoned carts, undelivered messages and outages appear here."
        isFirst
      />
    )
  }
  return (
    <Empty
      icon={IconFilterOff}
      text={filter === 'unread' && !search ? 'No unread notifications.' : 'No notifications match your filters.'}
    >
      <Button variant="default" size="sm" onClick={() => onChange({ filter: 'all', search: '' })}>
        Show all notifications
      </Button>
    </Empty>
  )
}
