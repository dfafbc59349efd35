import '../../kits/carts/carts.css'
import { Anchor, Button, Card, Stack, Text, Title } from '@mantine/core'
import { IconBrandWhatsapp, IconClock, IconLock, IconMail, IconMessage, IconMessageSearch } from '@tabler/icons-react'
import { Link } from 'react-router'
import type { CartView } from '../../../shared/carts/carts.ts'
import { reminderTexts } from '../../../shared/delivery/reminders.ts'
import { useWhatsappEligible } from '../../kits/manual-sends/send-queries.ts'
import { explainEnded, hasBought, type TextChannel } from '../../kits/manual-sends/sending.ts'
import { type TextAction, useCanSend, useIsTextsLocked, useTextAction } from '../../kits/manual-sends/useTextAction.ts'
import { SendDiscountButton } from '../discount-mail/SendDiscountButton.tsx'
import type { Ask } from './useSendDialog.tsx'

interface Props {
  cart: CartView
  onAsk: (ask: Ask) => void
  onSmsStatus: (cart: CartView) => void
}

/** All actions on one cart, with labels. */
export function RecoveryActions({ cart, onAsk, onSmsStatus }: Props) {
  const may = useCanSend()
  const lacksTexts = useIsTextsLocked()
  const eligible = useWhatsappEligible([cart.id], may && !lacksTexts && cart.phone !== null)
  const sms = useTextAction(cart, 'sms', true)
  const whatsapp = useTextAction(cart, 'whatsapp', eligible.has(cart.id))
  const selection = { kind: 'carts' as const, carts: [cart] }
  const ended = explainEnded(cart.state)
  if (!may) return null
  return (
    <Card>
      <Title order={2} mb="md">
        Recovery Actions
      </Title>
      <Stack gap="xs">
        <Button
          leftSection={<IconMail size={16} aria-hidden />}
          disabled={!cart.customer_email || ended !== null}
          onClick={() => onAsk({ channel: 'email', selection, when: 'now' })}
        >
          Send Email
        </Button>
        <Button
          variant="default"
          leftSection={<IconClock size={16} aria-hidden />}
          disabled={!cart.customer_email || ended !== null}
          onClick={() => onAsk({ channel: 'email', selection, when: 'schedule' })}
        >
          Schedule Email
        </Button>
        <TextButton channel="sms" action={sms} onSend={() => onAsk({ channel: 'sms', selection, when: 'now' })} />
        <TextButton
          channel="whatsapp"
          action={whatsapp}
          onSend={() => onAsk({ channel: 'whatsapp', selection, when: 'now' })}
        />
        {cart.customer_id && cart.customer_email && !hasBought(cart.state) && (
          <SendDiscountButton
            place={`cart:${cart.id}`}
            label="Send Discount Mail"
            person={{ id: cart.customer_id, name: cart.customer_name }}
          />
        )}
        {cart.phone && !lacksTexts && (
          <Button
            variant="subtle"
            leftSection={<IconMessageSearch size={16} aria-hidden />}
            onClick={() => onSmsStatus(cart)}
          >
            Check SMS status
          </Button>
        )}
        {(ended || !cart.customer_email) && (
          <Text fz="sm" c="dimmed">
            {ended ?? 'No email address is known yet, so no email can be sent.'}
          </Text>
        )}
      </Stack>
    </Card>
  )
}

const buttons = {
  sms: { label: 'Send SMS', Sign: IconMessage, upgrade: reminderTexts.smsPlan },
  whatsapp: { label: 'WhatsApp', Sign: IconBrandWhatsapp, upgrade: reminderTexts.whatsappPlan },
}

function TextButton({ channel, action, onSend }: { channel: TextChannel; action: TextAction; onSend: () => void }) {
  const { label, Sign, upgrade } = buttons[channel]
  if (action.kind === 'none') return null
  if (action.kind === 'upgrade') return <UpgradePrompt text={upgrade} />
  const isOff = action.isSending || action.waits !== null
  return (
    <Button variant="default" leftSection={<Sign size={16} aria-hidden />} disabled={isOff} onClick={onSend}>
      {action.isSending ? 'Sending…' : (action.waits ?? label)}
    </Button>
  )
}

/** Shown instead of features the free plan lacks (B 6). */
export function UpgradePrompt({ text }: { text: string }) {
  return (
    <Text fz="sm" className="upgrade">
      <IconLock size={16} aria-hidden />
      <span>
        {text}{' '}
        <Anchor component={Link} to="/pricing" inherit underline="always">
          See plans
        </Anchor>
      </span>
    </Text>
  )
}
