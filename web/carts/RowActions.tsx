import { ActionIcon, Group, Menu, Tooltip } from '@mantine/core'
import {
  IconBrandWhatsapp,
  IconClock,
  IconDotsVertical,
  IconEye,
  IconLock,
  IconMail,
  IconMessage,
  IconMessageSearch,
} from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { CartView } from '../../shared/carts.ts'
import { reminderTexts } from '../../shared/reminders.ts'
import { explainEnded, type TextChannel } from './sending.ts'
import type { Ask } from './useSendDialog.tsx'
import { useCanSend, useTextAction } from './useTextAction.ts'

export interface RowActionsProps {
  cart: CartView
  isWhatsappEligible: boolean
  onOpen: (cart: CartView) => void
  onAsk: (ask: Ask) => void
  onSmsStatus: (cart: CartView) => void
}

/** Actions of one row; each names its customer for screen readers. */
export function RowActions({ cart, isWhatsappEligible, onOpen, onAsk, onSmsStatus }: RowActionsProps) {
  const may = useCanSend()
  const name = cart.customer_name
  const selection = { kind: 'carts' as const, carts: [cart] }
  const hasEmail = cart.customer_email !== null && explainEnded(cart.state) === null
  return (
    <Group gap={2} wrap="nowrap" justify="flex-end">
      {may && hasEmail && (
        <Act label={`Send email to ${name}`} onClick={() => onAsk({ channel: 'email', selection, when: 'now' })}>
          <IconMail size={17} aria-hidden />
        </Act>
      )}
      <TextAct cart={cart} channel="sms" isEligible onAsk={onAsk} />
      <TextAct cart={cart} channel="whatsapp" isEligible={isWhatsappEligible} onAsk={onAsk} />
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`More for ${name}`}>
            <IconDotsVertical size={17} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconEye size={16} aria-hidden />} onClick={() => onOpen(cart)}>
            View details
          </Menu.Item>
          {may && hasEmail && (
            <Menu.Item
              leftSection={<IconClock size={16} aria-hidden />}
              onClick={() => onAsk({ channel: 'email', selection, when: 'schedule' })}
            >
              Schedule email
            </Menu.Item>
          )}
          {cart.phone && (
            <Menu.Item leftSection={<IconMessageSearch size={16} aria-hidden />} onClick={() => onSmsStatus(cart)}>
              Check SMS status
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}

const looks = {
  sms: { label: 'Send SMS to', Sign: IconMessage, upgrade: reminderTexts.smsPlan },
  whatsapp: { label: 'Send WhatsApp message to', Sign: IconBrandWhatsapp, upgrade: reminderTexts.whatsappPlan },
}

interface TextActProps {
  cart: CartView
  channel: TextChannel
  isEligible: boolean
  onAsk: (ask: Ask) => void
}

function TextAct({ cart, channel, isEligible, onAsk }: TextActProps) {
  const action = useTextAction(cart, channel, isEligible)
  const { label, Sign, upgrade } = looks[channel]
  if (action.kind === 'none') return null
  if (action.kind === 'upgrade') {
    return (
      <Tooltip label={upgrade} multiline w={240}>
        <ActionIcon component={Link} to="/pricing" variant="subtle" color="gray" aria-label={upgrade}>
          <span className="locked-sign">
            <Sign size={17} aria-hidden />
            <IconLock size={10} aria-hidden />
          </span>
        </ActionIcon>
      </Tooltip>
    )
  }
  const waits = action.isSending ? 'Sending…' : action.waits
  const ask = () => onAsk({ channel, selection: { kind: 'carts', carts: [cart] }, when: 'now' })
  return (
    <Act label={waits ?? `${label} ${cart.customer_name}`} isOff={waits !== null} onClick={ask}>
      <Sign size={17} aria-hidden />
    </Act>
  )
}

interface ActProps {
  label: string
  /** Stays focusable, so its label can give the reason. */
  isOff?: boolean
  onClick: () => void
  children: ReactNode
}

function Act({ label, isOff = false, onClick, children }: ActProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={label}
        {...(isOff && { 'aria-disabled': true, 'data-disabled': true })}
        onClick={() => !isOff && onClick()}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  )
}
