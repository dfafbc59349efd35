import {
  type Icon,
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconClock,
} from '@tabler/icons-react'
import type { Tone } from '../../core/ui/Notice.tsx'

const badges: Record<string, { tone: Tone; icon: Icon; label: string }> = {
  active: { tone: 'good', icon: IconCircleCheck, label: 'Active' },
  trialing: { tone: 'info', icon: IconClock, label: 'Trial' },
  past_due: { tone: 'warn', icon: IconAlertTriangle, label: 'Past Due' },
  canceled: { tone: 'bad', icon: IconCircleX, label: 'Canceled' },
}

/** Shown beside the status of a subscription that ends with its period. `day`: null if unknown. */
export const buildEndingBadge = (day: string | null) => ({
  tone: 'warn' as const,
  icon: IconClock,
  label: day ? `Ends ${day}` : 'Ends after the billing period',
})

/** Label of a subscription status (A 4.3); unknown statuses are shown unchanged. */
export const getStatusBadge = (status: string) =>
  badges[status] ?? { tone: 'quiet' as const, icon: IconCircleDashed, label: status }
