import './notifications.css'
import { Button, Card, Group, SegmentedControl, Text } from '@mantine/core'
import { IconArrowRight, IconBell, IconChecks, IconChevronLeft, IconMailOpened, IconTrash } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { getCurrencyExponent } from '../../../shared/core/money.ts'
import { formatDuration } from '../../../shared/insights/stages.ts'
import type { NotificationFilter, NotificationView } from '../../../shared/workspace/notification-calls.ts'
import { markNotificationsRead } from '../../../shared/workspace/notification-calls.ts'
import { getNotificationStyle } from '../../../shared/workspace/notification-kinds.ts'
import { useInstance } from '../../core/access/queries.ts'
import { ApiError, call } from '../../core/api/api.ts'
import { announce } from '../../core/ui/announce.ts'
import { Empty } from '../../core/ui/Empty.tsx'
import { Facts } from '../../core/ui/Facts.tsx'
import { Failed } from '../../core/ui/Failed.tsx'
import { formatCount, formatDay, formatMoney } from '../../core/ui/format.ts'
import { LoadingCards } from '../../core/ui/Loading.tsx'
import { PageTitle } from '../../core/ui/PageTitle.tsx'
import { SearchBox } from '../../core/ui/SearchBox.tsx'
import { DateTime } from '../../core/ui/Time.tsx'
import { useIsWide, useListQuery } from '../../core/ui/useListQuery.ts'
import { formatKey, isInstant } from '../../kits/carts/rules.ts'
import { LinkedStore } from '../../kits/page/LinkedStore.tsx'
import { hasLocation, NotificationMarks, NotificationSign, tones } from './appearance.tsx'
import type { StoreCache } from './cache.ts'
import { buildStoreParams, changeCount, patchLists, scheduleCount } from './cache.ts'
import { startDeletion } from './deleting.ts'
import { readHeadline } from './headline.ts'
import { markRead } from './marking.ts'
import { NotificationList } from './NotificationList.tsx'
import { setRead } from './order.ts'
import { findNewestLoaded, useNotification, usePage, useStoreCache, useUnread } from './queries.ts'
import { type ListQuery, notificationsAddress } from './rules.ts'
import { UndoBar } from './UndoBar.tsx'

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
function useBackToList(list: { current: HTMLElement | null }, id: string | null, onClose: () => void) {
  return () => {
    onClose()
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
      const newest = await findNewestLoaded(cache)
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

interface Props {
  id: string | null
  answer: ReturnType<typeof useNotification>
  /** Replaces the list, so keyboard and screen reader users start here. */
  isFocused: boolean
  onBack: () => void
  onToggleRead: (item: NotificationView) => void
  onDelete: (item: NotificationView) => void
}

function NotificationDetail({ id, answer, isFocused, onBack, ...actions }: Props) {
  const place = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each notification that is opened
  useEffect(() => {
    if (isFocused) place.current?.focus()
  }, [id, isFocused])
  return (
    <section className="notes-detail" aria-label="Notification" ref={place} tabIndex={-1}>
      {id === null ? (
        <Empty icon={IconBell} text="Select a notification to view details" isFirst />
      ) : (
        <Opened key={id} answer={answer} onBack={onBack} {...actions} />
      )}
    </section>
  )
}

function Opened({ answer, onBack, onToggleRead, onDelete }: Omit<Props, 'id' | 'isFocused'>) {
  const { item } = answer
  return (
    <>
      <Group justify="space-between" gap="xs" className="note-bar">
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          leftSection={<IconChevronLeft size={16} aria-hidden />}
          onClick={onBack}
        >
          Back
        </Button>
        {item && (
          <Group gap={4}>
            <Button
              size="compact-sm"
              variant="subtle"
              color="gray"
              leftSection={<IconMailOpened size={15} aria-hidden />}
              onClick={() => onToggleRead(item)}
            >
              {item.read ? 'Mark as unread' : 'Mark as read'}
            </Button>
            <Button
              size="compact-sm"
              variant="subtle"
              color="gray"
              leftSection={<IconTrash size={15} aria-hidden />}
              onClick={() => onDelete(item)}
            >
              Delete
            </Button>
          </Group>
        )}
      </Group>
      {item ? <Content item={item} /> : <NotThere answer={answer} />}
    </>
  )
}

function NotThere({ answer: { error, refetch } }: Pick<Props, 'answer'>) {
  if (!error) return <LoadingCards count={1} rows={5} />
  const isMissing = error instanceof ApiError && error.status === 404
  return (
    <div className="padded">
      <Failed
        title={isMissing ? 'This notification is no longer there' : 'The notification could not be loaded'}
        error={isMissing ? new Error('It was deleted, or is older than 90 days.') : error}
        {...(!isMissing && { onRetry: () => refetch() })}
      />
    </div>
  )
}

function Content({ item }: { item: NotificationView }) {
  const { tone, action } = getNotificationStyle(item)
  const { title, message } = readHeadline(item)
  return (
    <article className={`note-card note-${tones[tone]}`} aria-labelledby="note-title">
      <div className="note-card-head">
        <NotificationSign item={item} />
        <div className="note-words">
          <h2 id="note-title">{title}</h2>
          <span className="note-foot">
            <DateTime at={item.createdAt} />
            <NotificationMarks item={item} />
          </span>
        </div>
      </div>
      <Text className="note-text">{message}</Text>
      {action && (
        <Button component={Link} to={action.to} w="fit-content" rightSection={<IconArrowRight size={16} aria-hidden />}>
          {action.label}
        </Button>
      )}
      <NotificationFacts item={item} />
    </article>
  )
}

function NotificationFacts({ item }: { item: NotificationView }) {
  const pick = (areIds: boolean) =>
    Object.fromEntries(Object.entries(item.data).filter(([key]) => isIdKey(key) === areIds))
  const ids = listFacts({ data: pick(true) })
  const entries = [...listFacts({ data: pick(false) }).map(buildEntry), ...placeEntries(item.zone)]
  if (ids.length === 0 && entries.length === 0) return null
  return (
    <div className="note-facts">
      {entries.length > 0 && <Facts entries={entries} />}
      {ids.length > 0 && (
        <details className="note-ids">
          <summary>Technical details</summary>
          {ids.map(({ label, value }) => (
            <div key={label}>
              {label}: {value}
            </div>
          ))}
        </details>
      )}
      {hasLocation(item.zone) && <PlaceNote />}
    </div>
  )
}

/** Decision 69: how reliable the location is. */
function PlaceNote() {
  const from = useInstance()?.locationDataFrom
  return (
    <Text fz="xs" c="dimmed" mt="sm">
      The location is an estimate by IP address and may be wrong.
      {from && ` This server’s location data is from ${formatDay(from)}.`} Its administrator can set newer data with
      GEOIP_DB.
    </Text>
  )
}

function buildEntry({ label, kind, value }: Fact): [string, ReactNode] {
  return [label, kind === 'instant' ? <DateTime key={label} at={value} /> : value]
}

/** B 2: here with region and time zone. */
function placeEntries(zone: NotificationView['zone']): [string, string][] {
  if (!hasLocation(zone)) return []
  const place = [zone.city, zone.region, zone.country].filter((part) => part !== '' && part !== 'Unknown').join(', ')
  return [['Location', place], ...(zone.timezone ? ([['Time zone', zone.timezone]] as [string, string][]) : [])]
}

// Rows of a notification's detail, from its data (B 2). Pure.

interface Fact {
  label: string
  /** `instant` is formatted as a date. */
  kind: 'text' | 'instant'
  value: string
}

type Data = NotificationView['data']

/**
 * Display order: who and how much, when, then the rest with ids last, because the database keeps no key order. Amounts
 * include their currency; unknown values are omitted.
 */
export const listFacts = ({ data }: Pick<NotificationView, 'data'>): Fact[] =>
  Object.entries(data)
    .toSorted(([a], [b]) => rankKey(a) - rankKey(b))
    .flatMap(([key, value]): Fact[] => {
      if (value === null || value === '' || (key === 'currency' && typeof data.value === 'number')) return []
      const label = labels[key] ?? formatKey(key)
      return [
        isInstant(value)
          ? { label, kind: 'instant', value }
          : { label, kind: 'text', value: formatFact(key, value, data) },
      ]
    })

const first = ['customer', 'product', 'to', 'count', 'value', 'currency', 'itemCount', 'step', 'cause', 'answer']
const last = ['timestamp', 'since', 'until', 'isInMailbox', 'test']

/** Ids are for support, so they are folded away. */
const isIdKey = (key: string) => key.endsWith('Id')

function rankKey(key: string): number {
  if (isIdKey(key)) return last.length + 1
  return first.includes(key) ? first.indexOf(key) - first.length : last.indexOf(key) + 1
}

const labels: Record<string, string> = {
  cartId: 'Cart ID',
  messageId: 'Message ID',
  alarmId: 'Alarm ID',
  isInMailbox: 'Kept on this server',
  lastedMs: 'Lasted',
  itemCount: 'Items',
  url: 'Address',
  test: 'Connection test',
}

/** Keys whose values are codes. */
const codedKeys = ['cause', 'channel', 'kind', 'stage']
const channels: Record<string, string> = { sms: 'SMS', whatsapp: 'WhatsApp' }

function formatFact(key: string, value: string | number | boolean, { currency }: Data): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'string') return codedKeys.includes(key) ? (channels[value] ?? formatKey(value)) : value
  if (key === 'value' && typeof currency === 'string') {
    return formatMoney(value / 10 ** getCurrencyExponent(currency), currency)
  }
  return key === 'lastedMs' ? formatDuration(value) : formatCount(value)
}

