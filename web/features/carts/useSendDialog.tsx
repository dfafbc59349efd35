import { Modal } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CartView } from '../../../shared/carts/carts.ts'
import type { SendChannel } from '../../../shared/delivery/reminders.ts'
import { smsStatus } from '../../../shared/delivery/reminders.ts'
import { useDraft } from '../../core/access/drafts.ts'
import { call } from '../../core/api/api.ts'
import { Facts } from '../../core/ui/Facts.tsx'
import { Failed } from '../../core/ui/Failed.tsx'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { DateTime } from '../../core/ui/Time.tsx'
import { TextStatus } from '../../kits/carts/badges.tsx'
import type { Selection } from '../../kits/manual-sends/sending.ts'
import { SendForm } from './SendForm.tsx'

/** An open send dialog before it is submitted. */
export interface Ask {
  channel: SendChannel
  selection: Selection
  when: 'now' | 'schedule'
  /** Opened by the bulk bar: always followed as a job, even for few carts. */
  isBulk?: boolean
}

const titles: Record<SendChannel, { one: string; many: string }> = {
  email: { one: 'Send Email Reminder', many: 'Send Email Reminder' },
  sms: { one: 'Send SMS Reminder', many: 'Send SMS Reminders' },
  whatsapp: { one: 'Send WhatsApp Reminder', many: 'Send WhatsApp Reminders' },
}

/** The form with the preview beside it. */
const WIDTH = 1_200

const getTitle = ({ channel, selection, isBulk }: Ask) =>
  titles[channel][selection.kind === 'carts' && selection.carts.length === 1 && !isBulk ? 'one' : 'many']

/** State of the send dialogs. `place` names the screen; `onJob` receives bulk jobs to follow. */
export function useSendDialog(place: string, { onJob }: { onJob?: (jobId: string) => void } = {}) {
  const [ask, setAsk] = useState<(Ask & { id: number }) | null>(null)
  const [isOpen, setOpen] = useState(false)
  const [openCart, setOpenCart] = useState<CartView | null>(null)
  const [isStatusOpen, setStatusOpen] = useState(false)
  const close = () => setOpen(false)
  const onAsk = (next: Ask) => {
    setAsk((last) => ({ ...next, id: (last?.id ?? 0) + 1 }))
    setOpen(true)
  }
  // Reopens the dialog after an expired session; the form restores its own input.
  useDraft<Ask>(`send-dialog:${place}`, isOpen ? ask : null, onAsk)
  return {
    onAsk,
    onSmsStatus: (cart: CartView) => {
      setOpenCart(cart)
      setStatusOpen(true)
    },
    dialogs: (
      <>
        <Modal
          opened={isOpen}
          onClose={close}
          title={ask ? getTitle(ask) : ''}
          size={WIDTH}
          closeButtonProps={{ 'aria-label': 'Close' }}
        >
          {ask && (
            <SendForm
              key={ask.id}
              ask={ask}
              onClose={close}
              onJob={(jobId) => {
                close()
                onJob?.(jobId)
              }}
            />
          )}
        </Modal>
        <Modal
          opened={isStatusOpen}
          onClose={() => setStatusOpen(false)}
          title="SMS status"
          closeButtonProps={{ 'aria-label': 'Close' }}
        >
          {openCart && <SmsStatus cart={openCart} />}
        </Modal>
      </>
    ),
  }
}

/** State of a cart's newest SMS (B 2, B 3). */
function SmsStatus({ cart }: { cart: CartView }) {
  const status = useSmsStatus(cart.id)
  if (status.isPending) return <LoadingList count={2} />
  if (!status.data) {
    const error = new Error(`Failed to check SMS status: ${status.error.message}`)
    return <Failed title="The status could not be loaded" error={error} onRetry={() => status.refetch()} />
  }
  const { attempts, lastSent, delivered, error } = status.data
  return (
    <Facts
      entries={[
        ['Customer', cart.customer_name],
        ['Status', <TextStatus key="status" status={status.data.status} />],
        ['Attempts', attempts],
        ['Last sent', lastSent ? <DateTime key="sent" at={lastSent} /> : '–'],
        ['Delivered', delivered ? 'Yes' : 'No'],
        ...(error ? [['Error', error] as [string, string]] : []),
      ]}
    />
  )
}

const useSmsStatus = (cartId: string) =>
  useQuery({
    queryKey: ['sms-status', cartId],
    queryFn: ({ signal }) => call(smsStatus, { params: { cartId }, signal }),
    gcTime: 0,
    staleTime: 0,
  })
