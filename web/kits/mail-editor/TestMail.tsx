import { Button, Popover, Stack, Text } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { useState } from 'react'
import { SAMPLE_CART } from '../../../shared/delivery/reminders.ts'
import type { StepCoupon } from '../../../shared/marketing/flows.ts'
import type { MailDocument } from '../../../shared/messages/mail-document.ts'
import { useMe } from '../../core/access/queries.ts'
import { BROKEN, getErrorText } from '../../core/api/api.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { useFirstPress } from '../../core/ui/useFirstPress.ts'
import { useCanSend } from '../manual-sends/useTextAction.ts'
import { useTestSend } from '../message-editor/queries.ts'
import { type CartChoice, nameCart } from './CartChooser.tsx'

interface Props {
  document: MailDocument
  cart: CartChoice
  coupon: StepCoupon | null
  /** The mail has problems. */
  isBlocked: boolean
}

/** Sends this mail to the user, for the chosen cart; for an example with the server's sample cart. */
export function TestMail({ document, cart, coupon, isBlocked }: Props) {
  const mayTest = useCanSend()
  const to = useMe()?.email
  const [isOpen, setOpen] = useState(false)
  const isFirst = useFirstPress()
  const test = useTestSend()
  const cartId = typeof cart === 'string' ? SAMPLE_CART : cart.id
  const obstacle = isBlocked ? 'Solve the problems of this email first.' : null
  if (!mayTest) return null
  const send = () => {
    if (isFirst()) test.mutate({ cartId, channel: 'email', design: document, coupon })
  }
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" shadow="md" width={300} zIndex={400} trapFocus>
      <Popover.Target>
        <Button
          variant="default"
          size="compact-md"
          leftSection={<IconSend size={15} aria-hidden />}
          onClick={() => {
            test.reset()
            setOpen(!isOpen)
          }}
        >
          Test
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        {obstacle ? (
          <Text fz="sm">{obstacle}</Text>
        ) : (
          <Stack gap="sm">
            <Text fz="sm">
              To {to}, with {typeof cart === 'string' ? 'an example cart' : `the cart of ${nameCart(cart)}`}.
            </Text>
            {test.error && (
              <Notice tone="bad" isLive>
                {getErrorText(test.error, BROKEN)}
              </Notice>
            )}
            {test.data && (
              <Notice tone={test.data.isAccepted ? 'good' : 'bad'} isLive>
                {test.data.isAccepted
                  ? `Sent to ${test.data.to}. It arrives in a moment.`
                  : `Not sent to ${test.data.to}. ${test.data.response}`}{' '}
                {test.data.couponNote}
              </Notice>
            )}
            <Button size="compact-md" loading={test.isPending} onClick={send}>
              Send the test
            </Button>
          </Stack>
        )}
      </Popover.Dropdown>
    </Popover>
  )
}
