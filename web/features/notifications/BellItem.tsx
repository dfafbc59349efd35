import { CloseButton } from '@mantine/core'
import { Link } from 'react-router'
import type { NotificationView } from '../../../shared/workspace/notification-calls.ts'
import { TimeAgo } from '../../core/ui/Time.tsx'
import { NotificationMarks, NotificationSign, UnreadDot } from './appearance.tsx'
import { readHeadline } from './headline.ts'

interface Props {
  item: NotificationView
  platform: string
  onOpen: () => void
  onDelete: () => void
}

export function BellItem({ item, platform, onOpen, onDelete }: Props) {
  const { title, message } = readHeadline(item)
  return (
    <li className="bell-item" data-unread={!item.read || undefined}>
      <Link to={buildLink(platform, item._id)} className="bell-link" onClick={onOpen}>
        <NotificationSign item={item} />
        <span className="note-words">
          <span className="note-title">{title}</span>
          <span className="note-message">{message}</span>
          <span className="note-foot">
            <TimeAgo at={item.createdAt} />
            <NotificationMarks item={item} />
          </span>
        </span>
        {!item.read && <UnreadDot />}
      </Link>
      <CloseButton
        size="md"
        iconSize={16}
        className="note-delete"
        aria-label={`Delete: ${title}`}
        title="Delete"
        onClick={onDelete}
      />
    </li>
  )
}

/** Targets of the bell and the list (A 2.1). */
const buildLink = (platform: string, id: string) =>
  `/notifications?${new URLSearchParams({ platform, notificationId: id })}`
