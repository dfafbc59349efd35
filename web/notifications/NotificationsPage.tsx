import './notifications.css'
import { Button, Card, SegmentedControl } from '@mantine/core'
import { IconChecks } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import type { NotificationFilter, NotificationView } from '../../shared/notification-calls.ts'
import { LinkedStore } from '../shell/LinkedStore.tsx'
import { announce } from '../ui/announce.ts'
import { LoadingCards } from '../ui/Loading.tsx'
import { PageTitle } from '../ui/PageTitle.tsx'
import { SearchBox } from '../ui/SearchBox.tsx'
import { useIsWide, useListQuery } from '../ui/useListQuery.ts'
import type { StoreCache } from './cache.ts'
import { startDeletion } from './deleting.ts'
import { markRead, markUnread } from './marking.ts'
import { NotificationDetail } from './NotificationDetail.tsx'
import { NotificationList } from './NotificationList.tsx'
import { findNewestSeen, useNotification, usePage, useStoreCache, useUnread } from './queries.ts'
import { type ListQuery, notificationsAddress } from './rules.ts'
import { UndoBar } from './UndoBar.tsx'
import { useListKeys } from './useListKeys.ts'

const filters: { value: NotificationFilter; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'unread', label: 'Unread' },
  { value: 'problems', label: 'Problems' },
  { value: 'new-carts', label: 'New carts' },
]

const SELECTED = 'notificationId'

/** B 2: the list on the left, the selected notification on the right; on a phone one at a time. */
export function NotificationsPage() {
  const cache = useStoreCache()
  if (!cache) return <LoadingCards count={1} rows={6} />
  return (
    <LinkedStore
      currentId={cache.storeId}
      what="This notification"
      instead="Show the notifications of this store"
      belongs={['platform', 'notificationId']}
    >
      <Screen cache={cache} />
    </LinkedStore>
  )
}

function Screen({ cache }: { cache: StoreCache }) {
  const { query, change, put, param } = useListQuery(notificationsAddress)
  const isWide = useIsWide()
  const id = param(SELECTED)
  const page = usePage(cache, query)
  const items = page.data?.notifications ?? []
  const detail = useNotification(
    cache,
    id,
    items.find(({ _id }) => _id === id),
  )
  const list = useRef<HTMLDivElement>(null)
  useReadWhenOpened(cache, detail.item)
  const back = useBackToList(list, id, () => put(SELECTED, null))
  useListKeys(list, (focused) => toggleRead(cache, items.find(({ _id }) => _id === focused) ?? detail.item))
  const remove = (item: NotificationView) => {
    startDeletion(cache, { notificationIds: [item._id] })
    back()
  }
  return (
    <>
      {isWide || !id ? (
        <PageTitle title="Notifications" text="What happened in your store in the last 90 days.">
          <MarkAllButton cache={cache} />
        </PageTitle>
      ) : (
        <PageTitle title="Notifications" />
      )}
      <Card padding={0} className="notes">
        {(isWide || !id) && (
          <section className="notes-list" aria-label="List of notifications" ref={list} tabIndex={-1}>
            <Tools query={query} onChange={change} />
            <NotificationList cache={cache} query={query} page={page} selectedId={id} onChange={change} />
            <UndoBar onUndo={() => list.current?.focus()} />
            {isWide && items.length > 0 && <Keys />}
          </section>
        )}
        {(isWide || id) && (
          <NotificationDetail
            id={id}
            answer={detail}
            isFocused={!isWide}
            onBack={back}
            onToggleRead={(item) => toggleRead(cache, item)}
            onDelete={remove}
          />
        )}
      </Card>
    </>
  )
}

function toggleRead(cache: StoreCache, item: NotificationView | undefined): void {
  if (!item) return
  if (item.read) void markUnread(cache, item._id)
  else void markRead(cache, { notificationIds: [item._id] })
}

/** B 4, decision 130: marks as read once per opening, so marking it unread again sticks. */
function useReadWhenOpened(cache: StoreCache, item: NotificationView | undefined) {
  const id = item?._id
  useEffect(() => {
    if (id) void markRead(cache, { notificationIds: [id] })
  }, [cache, id])
}

/** Back to the list, with the focus on the open row. */
function useBackToList(list: { current: HTMLElement | null }, id: string | null, leave: () => void) {
  return () => {
    leave()
    requestAnimationFrame(() => {
      const rows = list.current?.querySelectorAll<HTMLElement>('.note-row') ?? []
      const row = [...rows].find(({ dataset }) => dataset.id === id) ?? rows[0]
      row?.focus()
    })
  }
}

interface ToolsProps {
  query: ListQuery
  onChange: (next: Partial<ListQuery>) => void
}

function Tools({ query, onChange }: ToolsProps) {
  return (
    <div className="notes-tools">
      <SearchBox label="Search notifications" value={query.search ?? ''} onSearch={(search) => onChange({ search })} />
      <SegmentedControl
        size="xs"
        fullWidth
        aria-label="Which notifications"
        data={filters}
        value={query.filter}
        onChange={(filter) => onChange({ filter: filter as NotificationFilter })}
      />
    </div>
  )
}

/** Across all pages and filters, up to the newest seen. */
function MarkAllButton({ cache }: { cache: StoreCache }) {
  const count = useUnread(cache)
  const markAll = async () => {
    if (count === 0) return
    try {
      const newest = await findNewestSeen(cache)
      if (newest) await markRead(cache, { upTo: newest._id })
    } catch (error) {
      announce((error as Error).message, 'bad')
    }
  }
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<IconChecks size={16} aria-hidden />}
      // Not `disabled`, which would take the focus from the button just pressed.
      data-disabled={count === 0}
      aria-disabled={count === 0}
      onClick={markAll}
    >
      Mark all as read
    </Button>
  )
}

const Keys = () => (
  <p className="notes-keys">
    <kbd>j</kbd> and <kbd>k</kbd> move, <kbd>Enter</kbd> opens, <kbd>u</kbd> marks as unread or read
  </p>
)
