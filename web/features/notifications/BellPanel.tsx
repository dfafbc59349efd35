import './notifications.css'
import { ActionIcon, Button, SegmentedControl } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconBellOff, IconChecks, IconRefresh, IconTrash } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import type { NotificationView } from '../../../shared/workspace/notification-calls.ts'
import { Empty } from '../../core/ui/Empty.tsx'
import { Loaded } from '../../core/ui/Loaded.tsx'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { BellItem } from './BellItem.tsx'
import { findNewest, type StoreCache } from './cache.ts'
import { startDeletion } from './deleting.ts'
import { getLocalState } from './local.ts'
import { markRead } from './marking.ts'
import { NOTIFICATIONS_PER_PAGE } from './order.ts'
import type { NotificationTarget } from './pending-marks.ts'
import { useBell, useLoadMore, useNewCarts, useStoreCache, useUnread } from './queries.ts'
import { UndoBar } from './UndoBar.tsx'

interface Props {
  onClose: () => void
}

/** A 2.11. Not modal: the page stays usable, and Tab continues into it. */
export function BellPanel({ onClose }: Props) {
  const cache = useStoreCache()
  return cache && <Panel cache={cache} onClose={onClose} />
}

type Tab = 'all' | 'new-carts'
const tabs: { value: Tab; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'new-carts', label: 'New Carts' },
]

function Panel({ cache, onClose }: Props & { cache: StoreCache }) {
  const [tab, setTab] = useState<Tab>('all')
  const list = useList(cache, tab)
  const panel = useRef<HTMLElement>(null)
  useEffect(() => panel.current?.focus(), [])
  const { query } = list
  // The pressed button disappears with the items.
  const focusUndo = () =>
    requestAnimationFrame(() =>
      (panel.current?.querySelector<HTMLElement>('.undo-bar button') ?? panel.current)?.focus(),
    )
  return (
    <section ref={panel} className="bell-panel" role="dialog" aria-labelledby="bell-title" tabIndex={-1}>
      <div className="bell-head">
        <h2 id="bell-title">Notifications</h2>
        <RefreshButton isBusy={query.isFetching} onRefresh={() => void query.refetch()} />
      </div>
      <div className="bell-tools">
        <SegmentedControl
          size="xs"
          aria-label="Which notifications"
          data={tabs}
          value={tab}
          onChange={(next) => setTab(next as Tab)}
        />
        {list.all.length > 0 && (
          <AllButtons cache={cache} all={list.all} isWhole={tab === 'all'} onCleared={focusUndo} />
        )}
      </div>
      <div className="bell-list" aria-busy={query.isFetching}>
        <Loaded
          query={query}
          loading={
            <div className="bell-waiting">
              <LoadingList count={5} withPicture />
            </div>
          }
          failed="The notifications could not be loaded"
          className="bell-failed"
        >
          {() => <Items cache={cache} list={list} onClose={onClose} />}
        </Loaded>
      </div>
      <UndoBar onUndo={() => panel.current?.focus()} />
      <Link to="/notifications" className="bell-foot" onClick={onClose}>
        View all notifications
      </Link>
    </section>
  )
}

interface List {
  query: ReturnType<typeof useBell> | ReturnType<typeof useNewCarts>
  /** All loaded items, and those of the tab. */
  all: NotificationView[]
  items: NotificationView[]
  hasMore: boolean
  more: () => void
  isLoadingMore: boolean
  problem: Error | null
}

/** Content of the chosen tab and how to load more. */
function useList(cache: StoreCache, tab: Tab): List {
  const bell = useBell(cache)
  const carts = useNewCarts(cache, tab === 'new-carts')
  const [cartLimit, setCartLimit] = useState(NOTIFICATIONS_PER_PAGE)
  const more = useLoadMore(cache)
  const isVisible = useTestsOnce(cache, bell.data?.notifications ?? [])
  useFirstOpening(bell)
  if (tab === 'new-carts') {
    const all = carts.data?.notifications ?? []
    return {
      query: carts,
      all,
      items: all.slice(0, cartLimit),
      hasMore: all.length > cartLimit,
      more: () => setCartLimit(cartLimit + NOTIFICATIONS_PER_PAGE),
      isLoadingMore: false,
      problem: null,
    }
  }
  const items = (bell.data?.notifications ?? []).filter(isVisible)
  return {
    query: bell,
    all: items,
    items,
    hasMore: bell.data !== undefined && bell.data.notifications.length < bell.data.pagination.total,
    more: () => more.mutate(),
    isLoadingMore: more.isPending,
    problem: more.error,
  }
}

/** A 4.6: loads on opening if the list is empty. A query that never ran starts automatically. */
function useFirstOpening(bell: ReturnType<typeof useBell>) {
  const { data, refetch } = bell
  const isEmpty = useRef(data?.notifications.length === 0)
  useEffect(() => {
    if (isEmpty.current) void refetch()
    isEmpty.current = false
  }, [refetch])
}

