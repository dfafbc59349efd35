import { Button, Popover, Text } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { useState } from 'react'
import { SAMPLE_CART } from '../../../shared/delivery/reminders.ts'
import type { MailDocument } from '../../../shared/messages/mail-document.ts'
import { BROKEN, getErrorText } from '../../core/api/api.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { useFirstPress } from '../../core/ui/useFirstPress.ts'
import { useCanSend } from '../manual-sends/useTextAction.ts'
import { usePreviewCart, useTestSend } from '../message-editor/queries.ts'
import type { CartChoice } from './CartChooser.tsx'

interface Props {
  document: MailDocument
  cart: CartChoice
  /** The mail has problems. */
  isBlocked: boolean
}

/** Sends this mail to the user, for the chosen cart or the newest one. */
export function TestMail({ document, cart, isBlocked }: Props) {
  const mayTest = useCanSend()
  const newest = usePreviewCart('email')
  const [isOpen, setOpen] = useState(false)
  const isFirst = useFirstPress()
  const test = useTestSend()
  const cartId = typeof cart === 'string' ? (newest ?? SAMPLE_CART) : cart.id
  const obstacle = isBlocked ? 'Solve the problems of this email first.' : null
  if (!mayTest) return null
  const send = () => {
    setOpen(true)
    if (obstacle === null && isFirst()) test.mutate({ cartId, channel: 'email', design: document })
  }
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" shadow="md" width={300} zIndex={400}>
      <Popover.Target>
        <Button
          variant="default"
          size="compact-md"
          loading={test.isPending}
          leftSection={<IconSend size={15} aria-hidden />}
          onClick={send}
        >
          Test
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        {obstacle ? (
          <Text fz="sm">{obstacle}</Text>
        ) : test.error ? (
          <Notice tone="bad" isLive>
            {getErrorText(test.error, BROKEN)}
          </Notice>
        ) : test.data ? (
          <Notice tone={test.data.isAccepted ? 'good' : 'bad'} isLive>
            {test.data.isAccepted
              ? `Sent to ${test.data.to}. It arrives in a moment.`
              : `Not sent to ${test.data.to}. ${test.data.response}`}
          </Notice>
        ) : (
          <Text fz="sm">Sending to your sign-in address…</Text>
        )}
      </Popover.Dropdown>
    </Popover>
  )
}
