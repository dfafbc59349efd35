import { IconArrowBackUp, IconCircleCheck, IconCircleMinus, IconCircleX, IconClock } from '@tabler/icons-react'
import type { PaymentStatus } from '../../shared/payments.ts'

/** How the status of a payment is said, each in a colour of its own (A 4.3). */
export const paymentLooks = {
  succeeded: { tone: 'good', icon: IconCircleCheck, label: 'Succeeded' },
  pending: { tone: 'warn', icon: IconClock, label: 'Pending' },
  failed: { tone: 'bad', icon: IconCircleX, label: 'Failed' },
  canceled: { tone: 'quiet', icon: IconCircleMinus, label: 'Canceled' },
  refunded: { tone: 'info', icon: IconArrowBackUp, label: 'Refunded' },
} as const satisfies Record<PaymentStatus, object>