/**
 * j and k move down and up the list, u marks as unread or read (decision 70). Enter opens a row, which is a link.
 * `onToggle` receives the id of the focused row.
 */
function useListKeys(list: { current: HTMLElement | null }, onToggle: (id: string | null) => void): void {
  const latest = useRef(onToggle)
  useEffect(() => {
    latest.current = onToggle
  })
  useEffect(() => {
    const rows = () => [...(list.current?.querySelectorAll<HTMLElement>('.note-row') ?? [])]
    const go = (step: number) => {
      const all = rows()
      const focused = all.indexOf(document.activeElement as HTMLElement)
      const from = focused >= 0 ? focused : all.findIndex((row) => row.hasAttribute('aria-current'))
      const next = all[from < 0 ? 0 : Math.min(all.length - 1, Math.max(0, from + step))]
      next?.focus()
    }
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (event.key === 'j') go(1)
      else if (event.key === 'k') go(-1)
      else if (event.key === 'u') {
        latest.current(rows().find((row) => row === document.activeElement)?.dataset.id ?? null)
      }
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [list])
}

/** Also true inside a dialog above the list. */
const isTyping = (target: EventTarget | null) =>
  target instanceof Element &&
  target.closest('input:not([type=radio]), textarea, select, [contenteditable], [role=dialog]') !== null

async function markUnread(cache: StoreCache, id: string): Promise<void> {
  const change = (read: boolean) => patchLists(cache, (items) => setRead(items, ({ _id }) => _id === id, read))
  change(false)
  changeCount(cache, 1)
  try {
    const body = { notificationIds: [id], read: false }
    await call(markNotificationsRead, { query: buildStoreParams(cache), body })
  } catch (error) {
    change(true)
    announce((error as Error).message, 'bad')
  }
  scheduleCount(cache)
}
