import { Button, Group, Text } from '@mantine/core'
import { IconArrowRight, IconBell, IconChevronLeft, IconMailOpened, IconTrash } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'react-router'
import type { NotificationView } from '../../shared/notification-calls.ts'
import { notificationLook } from '../../shared/notification-kinds.ts'
import { useInstance } from '../access/queries.ts'
import { ApiError } from '../api.ts'
import { Empty } from '../ui/Empty.tsx'
import { Facts } from '../ui/Facts.tsx'
import { Failed } from '../ui/Failed.tsx'
import { formatDay } from '../ui/format.ts'
import { LoadingCards } from '../ui/Loading.tsx'
import { DateTime } from '../ui/Time.tsx'
import { hasLocation, NotificationMarks, NotificationSign, tones } from './appearance.tsx'
import { type Fact, listFacts } from './facts.ts'
import type { useNotification } from './queries.ts'

interface Props {
  id: string | null
  answer: ReturnType<typeof useNotification>
  /** Replaces the list, so keyboard and screen reader users start here. */
  isFocused: boolean
  onBack: () => void
  onToggleRead: (item: NotificationView) => void
  onDelete: (item: NotificationView) => void
}

export function NotificationDetail({ id, answer, isFocused, onBack, ...actions }: Props) {
  const place = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each notification that is opened
  useEffect(() => {
    if (isFocused) place.current?.focus()
  }, [id, isFocused])
  return (
    <section className="notes-detail" aria-label="Notification" ref={place} tabIndex={-1}>
      {id === null ? (
        <Empty icon={IconBell} text="Select a notification to view details" />
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
  const isGone = error instanceof ApiError && error.status === 404
  return (
    <div className="padded">
      <Failed
        title={isGone ? 'This notification is no longer there' : 'The notification could not be loaded'}
        error={isGone ? new Error('It was deleted, or is older than 90 days.') : error}
        {...(!isGone && { onRetry: () => refetch() })}
      />
    </div>
  )
}

function Content({ item }: { item: NotificationView }) {
  const { tone, action } = notificationLook(item)
  return (
    <article className={`note-card note-${tones[tone]}`} aria-labelledby="note-title">
      <div className="note-card-head">
        <NotificationSign item={item} />
        <div className="note-words">
          <h2 id="note-title">{item.title}</h2>
          <span className="note-foot">
            <DateTime at={item.createdAt} />
            <NotificationMarks item={item} />
          </span>
        </div>
      </div>
      <Text className="note-text">{item.message}</Text>
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
  const entries = [...listFacts(item).map(entryOf), ...placeEntries(item.zone)]
  if (entries.length === 0) return null
  return (
    <div className="note-facts">
      <Facts entries={entries} />
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

function entryOf({ label, kind, value }: Fact): [string, ReactNode] {
  return [label, kind === 'instant' ? <DateTime key={label} at={value} /> : value]
}

/** B 2: here with region and time zone. */
function placeEntries(zone: NotificationView['zone']): [string, string][] {
  if (!hasLocation(zone)) return []
  const place = [zone.city, zone.region, zone.country].filter((part) => part !== '' && part !== 'Unknown').join(', ')
  return [['Location', place], ...(zone.timezone ? ([['Time zone', zone.timezone]] as [string, string][]) : [])]
}
