import {
  type Icon,
  IconAlertTriangle,
  IconBrandWhatsapp,
  IconBuildingStore,
  IconCircleCheck,
  IconDeviceMobileMessage,
  IconFlask,
  IconInbox,
  IconMail,
  IconMapPin,
  IconNotification,
  IconShoppingCart,
  IconTrendingUp,
  IconUsers,
} from '@tabler/icons-react'
import type { NotificationView } from '../../../shared/workspace/notification-calls.ts'
import {
  getNotificationStyle,
  type NotificationIcon,
  type NotificationTone,
} from '../../../shared/workspace/notification-kinds.ts'
import type { Tone } from '../../core/ui/Notice.tsx'

// How a notification is displayed in the bell and on the screen.

const icons: Record<NotificationIcon, Icon> = {
  cart: IconShoppingCart,
  recovered: IconTrendingUp,
  email: IconMail,
  sms: IconDeviceMobileMessage,
  whatsapp: IconBrandWhatsapp,
  push: IconNotification,
  alarm: IconAlertTriangle,
  resumed: IconCircleCheck,
  capture: IconUsers,
  receiver: IconInbox,
  store: IconBuildingStore,
  test: IconFlask,
}

/** B 2: red, green, blue. */
export const tones: Record<NotificationTone, Tone> = { problem: 'bad', good: 'good', neutral: 'info' }

export function NotificationSign({ item }: { item: NotificationView }) {
  const { icon, tone } = getNotificationStyle(item)
  const Sign = icons[icon]
  return (
    <span className={`note-sign tone-${tones[tone]}`} data-icon={icon}>
      <Sign size={18} stroke={1.8} aria-hidden />
    </span>
  )
}

/** Unread dot, with a text for screen readers. */
export const UnreadDot = () => (
  <span className="note-dot">
    <span className="visually-hidden">Unread</span>
  </span>
)

/** Whether the country is known (A 2.11, B 2). */
export const hasLocation = (zone: NotificationView['zone']): zone is NonNullable<typeof zone> =>
  zone !== null && zone.country !== '' && zone.country !== 'Unknown'

export const formatLocation = (zone: NotificationView['zone']): string | null =>
  hasLocation(zone) ? [zone.city, zone.country].filter((part) => part !== '' && part !== 'Unknown').join(', ') : null

/** The shopper's location, and a label for tests. */
export function NotificationMarks({ item }: { item: NotificationView }) {
  const place = formatLocation(item.zone)
  const { isTest } = getNotificationStyle(item)
  if (!place && !isTest) return null
  return (
    <span className="note-marks">
      {isTest && <span className="mark note-mark tone-warn">Test</span>}
      {place && (
        <span className="mark note-mark tone-quiet" title="Estimated by IP address">
          <IconMapPin size={12} aria-hidden />
          {place}
        </span>
      )}
    </span>
  )
}
