import { Group } from '@mantine/core'
import {
  IconAlertTriangle,
  IconArrowsJoin,
  IconBan,
  IconBrandWhatsapp,
  IconCheck,
  IconCircleCheck,
  IconCircleDashed,
  IconClock,
  IconHourglass,
  IconInbox,
  IconMail,
  IconMessage,
  IconMoonStars,
  IconPlayerSkipForward,
  IconQuestionMark,
  IconSend,
  IconShoppingCart,
  IconShoppingCartOff,
  IconX,
} from '@tabler/icons-react'
import type { CartBadge as Badge, CartState as State } from '../../../shared/carts/carts.ts'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'

type BadgeProps = Parameters<typeof StatusBadge>[0]

export const badgeStyles: Record<Badge, BadgeProps> = {
  'No Action': { tone: 'quiet', icon: IconCircleDashed, label: 'No Action' },
  'Email Sent': { tone: 'info', icon: IconMail, label: 'Email Sent' },
  'SMS Sent': { tone: 'info', icon: IconMessage, label: 'SMS Sent' },
  'WhatsApp Sent': { tone: 'info', icon: IconBrandWhatsapp, label: 'WhatsApp Sent' },
  'No Response': { tone: 'warn', icon: IconMoonStars, label: 'No Response' },
  Recovered: { tone: 'good', icon: IconCircleCheck, label: 'Recovered' },
}

export const stateStyles: Record<State, BadgeProps> = {
  active: { tone: 'info', icon: IconShoppingCart, label: 'Active' },
  abandoned: { tone: 'bad', icon: IconShoppingCartOff, label: 'Abandoned' },
  recovered: { tone: 'good', icon: IconCircleCheck, label: 'Recovered' },
  purchased: { tone: 'good', icon: IconCheck, label: 'Purchased' },
  emptied: { tone: 'quiet', icon: IconX, label: 'Emptied' },
  lost: { tone: 'quiet', icon: IconMoonStars, label: 'Lost' },
  merged: { tone: 'quiet', icon: IconArrowsJoin, label: 'Merged' },
}

const inMailbox: BadgeProps = { tone: 'info', icon: IconInbox, label: 'In the mailbox' }

const messageStyles: Record<string, BadgeProps> = {
  scheduled: { tone: 'info', icon: IconClock, label: 'Scheduled' },
  held: { tone: 'warn', icon: IconHourglass, label: 'On hold' },
  claimed: { tone: 'info', icon: IconSend, label: 'Sending soon' },
  sending: { tone: 'info', icon: IconSend, label: 'Sending' },
  sent: { tone: 'good', icon: IconSend, label: 'Sent' },
  'accepted:mailbox': inMailbox,
  delivered: { tone: 'good', icon: IconCircleCheck, label: 'Delivered' },
  failed: { tone: 'bad', icon: IconAlertTriangle, label: 'Failed' },
  unknown: { tone: 'warn', icon: IconQuestionMark, label: 'Unknown' },
  skipped: { tone: 'quiet', icon: IconPlayerSkipForward, label: 'Not sent' },
  cancelled: { tone: 'quiet', icon: IconBan, label: 'Cancelled' },
}

const textStyles: Record<string, BadgeProps> = {
  sending: { tone: 'info', icon: IconSend, label: 'Sending' },
  sent: { tone: 'info', icon: IconSend, label: 'Sent' },
  delivered: { tone: 'good', icon: IconCircleCheck, label: 'Delivered' },
  read: { tone: 'good', icon: IconCircleCheck, label: 'Read' },
  failed: { tone: 'bad', icon: IconAlertTriangle, label: 'Failed' },
  unknown: { tone: 'warn', icon: IconQuestionMark, label: 'Unknown' },
}
const noText: BadgeProps = { tone: 'quiet', icon: IconCircleDashed, label: 'No SMS sent' }

/** State of an SMS or WhatsApp message. */
export const TextStatus = ({ status }: { status: string | null }) => (
  <StatusBadge {...(textStyles[status ?? ''] ?? noText)} />
)

interface StatusProps {
  status: Badge
  /** The message is in this server's test mailbox and was not delivered to a shopper. */
  isInMailbox: boolean
}

/** One of the six values (B 4), with a note below on where the message went. */
export const CartStatus = ({ status, isInMailbox }: StatusProps) => (
  <div className="cart-status">
    <StatusBadge {...badgeStyles[status]} />
    {isInMailbox && (
      <div className="reason-mark">
        <IconInbox size={13} aria-hidden />
        {inMailbox.label}
      </div>
    )}
  </div>
)

/** For the dashboard's list (B 4): abandoned is red, every other state green. */
export const RecentState = ({ state }: { state: State }) => (
  <StatusBadge {...stateStyles[state]} tone={state === 'abandoned' ? 'bad' : 'good'} />
)

/** Badge and state; the state only if it adds something. */
export function CartMarks({ state, ...badge }: StatusProps & { state: State }) {
  return (
    <Group gap={6}>
      <CartStatus {...badge} />
      {stateStyles[state].label !== badge.status && <StatusBadge {...stateStyles[state]} />}
    </Group>
  )
}

export const MessageState = ({ state, reason }: { state: string; reason?: string | null }) => (
  <StatusBadge
    {...(messageStyles[reason === 'accepted:mailbox' ? reason : state] ?? {
      tone: 'quiet',
      icon: IconCircleDashed,
      label: state,
    })}
  />
)
