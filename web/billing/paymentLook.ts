import { IconArrowBackUp, IconCircleCheck, IconCircleMinus, IconCircleX, IconClock } from '@tabler/icons-react'
import type { PaymentStatus } from '../../shared/payments.ts'

/** Label and color of each payment status (A 4.3). */
export const paymentLooks = {
  succeeded: { tone: 'good', icon: IconCircleCheck, label: 'Succeeded' },
  pending: { tone: 'warn', icon: IconClock, label: 'Pending' },
  failed: { tone: 'bad', icon: IconCircleX, label: 'Failed' },
  canceled: { tone: 'quiet', icon: IconCircleMinus, label: 'Canceled' },
  refunded: { tone: 'info', icon: IconArrowBackUp, label: 'Refunded' },
} as const satisfies Record<PaymentStatus, object>
