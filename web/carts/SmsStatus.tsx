import { IconAlertTriangle, IconCircleCheck, IconCircleDashed, IconQuestionMark, IconSend } from '@tabler/icons-react'
import type { CartView } from '../../shared/carts.ts'
import { Facts } from '../ui/Facts.tsx'
import { Failed } from '../ui/Failed.tsx'
import { LoadingList } from '../ui/Loading.tsx'
import { StatusBadge } from '../ui/StatusBadge.tsx'
import { DateTime } from '../ui/Time.tsx'
import { useSmsStatus } from './send-queries.ts'

const looks: Record<string, Parameters<typeof StatusBadge>[0]> = {
  sending: { tone: 'info', icon: IconSend, label: 'Sending' },
  sent: { tone: 'info', icon: IconSend, label: 'Sent' },
  delivered: { tone: 'good', icon: IconCircleCheck, label: 'Delivered' },
  failed: { tone: 'bad', icon: IconAlertTriangle, label: 'Failed' },
  unknown: { tone: 'warn', icon: IconQuestionMark, label: 'Unknown' },
}
const none = { tone: 'quiet' as const, icon: IconCircleDashed, label: 'No SMS sent' }

/** What became of the newest SMS of a cart (B 2, B 3). */
export function SmsStatus({ cart }: { cart: CartView }) {
  const status = useSmsStatus(cart.id)
  if (status.isPending) return <LoadingList count={2} />
  if (!status.data) {
    const error = new Error(`Failed to check SMS status: ${status.error.message}`)
    return <Failed title="The status could not be read" error={error} onRetry={() => status.refetch()} />
  }
  const { attempts, lastSent, delivered, error } = status.data
  return (
    <Facts
      entries={[
        ['Customer', cart.customer_name],
        ['Status', <StatusBadge key="status" {...(looks[status.data.status ?? ''] ?? none)} />],
        ['Attempts', attempts],
        ['Last sent', lastSent ? <DateTime key="sent" at={lastSent} /> : '–'],
        ['Delivered', delivered ? 'Yes' : 'No'],
        ...(error ? [['Error', error] as [string, string]] : []),
      ]}
    />
  )
}
