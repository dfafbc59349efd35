import type { CartView } from '../../shared/carts.ts'
import { Facts } from '../ui/Facts.tsx'
import { Failed } from '../ui/Failed.tsx'
import { LoadingList } from '../ui/Loading.tsx'
import { DateTime } from '../ui/Time.tsx'
import { TextStatus } from './badges.tsx'
import { useSmsStatus } from './send-queries.ts'

/** State of a cart's newest SMS (B 2, B 3). */
export function SmsStatus({ cart }: { cart: CartView }) {
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