function Items({ cache, list, onClose }: { cache: StoreCache; list: List; onClose: () => void }) {
  const place = useRef<HTMLUListElement>(null)
  const { items } = list
  const keepFocus = useFocusAfterRemoval(place)
  const remove = (item: NotificationView, index: number) => {
    keepFocus(index)
    startDeletion(cache, { notificationIds: [item._id] })
  }
  if (items.length === 0 && !list.hasMore) return <Empty icon={IconBellOff} text="No notifications" />
  return (
    <>
      <ul ref={place} className="bell-items">
        {items.map((item, index) => (
          <BellItem
            key={item._id}
            item={item}
            platform={cache.platform}
            onOpen={() => {
              void markRead(cache, { notificationIds: [item._id] })
              onClose()
            }}
            onDelete={() => remove(item, index)}
          />
        ))}
      </ul>
      {list.problem && (
        <Notice tone="bad" isLive>
          {list.problem.message}
        </Notice>
      )}
      {list.hasMore && (
        <div className="bell-more">
          <Button variant="default" size="xs" loading={list.isLoadingMore} onClick={list.more}>
            Load More
          </Button>
        </div>
      )}
    </>
  )
}

/** When the focused item is removed, the next one gets the focus, or the panel if none is left. */
function useFocusAfterRemoval(place: { current: HTMLElement | null }) {
  const targetCount = useRef<number | null>(null)
  useEffect(() => {
    if (targetCount.current === null) return
    const buttons = [...(place.current?.querySelectorAll<HTMLElement>('.note-delete') ?? [])]
    const next = buttons[Math.min(targetCount.current, buttons.length - 1)]
    targetCount.current = null
    ;(next ?? document.querySelector<HTMLElement>('.bell-panel'))?.focus()
  })
  return (index: number) => {
    targetCount.current = index
  }
}

function RefreshButton({ isBusy, onRefresh }: { isBusy: boolean; onRefresh: () => void }) {
  const [isWaiting, setWaiting] = useState(false)
  const later = useDebouncedCallback(() => {
    setWaiting(false)
    onRefresh()
  }, REFRESH_DEBOUNCE_MS)
  const press = () => {
    setWaiting(true)
    later()
  }
  return (
    <ActionIcon variant="subtle" color="gray" aria-label="Refresh" title="Refresh" onClick={press}>
      <IconRefresh size={17} aria-hidden className={isWaiting || isBusy ? 'turning' : undefined} />
    </ActionIcon>
  )
}

interface AllProps {
  cache: StoreCache
  all: NotificationView[]
  isWhole: boolean
  onCleared: () => void
}

/** Marks all up to the newest seen; in New Carts, only those listed. */
function AllButtons({ cache, all, isWhole, onCleared }: AllProps) {
  const chooseTarget = (): NotificationTarget | null => {
    if (!isWhole) return { notificationIds: all.map(({ _id }) => _id) }
    const newest = findNewest(cache)
    return newest ? { upTo: newest._id } : null
  }
  const unread = useUnread(cache)
  const isRead = isWhole ? unread === 0 : all.every(({ read }) => read)
  const apply = (act: (cache: StoreCache, target: NotificationTarget) => unknown) => {
    const which = chooseTarget()
    if (which) void act(cache, which)
  }
  return (
    <div className="bell-all">
      <Button
        size="compact-xs"
        variant="subtle"
        leftSection={<IconChecks size={14} aria-hidden />}
        // Not `disabled`, which would take the focus from the button just pressed.
        data-disabled={isRead}
        aria-disabled={isRead}
        onClick={() => !isRead && apply(markRead)}
      >
        Mark all as read
      </Button>
      <Button
        size="compact-xs"
        variant="subtle"
        leftSection={<IconTrash size={14} aria-hidden />}
        onClick={() => {
          apply(startDeletion)
          onCleared()
        }}
      >
        Clear all
      </Button>
    </div>
  )
}

/**
 * Shows each connection test once (A 4.6, decision 130): while the bell stays open. Showing marks it as read, so the
 * member's other browsers skip it. Returns a function that tells whether to show one.
 */
function useTestsOnce(cache: StoreCache, items: NotificationView[]): (item: NotificationView) => boolean {
  const { tests } = getLocalState(cache.storeId)
  const isVisible = (item: NotificationView) =>
    item.type !== 'connection_test' || isTestVisible(item, tests.get(item._id))
  useEffect(() => {
    const news = items.filter(
      (item) => item.type === 'connection_test' && !tests.has(item._id) && isTestVisible(item, undefined),
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
  return isVisible
}

/** A read test that is not shown here was shown elsewhere, such as in another tab. */
export const isTestVisible = (
  { read }: Pick<NotificationView, 'read'>,
  state: 'showing' | 'shown' | undefined,
): boolean => (state === undefined ? !read : state === 'showing')

/** A 4.6. */
const REFRESH_DEBOUNCE_MS = 1_000
